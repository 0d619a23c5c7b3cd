import * as cel from '../../packages/cel/runtime/index.js';
import { call } from './call.js';
import { allOf, anyOf, noneOf, not } from './condition.js';
import { isWritable } from './problem.js';
import { isReadable } from './selection.js';
import { type Condition, failed, isKnown, matchOperands, type Term, Unknown } from './term.js';
import { holds, isFalse } from './truth.js';

/**
 * How a condition of a plan is put together: of `holds`, which makes a condition of an expression, and of the junctions
 * of `match` in a policy. Generated filters take it as an argument, so that one filter serves both evaluations.
 */
export interface Algebra<C> {
  holds(term: Term): C;
  allOf(...conditions: readonly C[]): C;
  anyOf(...conditions: readonly C[]): C;
  noneOf(...conditions: readonly C[]): C;
  not(condition: C): C;
}

/** The rows for which a condition holds; one that cannot be evaluated does not. */
export const LENIENT: Algebra<Condition> = { holds, allOf, anyOf, noneOf, not };

/**
 * The result of a condition in strict evaluation, where one that cannot be evaluated denies
 * (docs/spec/policy-language.md#results-of-conditions, docs/spec/policy-language.md#strict-evaluation). `holds` is only
 * significant where it `evaluates`.
 */
export interface Attempt {
  readonly holds: Condition;
  readonly evaluates: Condition;
}

/** The rows for which a condition can be evaluated, and those of them for which it holds. */
export const STRICT: Algebra<Attempt> = {
  /** A value that is not a boolean evaluates, and does not hold. */
  holds: (term) => ({ holds: holds(term), evaluates: evaluates(term) }),
  /** Evaluated up to the first operand that does not hold. */
  allOf: (...attempts) => ({ holds: allOf(...attempts.map((one) => one.holds)), evaluates: inOrder(attempts, not) }),
  /** Evaluated up to the first operand that holds. */
  anyOf: (...attempts) => ({ holds: anyOf(...attempts.map((one) => one.holds)), evaluates: inOrder(attempts, itself) }),
  /** Evaluated up to the first operand that holds. */
  noneOf: (...attempts) => ({
    holds: noneOf(...attempts.map((one) => one.holds)),
    evaluates: inOrder(attempts, itself),
  }),
  not: (attempt) => ({ holds: not(attempt.holds), evaluates: attempt.evaluates }),
};

/** Each operand evaluates, or an earlier one has decided the result. */
function inOrder(attempts: readonly Attempt[], ends: (holds: Condition) => Condition): Condition {
  return attempts.reduceRight<Condition>((rest, one) => allOf(one.evaluates, anyOf(ends(one.holds), rest)), true);
}

function itself(holds: Condition): Condition {
  return holds;
}

/** Where an expression has any value. */
export function evaluates(term: Term): Condition {
  if (isKnown(term)) return !failed(term);
  const { node, sort } = term as Unknown;
  const readable = sort === 'bool' ? undefined : isReadable(term);
  if (readable !== undefined) return holds(readable);
  if (node.kind === 'attributes') return true;
  const [condition, whenTrue, whenFalse] = (matchOperands(term, 'if') ?? []) as [Term?, Term?, Term?];
  if (condition !== undefined) {
    return anyOf(allOf(holds(condition), evaluates(whenTrue)), allOf(isFalse(condition), evaluates(whenFalse)));
  }
  const compared = matchOperands(term, 'eq') ?? matchOperands(term, 'ne');
  if (compared?.every(isRead) === true) return allOf(...compared.map(evaluates));
  // Any value equals itself or does not.
  const tested = sort === 'bool' ? term : call('eq', cel.equals, term, term);
  return anyOf(holds(tested), isFalse(tested));
}

/** Whether an equality with it fails only if the term itself fails: that of an opaque value may fail. */
function isRead(term: Term): boolean {
  return isWritable(term) || (term instanceof Unknown && term.node.kind === 'path');
}
