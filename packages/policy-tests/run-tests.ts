import type { Instant } from '../../runtime/policy/index.js';
import type { SuiteFiles } from '../../compiler/load/index.js';
import type { Answer, Ask, Decision, Question } from './ask.js';
import { type Expectations, mergeExpectations, type PairExpectation } from './expectations.js';
import type { Dimension, TestFilter } from './filter.js';
import { InvalidSuite } from './invalid-suite.js';
import { type Names, namesIn } from './names-in-suite.js';
import { inContext, readFixtures, readSuite } from './read-suite.js';
import {
  type Asked,
  type CaseResult,
  type Details,
  type Outcome,
  OUTCOMES,
  type ProducedOutput,
  type SuiteResult,
  type Summary,
  type TestResults,
  type UnmetOutput,
} from './results.js';
import { sameJson } from './same-json.js';
import type { ExpectedOutput, Suite, Test, TestOptions } from './suite.js';

/**
 * Runs test suites against policies (docs/spec/server.md#how-tests-run). Never throws for errors in test files: a suite
 * that cannot be run is one of the results.
 */
export function runTests(files: readonly SuiteFiles[], options: RunOptions): TestResults {
  const suites = files.map((file, index) => {
    options.onStep?.(index + 1, files.length);
    return runSuite(file, options);
  });
  return { suites, summary: addSummaries(suites.map(({ summary }) => summary)) };
}

function runSuite(files: SuiteFiles, options: RunOptions): SuiteResult {
  const read = attempt(() => readSuite(files));
  if ('invalid' in read)
    return { ...EMPTY, file: files.path, name: 'Unknown', summary: bare('errored'), ...reportInvalid(read.invalid) };
  const suite = read.value;
  const head = { ...EMPTY, file: files.path, name: suite.name, description: suite.description };
  const ran = attempt(() => casesOfTest(suite, files, options));
  if ('invalid' in ran) return { ...head, summary: bare('errored'), ...reportInvalid(ran.invalid) };
  if (suite.skip) return { ...head, summary: bare('skipped'), skipReason: suite.skipReason };
  return { ...head, summary: summarize(ran.value), cases: ran.value };
}

function reportInvalid(invalid: InvalidSuite): Pick<SuiteResult, 'error' | 'invalid'> {
  return { error: invalid.message, invalid };
}

const EMPTY = { description: '', error: undefined, skipReason: '', cases: [] };

function casesOfTest(suite: Suite, files: SuiteFiles, options: RunOptions): readonly CaseResult[] {
  return pairsOfSuite(suite, files, options).flatMap((pair) => runPair(pair, suite.name, options));
}

/** Groups are checked even in a skipped suite (docs/spec/server.md#how-tests-run). */
function pairsOfSuite(suite: Suite, files: SuiteFiles, { now }: CallOptions): readonly Pair[] {
  const names = namesIn(suite, readFixtures(files));
  if (suite.skip) return [];
  inContext('Invalid test suite: ', () => requireUniqueNames(suite));
  return suite.tests.flatMap((test) =>
    inContext('Failed to load the test suite: ', () =>
      inContext(`invalid test ${JSON.stringify(test.name)}: `, () => listPairs(test, suite, { names, now })),
    ),
  );
}

/** A call that tests make, and how its cases are judged: for tests that run many times. */
export interface TestCall {
  readonly question: Question;
  readonly judge: (answer: Answer) => readonly CaseResult[];
}

/** The calls of test suites in their order, without suites that cannot be run and without skipped tests. */
export function testCalls(files: readonly SuiteFiles[], options: CallOptions): readonly TestCall[] {
  return files.flatMap((file) => {
    const read = attempt(() => readSuite(file));
    if ('invalid' in read) return [];
    const pairs = attempt(() => pairsOfSuite(read.value, file, options));
    if ('invalid' in pairs) return [];
    return pairs.value.flatMap((pair) =>
      pair.test.skip ? [] : makeCalls(pair, listActions(pair, read.value.name, options).asked, options),
    );
  });
}

function requireUniqueNames({ tests }: Suite): void {
  const seen = new Set<string>();
  for (const { name } of tests) {
    if (seen.has(name)) throw new InvalidSuite(`another test named ${name} already exists`);
    seen.add(name);
  }
}

function attempt<T>(work: () => T): { readonly value: T } | { readonly invalid: InvalidSuite } {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof InvalidSuite) return { invalid: error };
    throw error;
  }
}

/** Which calls tests make. */
interface CallOptions {
  /** The time of tests that set none. */
  readonly now?: Instant | undefined;
  readonly filter: TestFilter;
  /** Whether each action is a separate call. */
  readonly skipBatching: boolean;
  /** Whether results include traces. */
  readonly traced: boolean;
}

/** Options for running tests. */
interface RunOptions extends CallOptions {
  readonly ask: Ask;
  /** Is told before each suite which one it is, from 1, and how many there are. */
  readonly onStep?: ((suite: number, all: number) => void) | undefined;
}

/**
 * Queries the policies for a pair, all actions in one call, and compares the decisions with the expectations. Actions
 * excluded by a filter come last, and are not evaluated.
 */
function runPair(pair: Pair, suiteName: string, options: RunOptions): readonly CaseResult[] {
  const { reason, asked } = listActions(pair, suiteName, options);
  const leftOut = pair.test.input.actions.filter((action) => !asked.includes(action));
  const ran = pair.test.skip
    ? skippedCases(pair, asked)
    : makeCalls(pair, asked, options).flatMap(({ question, judge }) => judge(options.ask(question)));
  return [
    ...ran,
    ...leftOut.map((action) =>
      makeCase(pair, action, { kind: 'skipped', reason: reason ?? NO_ACTION, filtered: true }),
    ),
  ];
}

/** The actions of a pair that a filter includes, or why it includes none. */
function listActions(
  pair: Pair,
  suiteName: string,
  { filter }: CallOptions,
): { readonly reason: string | undefined; readonly asked: readonly string[] } {
  const reason = reasonToLeaveOut(pair, suiteName, filter);
  const matches = filter.get('action');
  const asked = reason === undefined ? pair.test.input.actions.filter((action) => matches?.(action) ?? true) : [];
  return { reason, asked };
}

function makeCalls(pair: Pair, asked: readonly string[], { skipBatching, traced }: CallOptions): readonly TestCall[] {
  const calls = skipBatching ? asked.map((action) => [action]) : asked.length > 0 ? [asked] : [];
  return calls.map((actions) => ({
    question: { ...pair, actions, traced },
    judge: (answer) => makeCases(pair, answer),
  }));
}

const NO_ACTION = 'No actions matched the test filter';
const NO_TIME = {
  kind: 'errored',
  error: 'a policy used a time-based condition, but `now` was not provided in the test options',
  advice: 'add `options: {now: "2026-01-31T12:00:00Z"}` to the test or its suite, or run `authzc test --now TIME`',
} as const;

function reasonToLeaveOut(
  { test, principalKey, resourceKey }: Pair,
  suiteName: string,
  filter: TestFilter,
): string | undefined {
  const looks: readonly (readonly [Dimension, string, string])[] = [
    ['suite', suiteName, 'Suite did not match the test filter'],
    ['test', test.name, 'Test did not match the test filter'],
    ['principal', principalKey, 'Principal did not match the test filter'],
    ['resource', resourceKey, 'Resource did not match the test filter'],
  ];
  return looks.find(([dimension, text]) => filter.get(dimension)?.(text) === false)?.[2];
}

function skippedCases(pair: Pair, actions: readonly string[]): readonly CaseResult[] {
  return actions.map((action) =>
    makeCase(pair, action, { kind: 'skipped', reason: pair.test.skipReason, filtered: false }),
  );
}

function makeCases(pair: Pair, { decisions, missedTime }: Answer): readonly CaseResult[] {
  return decisions.map((decision) => ({
    ...makeCase(pair, decision.action, missedTime ? NO_TIME : judgeDecision(decision, pair.expected)),
    trace: decision.trace,
  }));
}

function makeCase(pair: Pair, action: string, details: Details): CaseResult {
  const { test, principalKey: principal, resourceKey: resource } = pair;
  return { test: test.name, place: test.place, principal, resource, action, asked: pair, details, trace: undefined };
}

/**
 * Whether a decision is as expected (docs/spec/server.md#how-tests-run). Outputs are only compared if the effect is
 * right; outputs that are not listed are ignored.
 */
function judgeDecision(
  { action, effect: actual, outputs, needs }: Decision,
  expectation: PairExpectation | undefined,
): Details {
  const expected = expectation?.actions.get(action) ?? 'EFFECT_DENY';
  const depending = needs !== undefined && { needs };
  if (actual !== expected) return { kind: 'failed', expected, actual, outputs: [], ...depending };
  const listed = [...(expectation?.outputs.get(action)?.values() ?? [])];
  const unmet = listed.flatMap((output) => unmetOutput(output, outputs) ?? []);
  return unmet.length > 0
    ? { kind: 'failed', expected, actual, outputs: unmet }
    : { kind: 'passed', effect: actual, outputs, ...depending };
}

/** A source may produce several outputs, through several derived roles: one that matches the expectation is enough. */
function unmetOutput(
  { src, val: expected }: ExpectedOutput,
  outputs: readonly ProducedOutput[],
): UnmetOutput | undefined {
  const spoken = outputs.filter((output) => output.src === src);
  if (spoken.some((output) => 'val' in output && sameJson(output.val, expected))) return undefined;
  const last = spoken.at(-1);
  if (last === undefined) return { kind: 'missing', src, expected };
  return 'val' in last
    ? { kind: 'mismatched', src, expected, actual: last.val }
    : { kind: 'errored', src, expected, error: last.error };
}

/** Counts the cases of a suite. */
export function summarize(cases: readonly CaseResult[]): Summary {
  const counts = new Map<Outcome, number>();
  for (const { details } of cases) {
    if (details.kind === 'skipped' && details.filtered) continue;
    counts.set(details.kind, (counts.get(details.kind) ?? 0) + 1);
  }
  return { overall: heaviest(cases.map(({ details }) => details.kind)), count: total(counts), counts };
}

/** Sums the counts of suites. */
export function addSummaries(summaries: readonly Summary[]): Summary {
  const counts = new Map(
    OUTCOMES.map((outcome) => [outcome, summaries.reduce((sum, own) => sum + (own.counts.get(outcome) ?? 0), 0)]),
  );
  return { overall: heaviest(summaries.flatMap(({ overall }) => overall ?? [])), count: total(counts), counts };
}

/** A suite without cases. */
export function bare(overall: Outcome): Summary {
  return { overall, count: 0, counts: new Map() };
}

function heaviest(outcomes: readonly Outcome[]): Outcome | undefined {
  return OUTCOMES.findLast((outcome) => outcomes.includes(outcome));
}

function total(counts: ReadonlyMap<Outcome, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** A pair of principal and resource in a test: their keys and fixtures. */
interface Pair extends Asked {
  readonly test: Test;
  readonly principalKey: string;
  readonly resourceKey: string;
  readonly expected: ReturnType<Expectations>;
}

/**
 * The pairs of a test: all principals with all resources, ordered by principal (docs/spec/server.md#how-tests-run).
 * Throws an InvalidSuite.
 */
function listPairs(
  test: Test,
  suite: Suite,
  { names, now }: { readonly names: Names } & Pick<CallOptions, 'now'>,
): readonly Pair[] {
  const principals = names.principals(test.input.principals);
  const resources = names.resources(test.input.resources);
  const expectations = mergeExpectations(test, names, { principals, resources });
  const options = test.options ?? suite.options ?? DEFAULTS;
  return principals.flatMap((principalKey) =>
    resources.map((resourceKey) => ({
      test,
      principalKey,
      resourceKey,
      principal: names.principal(principalKey, test.input.principals),
      resource: names.resource(resourceKey, test.input.resources),
      auxData: test.input.auxData === undefined ? undefined : names.auxData(test.input.auxData),
      options: { ...options, now: options.now ?? now },
      ...(test.unknown.size > 0 && { unknown: test.unknown }),
      expected: expectations(principalKey, resourceKey),
    })),
  );
}

const DEFAULTS: TestOptions = {
  now: undefined,
  defaultPolicyVersion: undefined,
  defaultScope: undefined,
  lenientScopeSearch: false,
  strictEvaluation: false,
  globals: {},
};
