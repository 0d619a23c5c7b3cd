import type { Decision } from './ask.js';
import type { PairExpectation } from './expectations.js';
import type { Details, ProducedOutput, UnmetOutput } from './results.js';
import { sameJson } from './same-json.js';
import type { ExpectedOutput } from './suite.js';

/**
 * Whether a decision is what is expected (docs/spec/server.md#how-tests-run). Outputs count only when the effect is
 * right; those not listed are ignored.
 */
export function judgeDecision(
  { action, effect: actual, outputs }: Decision,
  expectation: PairExpectation | undefined,
): Details {
  const expected = expectation?.actions.get(action) ?? 'EFFECT_DENY';
  if (actual !== expected) return { kind: 'failed', expected, actual, outputs: [] };
  const listed = [...(expectation?.outputs.get(action)?.values() ?? [])];
  const unmet = listed.flatMap((output) => unmetOutput(output, outputs) ?? []);
  return unmet.length > 0
    ? { kind: 'failed', expected, actual, outputs: unmet }
    : { kind: 'passed', effect: actual, outputs };
}

/** A source may speak several times, through several derived roles: one that says what is expected is enough. */
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
