import { type ConfigKey, KEYS } from '../server/config/keys.js';
import { describeType } from '../server/config/schema-type.js';
import type { UsedKey } from '../server/config/section.js';

/** The reference of the configuration, in Markdown: every key with its type, default and meaning. */
export function configReference(): string {
  const keys = Object.entries(KEYS);
  const blocks = [...new Set(keys.map(([path]) => path.slice(0, path.indexOf('.'))))];
  const sections = blocks.map((block) =>
    section(
      block,
      keys.filter(([path]) => path.startsWith(`${block}.`)),
    ),
  );
  return [INTRODUCTION, ...sections.filter((text) => text !== ''), VOCABULARY, KEY_SETS, withoutEffect()].join('\n');
}

const INTRODUCTION = `# Configuration

The configuration is one YAML (or JSON) file. Pass it with \`--config FILE\` or the environment variable \`AUTHZ_CONFIG\`; without a file, the server uses
the defaults. \`authzc config print --config FILE\` prints the effective configuration with the source of each value.

- Unknown keys, wrong values and blocks that are not maps are errors: the server exits with 1 and one line for each, with the location, the key and the
  expected value, or the key that was probably meant.
- A key without a value is ignored. Anchors and aliases are errors.
- \`\${VAR}\` and \`$VAR\` are replaced by environment variables before the YAML is parsed. \`\${VAR:default}\` uses the default if the variable is not set; a
  variable that is not set and has no default is an error. Write \`$$\` for a dollar sign.
- \`--set server.workers=4\` overrides a key. Repeat it, or separate several keys with commas. Lists are \`{a,b}\` or \`key[0]=a\`; escape commas, dots, equals
  signs, brackets and braces with a backslash.
- Durations are written as \`500ms\`, \`30s\`, \`1h30m\`.

To validate the file in an editor, start it with \`# yaml-language-server: $schema=PATH/docs/config.schema.json\`.

[The server specification](spec/server.md#configuration) has the exact rules, and the list of [start failures](spec/server.md#start-failures).
`;

const VOCABULARY = `## Vocabulary

\`\`\`yaml config
vocabulary:
  roles: [user, platform_admin]
  actions: [view, edit, "comment:add"]
\`\`\`

An optional list of the roles and actions of a project, for all kinds, so that a misspelt \`platform_admn\` or \`veiw\` does
not pass. \`authzc compile\`, \`test\`, \`check\`, \`plan\` and \`explain\` read it from \`.authz.yaml\` of the working directory,
and nothing else of that file. A list that is absent allows any word.

- In policies, a word that is not declared is an error:
  [\`vocabulary/undeclared-role\`](diagnostics/vocabulary__undeclared-role.md),
  [\`vocabulary/undeclared-action\`](diagnostics/vocabulary__undeclared-action.md). A glob must match at least one declared
  word; \`*\` is always accepted.
- In tests, the roles of principals and the actions are checked in the same way, except in tests that are skipped.
- \`check\`, \`plan\` and \`explain\` print a warning for such words of the request, and decide.
- The server ignores the key: callers may send any role and any action.
`;

const KEY_SETS = `## Keysets

Each keyset in \`auxData.jwt.keySets\` has an \`id\` and either \`local\` or \`remote\`.

| Key | Type | Meaning |
|---|---|---|
| \`id\` | string | unique id that requests select the keyset with |
| \`local.file\` | path | file with a JSON Web Key, a JWK Set, or PEM |
| \`local.data\` | base64 | the same content, inline |
| \`local.pem\` | bool | the content is PEM; PEM has neither \`alg\` nor \`kid\`, so it needs \`insecure.optionalAlg\` and \`insecure.optionalKid\` |
| \`remote.url\` | URL | URL of a JWK Set, fetched at start and then regularly; authz also starts if it cannot be reached |
| \`remote.refreshInterval\` | duration | fetch interval; if not set, as the responses specify (\`Cache-Control\`, \`Expires\`), or hourly |
| \`insecure.optionalAlg\` | bool | keys without \`alg\` accept the algorithms of their type |
| \`insecure.optionalKid\` | bool | tokens need no \`kid\`: every key is tried |
| \`insecure.plainHttp\` | bool | \`remote.url\` may be on another machine without TLS, whose answers others on the way can replace |

Without the first two \`insecure\` options, every key must have \`alg\` and \`kid\`; otherwise the keyset accepts no tokens.
`;

function section(block: string, keys: readonly (readonly [string, ConfigKey])[]): string {
  const rows = keys.flatMap(([path, key]) =>
    key.kind === 'used' ? [`| \`${path}\` | ${describeType(key.type)} | ${defaultText(key)} | ${key.meaning} |\n`] : [],
  );
  return rows.length === 0
    ? ''
    : `## ${block}\n\n| Key | Type | Default | Meaning |\n|---|---|---|---|\n${rows.join('')}`;
}

function defaultText({ default: preset }: UsedKey): string {
  if (preset === undefined || preset === '') return '–';
  return `\`${typeof preset === 'string' ? preset : JSON.stringify(preset)}\``;
}

function withoutEffect(): string {
  const rows = Object.entries(KEYS).flatMap(([path, key]) =>
    key.kind === 'ignored' || key.kind === 'refused'
      ? [`| \`${path}\` | ${key.kind === 'ignored' ? 'warning' : 'only `true`'} | ${key.why} |\n`]
      : [],
  );
  return `## Accepted for files of other servers\n\n| Key | Effect | Reason |\n|---|---|---|\n${rows.join('')}`;
}
