import * as cel from '../cel/index.js';
import { call } from './call.js';
import { allOf, anyOf, noneOf, not } from './condition.js';
import { isWritable } from './problem.js';
import { isReadable } from './selection.js';
import { type Condition, failed, isKnown, operandsOf, type Term, Unknown } from './term.js';
import { holds, isFalse } from './truth.js';

/**
 * The result of a condition in strict evaluation, where one that cannot be evaluated denies
 * (docs/spec/policy-language.md#results-of-conditions, docs/spec/policy-language.md#strict-evaluation). `holds` is only
 * significant where it `evaluates`.
 */
export interface Attempt {
  readonly holds: Condition;
  readonly evaluates: Condition;
}

/** An expression. A value that is not a boolean evaluates, and does not hold. */
export function attempt(term: Term): Attempt {
  return { holds: holds(term), evaluates: evaluates(term) };
}

/** `all`: evaluated up to the first operand that does not hold. */
export function attemptAll(...attempts: readonly Attempt[]): Attempt {
  return { holds: allOf(...attempts.map((one) => one.holds)), evaluates: inOrder(attempts, not) };
}

/** `any`: evaluated up to the first operand that holds. */
export function attemptAny(...attempts: readonly Attempt[]): Attempt {
  return { holds: anyOf(...attempts.map((one) => one.holds)), evaluates: inOrder(attempts, itself) };
}

/** `none`: evaluated up to the first operand that holds. */
export function attemptNone(...attempts: readonly Attempt[]): Attempt {
  return { holds: noneOf(...attempts.map((one) => one.holds)), evaluates: inOrder(attempts, itself) };
}

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
  const [condition, whenTrue, whenFalse] = (operandsOf(term, 'if') ?? []) as [Term?, Term?, Term?];
  if (condition !== undefined) {
    return anyOf(allOf(holds(condition), evaluates(whenTrue)), allOf(isFalse(condition), evaluates(whenFalse)));
  }
  const compared = operandsOf(term, 'eq') ?? operandsOf(term, 'ne');
  if (compared?.every(isRead) === true) return allOf(...compared.map(evaluates));
  // Any value equals itself or does not.
  const tested = sort === 'bool' ? term : call('eq', cel.equals, term, term);
  return anyOf(holds(tested), isFalse(tested));
}

/** Whether an equality with it fails only if the term itself fails: that of an opaque value may fail. */
function isRead(term: Term): boolean {
  return isWritable(term) || (term instanceof Unknown && term.node.kind === 'path');
}
