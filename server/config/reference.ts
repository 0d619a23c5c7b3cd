import type { ConfigKey, UsedKey } from './key.js';
import { KEYS } from './keys.js';

/** The reference of the configuration, in Markdown: every key with its type, default and meaning. */
export function configReference(): string {
  const keys = Object.entries<ConfigKey>(KEYS);
  const blocks = [...new Set(keys.map(([path]) => path.slice(0, path.indexOf('.'))))];
  const sections = blocks.map((block) =>
    section(
      block,
      keys.filter(([path]) => path.startsWith(`${block}.`)),
    ),
  );
  return [INTRODUCTION, ...sections.filter((text) => text !== ''), KEY_SETS, withoutEffect()].join('\n');
}

/** The default of a key as a file would say it; undefined when there is none. */
export function writeDefault(key: UsedKey<unknown>): unknown {
  return key.default === undefined ? undefined : key.type.write(key.default);
}

const INTRODUCTION = `# Configuration

One YAML document (JSON is YAML too), given with \`--config FILE\` or the environment variable \`AUTHZ_CONFIG\`. Without one, the defaults hold.
\`authzc config print --config FILE\` shows what is in force, and where each value comes from.

- An unknown key, a wrong value and a block that is not a map end the start with status 1 and one line: the place, the key, what is wanted.
- A key without a value is a key left out. Anchors and aliases are an error.
- Before the YAML is read, \`\${VAR}\` and \`$VAR\` are replaced by environment variables, and \`\${VAR:default}\` by the default when there is no such
  variable. \`$$\` is a dollar sign. A variable that is not set, and has no default, is an error.
- \`--set server.workers=4\` overrides a key; it may be repeated, and has several when separated by commas. Lists are \`{a,b}\` or \`key[0]=a\`; a backslash
  before a comma, dot, equals sign, bracket or brace makes it part of the text.
- Durations are written \`500ms\`, \`30s\`, \`1h30m\`.

Editors check a file that begins with \`# yaml-language-server: $schema=PATH/docs/config.schema.json\`.

[The server specification](spec/server.md#configuration) has the precise rules, and [what keeps a server from starting](spec/server.md#start-failures).
`;

const KEY_SETS = `## Keysets

Each of \`auxData.jwt.keySets\` has an \`id\` and one of \`local\` and \`remote\`.

| Key | Type | Meaning |
|---|---|---|
| \`id\` | text | what tokens of a request name it by; unique |
| \`local.file\` | path | a JSON Web Key, a set of them, or PEM |
| \`local.data\` | base64 | the same in the configuration |
| \`local.pem\` | bool | the material is PEM; it says neither \`alg\` nor \`kid\`, and needs both switches below |
| \`remote.url\` | URL | where the set is fetched: at the start, then again and again; a server that cannot be reached does not keep this one from starting |
| \`remote.refreshInterval\` | duration | how often; as the answers say (\`Cache-Control\`, \`Expires\`), or hourly, when not set |
| \`insecure.optionalAlg\` | bool | keys without \`alg\` accept the algorithms of their type |
| \`insecure.optionalKid\` | bool | tokens need no \`kid\`; every key is tried |

Without these switches every key must have \`alg\` and \`kid\`, or no token is accepted for the set.
`;

function section(block: string, keys: readonly (readonly [string, ConfigKey])[]): string {
  const rows = keys.flatMap(([path, key]) =>
    key.kind === 'used' ? [`| \`${path}\` | ${key.type.words} | ${defaultText(key)} | ${key.meaning} |\n`] : [],
  );
  return rows.length === 0
    ? ''
    : `## ${block}\n\n| Key | Type | Default | Meaning |\n|---|---|---|---|\n${rows.join('')}`;
}

function defaultText(key: UsedKey<unknown>): string {
  const written = writeDefault(key);
  if (written === undefined || written === '') return '–';
  return `\`${typeof written === 'string' ? written : JSON.stringify(written)}\``;
}

function withoutEffect(): string {
  const rows = Object.entries<ConfigKey>(KEYS).flatMap(([path, key]) =>
    key.kind === 'ignored' || key.kind === 'refused'
      ? [`| \`${path}\` | ${key.kind === 'ignored' ? 'warning' : 'only `true`'} | ${key.why} |\n`]
      : [],
  );
  return `## Accepted for files of other servers\n\n| Key | | Because |\n|---|---|---|\n${rows.join('')}`;
}
