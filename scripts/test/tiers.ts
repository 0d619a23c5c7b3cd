/** What a run of the tests contains. */
export type Tier = 'unit' | 'quick' | 'full' | 'campaign' | 'runtime' | 'runtime-nightly';

/** Only overnight: what repeats one thing very often, and frameworks whose installation takes longer than most suites. */
const CAMPAIGN = [
  /^tests\/(failure-modes|growth|mutants)\/(?!planted\.)/,
  /^tests\/installation\/large-templates\./,
  /^tests\/sql\/closure-mutants\./,
  /^tests\/sources\/fleet\./,
  /^scripts\/mutate\//,
];

/** Only before a change lands: what starts programs, browsers, databases, proxies, solvers and installations, or waits. */
const FULL = [
  /^tests\/(adapters|audit|bench|debugging|deploy|docs|examples|installation|package|platforms|published-adapters)\//,
  /^tests\/(rollout|site|sources|types|workers)\//,
  /^tests\/analysis\/(assumed-schemas|diff|diff-conformance|diff-mutants|domain|encode|library-reports|mutate|prover|suggest)\./,
  /^tests\/archives\/(equal-bytes|serving)\./,
  /^tests\/authzen\/.*postgresql/,
  /^tests\/cli\/(audit|cache|closed-pipes|compile-in-parts|dev|diff|mcp|outputs|run|serve|server|test-watch)\./,
  /^tests\/explorer\/(?!evaluate\.)/,
  /^tests\/facts\/(loaded-modules|random-served|served-postgresql)\./,
  /^tests\/gateway\/.*(caddy|nginx|proxies)/,
  /^tests\/middleware\/next-application\./,
  /^tests\/generated\/modules\./,
  /^tests\/limits\/attack\./,
  /^tests\/observe\/(promtool|secrets)\./,
  /^tests\/regexps\/incorrect-host\./,
  /^tests\/server\/(hostile-|life-cycle-|pattern-fallback|stalled-)/,
  /^tests\/usages\/(applications|command|routes)\./,
  /^tests\/sql\/.*(capabilities|decide-by-id|closure|column-words|filters-by-hand|indexes|json-null|long-lists|mariadb|plan-database|postgresql|prisma|query-builders|relations|rls-formats|semi-joins|subject-mutants)/,
  /^scripts\/release\//,
];

/**
 * What another version of Node may change: the runtime, its values and patterns, the protocols, and whether each program
 * and command starts. What only the compiler decides, such as the types of modules and errors in expressions, is the same
 * on all.
 */
const RUNTIME = [
  /^(runtime|packages\/(cel|json-schema)|proto\/wire|server\/transport)\//,
  /^tests\/(golden|oracle)\//,
  /^tests\/regexps\/(?!incorrect-host)/,
  /^tests\/cel\/(?!compile-errors|parser|polarity|recorded-syntax|repl-cases|type-check-conformance)/,
  /^tests\/generated\/(?!consent-at-root|modules)/,
  /^tests\/smoke\//,
  /^tests\/server\/(?!explain-decision|foreign-pages|hostile-values|stalled-connections|tenants)/,
];

/** Of that, what takes long and rarely depends on the version: only overnight, when it does not run with the first one. */
const RUNTIME_NIGHTLY = [
  // The first is about hosts with other mistakes than Node has, the second about memory, the third about timers.
  /^tests\/regexps\/incorrect-host\./,
  /^tests\/server\/hostile-values\./,
  /^tests\/server\/stalled-connections\./,
];

/** Files that need a process of their own, as they measure or change what the files of a process have in common. */
const ALONE = [
  // The memory of the process.
  /^packages\/cel\/runtime\/bounded-cache\./,
  /^tests\/archives\/attacks\./,
  /^tests\/client\/damaged-answers\./,
  /^tests\/facts\/partial-cases\./,
  /^server\/swap\/evaluate-bundle\./,
  // Calls of functions, some of which remember what other files have asked.
  /^tests\/plan\/calls\./,
];

/** Every pattern above. */
export const PATTERNS: readonly RegExp[] = [...CAMPAIGN, ...FULL, ...RUNTIME, ...RUNTIME_NIGHTLY, ...ALONE];

/** Whether a tier has a test file. */
export function includes(tier: Tier, file: string): boolean {
  const isCampaign = matches(CAMPAIGN, file);
  if (tier === 'campaign') return true;
  if (isCampaign) return false;
  if (tier === 'full') return true;
  if (tier === 'runtime') return matches(RUNTIME, file);
  if (tier === 'runtime-nightly') return matches(RUNTIME, file) || matches(RUNTIME_NIGHTLY, file);
  if (matches(FULL, file)) return false;
  return tier === 'quick' || !file.startsWith('tests/');
}

/** Suites whose files mostly wait for timers, processes and sockets. They run beside the ones that compute. */
const WAITING = new Set(['tests/audit', 'tests/rollout', 'tests/server', 'tests/sources', 'tests/workers']);

/**
 * Whether a test file runs in a process that has files of other suites, too. Those that start programs and wait for them
 * have processes of their suites.
 */
export function sharesProcess(file: string): boolean {
  return includes('quick', file) && !matches(ALONE, file);
}

/** The suite of a test file: its folder in `tests`, or the package of the code beside which it is. */
export function suiteOf(file: string): string {
  const [top = '', folder = ''] = file.split('/');
  return top === 'tests' || top === 'packages' ? `${top}/${folder}` : top;
}

/** Whether a suite runs beside the ones that compute. */
export function waits(suite: string): boolean {
  return WAITING.has(suite);
}

function matches(patterns: readonly RegExp[], file: string): boolean {
  return patterns.some((pattern) => pattern.test(file));
}
