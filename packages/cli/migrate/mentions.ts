import { isProse } from './config-files.js';
import type { Finding, Topic } from './steps.js';
import type { Tree } from './tree.js';

/** What files outside of policies say about the reference PDP, and what to do about it. */
interface Mention {
  readonly topic: Topic;
  readonly pattern: RegExp;
  readonly advice: string;
}

/** The first that fits a line counts. */
const MENTIONS: readonly Mention[] = [
  {
    topic: 'no-counterpart',
    pattern: /@cerbos\/embedded(?:-client)?\b|embedded-(?:client|server)/,
    advice:
      'decide in process with `createEngine` of `authz/runtime` and your own bundle (docs/migrating.md#without-a-counterpart)',
  },
  {
    topic: 'no-counterpart',
    pattern: /@cerbos\/hub\b|CERBOS_HUB_|hub\.cerbos\.cloud|\bcerbosctl\s+hub\b|cerbos\/(?:upload|hub)[\w-]*-action/i,
    advice:
      'Hub has no counterpart: build bundles in your pipeline and distribute them with `bundle.source` (docs/migrating.md#without-a-counterpart)',
  },
  {
    topic: 'no-counterpart',
    pattern:
      /\bcerbosctl\s+(?:put|delete|disable|enable|store)\b|addOrUpdatePolic|disablePolic|deletePolic|\/admin\/(?:policy|schema)\b/i,
    advice:
      'policies are compiled, not changed at run time: change the files, or use roles of tenants (docs/tenant-roles.md)',
  },
  {
    topic: 'commands',
    pattern: /\bcerbos\/cerbos-(?:setup|compile)-action\b|\bcerbos-(?:setup|compile)-action@/,
    advice: 'use the action of this project, which compiles, tests and compares policies (docs/ci.md)',
  },
  {
    topic: 'containers',
    pattern: /(?<!github\.com[/:])(?<![\w-])cerbos\/cerbos(?![\w/.-])/,
    advice:
      'use the image of this project: `docker build --target folder`, or one with compiled policies (docs/migrating.md#the-container)',
  },
  {
    topic: 'containers',
    pattern: /\bhelm-charts\/cerbos\b|\bcerbos\/cerbos-(?:aws-lambda|lambda)/,
    advice: 'use the chart in deploy/helm; there is no image for Lambda, where programs decide in process',
  },
  {
    topic: 'commands',
    pattern: /github\.com\/cerbos\/cerbos\/releases|cerbos\/tap\b|download\.cerbos\.dev\b/,
    advice: 'install the package `authzc` from npm, which has the command line',
  },
  {
    topic: 'clients',
    pattern: /@cerbos\/(?:grpc|http|react|core|orm-[\w-]+|langchain[\w-]*)\b/,
    advice:
      'works with `server.aliases: [cerbos]`; adapters of plans need `engine.plan.referenceShapes: true` (docs/aliases.md)',
  },
  {
    topic: 'clients',
    pattern:
      /github\.com\/cerbos\/cerbos\/client|cerbos-sdk-(?:go|java|net|php|python|ruby|rust|laravel|javascript)|from cerbos\.sdk|import cerbos\b|dev\.cerbos\.sdk|\bCerbos\.Sdk\b|require ["']cerbos["']|gem ["']cerbos["']|cerbos\.svc\.v1/,
    advice: 'works with `server.aliases: [cerbos]` (docs/aliases.md)',
  },
  {
    topic: 'monitoring',
    pattern: /\/_cerbos\/(?:health|metrics)\b/,
    advice: 'works with `server.aliases: [cerbos]`; the path in authz is `/_authz/...`',
  },
  {
    topic: 'monitoring',
    pattern: /\bcerbos_dev_\w+/,
    advice: 'metrics have other names (docs/migrating.md#metrics)',
  },
  {
    topic: 'commands',
    pattern: /(?:^|[\s"'/`&|;(])cerbos["',\s]+(?:compile|server|run|repl|healthcheck|compile-store)\b/,
    advice: '`authzc test DIR`, `authzc server`, `authzc run`, `authzc repl`, `authzc healthcheck` take their place',
  },
  {
    topic: 'commands',
    pattern: /\bcerbosctl\b/,
    advice: '`authzc inspect`, `authzc audit` and `authzc fleet status` take its place',
  },
  {
    topic: 'commands',
    pattern: /\bCERBOS_(?:CONFIG|LOG_LEVEL|NO_TELEMETRY|HC_\w+|SERVER|USERNAME|PASSWORD)\b/,
    advice: 'the variables of authz begin with `AUTHZ_`; `authzc server` also reads `CERBOS_CONFIG`',
  },
  {
    topic: 'generators',
    pattern: /\bapi\.cerbos\.dev\/v1\b|\bcerbos:\/\/\//,
    advice: 'write `api.authz.dev/v1` and `authz:///`',
  },
];

/** Lines that are longer are not written by people. */
const LONGEST_LINE = 2000;
const LONGEST_EXCERPT = 100;

/**
 * The places in a tree that mention the reference PDP; prose and lock files are left out.
 *
 * @param isMigrated whether a file is migrated as a whole: its lines need no advice.
 */
export function findMentions(tree: Tree, isMigrated: (path: string) => boolean): readonly Finding[] {
  const found: Finding[] = [];
  for (const [path, text] of tree) {
    if (isMigrated(path) || isProse(path) || isLockFile(path) || !/cerbos/i.test(text)) continue;
    for (const [index, line] of text.split('\n').entries()) {
      if (line.length > LONGEST_LINE || !/cerbos/i.test(line)) continue;
      const mention = MENTIONS.find(({ pattern }) => pattern.test(line));
      if (mention === undefined) continue;
      const { topic, advice } = mention;
      found.push({
        kind: 'finding',
        topic,
        path,
        line: index + 1,
        what: line.trim().slice(0, LONGEST_EXCERPT),
        advice,
      });
    }
  }
  return found;
}

function isLockFile(path: string): boolean {
  return /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|go\.sum|poetry\.lock|uv\.lock|Cargo\.lock|Gemfile\.lock|composer\.lock)$/.test(
    path,
  );
}
