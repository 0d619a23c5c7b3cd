import type { Answer, Ask } from './ask.js';
import type { Pair } from './expand-test.js';
import type { Dimension, TestFilter } from './filter.js';
import { judgeDecision } from './judge-decision.js';
import type { CaseResult, Details } from './results.js';

/** How tests are run. */
export interface RunOptions {
  readonly ask: Ask;
  readonly filter: TestFilter;
  /** Whether each action is a call of its own. */
  readonly skipBatching: boolean;
  /** Whether it is to be told how decisions came about. */
  readonly traced: boolean;
}

/**
 * Asks the policies about a pair, all actions in one call, and judges what they decide. What a filter leaves out comes
 * last, and is not asked.
 */
export function runPair(
  pair: Pair,
  suiteName: string,
  { ask, filter, skipBatching, traced }: RunOptions,
): readonly CaseResult[] {
  const { test } = pair;
  const reason = reasonToLeaveOut(pair, suiteName, filter);
  const matches = filter.get('action');
  const asked = reason === undefined ? test.input.actions.filter((action) => matches?.(action) ?? true) : [];
  const leftOut = test.input.actions.filter((action) => !asked.includes(action));
  const calls = skipBatching ? asked.map((action) => [action]) : asked.length > 0 ? [asked] : [];
  const ran = test.skip
    ? skippedCases(pair, asked)
    : calls.flatMap((actions) => casesOf(pair, ask({ ...pair, actions, traced })));
  return [
    ...ran,
    ...leftOut.map((action) => caseOf(pair, action, { kind: 'skipped', reason: reason ?? NO_ACTION, filtered: true })),
  ];
}

const NO_ACTION = 'No actions matched the test filter';
const NO_TIME = 'a policy used a time-based condition, but `now` was not provided in the test options';

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
    caseOf(pair, action, { kind: 'skipped', reason: pair.test.skipReason, filtered: false }),
  );
}

function casesOf(pair: Pair, { decisions, missedTime }: Answer): readonly CaseResult[] {
  return decisions.map((decision) => ({
    ...caseOf(
      pair,
      decision.action,
      missedTime ? { kind: 'errored', error: NO_TIME } : judgeDecision(decision, pair.expected),
    ),
    trace: decision.trace,
  }));
}

function caseOf(
  { test, principalKey: principal, resourceKey: resource }: Pair,
  action: string,
  details: Details,
): CaseResult {
  return { test: test.name, principal, resource, action, details, trace: undefined };
}
