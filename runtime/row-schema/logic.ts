import { allOf, anyOf } from '../residual/condition.js';
import { and, complement, or } from '../residual/logic.js';
import { findProblem } from '../residual/problem.js';
import { type Condition, isKnown, getResult, type Term, Unknown, unplannable } from '../residual/term.js';

/*
 * Conditions of schemas. The type of a value is tested before a term about it, so that a term is true or false and
 * CEL's `!` is its exact negation.
 */

/** Where a term is true. */
export function test(term: Term): Condition {
  if (isKnown(term)) return getResult(term) === true;
  const reason = findProblem(term);
  return reason === undefined ? { kind: 'is', term: term as Unknown } : unsayable(reason);
}

/** What no filter can express. */
export function unsayable(reason: string): Condition {
  return { kind: 'unplannable', reason };
}

/** Where a condition of a schema does not hold. An unplannable condition stays unplannable. */
export function negated(condition: Condition): Condition {
  if (typeof condition === 'boolean') return !condition;
  switch (condition.kind) {
    case 'is':
      return test(complement(neverFailing(condition.term)));
    case 'and':
      return anyOf(...condition.operands.map(negated));
    case 'or':
      return allOf(...condition.operands.map(negated));
    case 'not':
      return condition.operand;
    case 'unplannable':
      return condition;
  }
}

/** A comparison that stands for a test of a type in the shapes of the reference fails where the test is false. */
function neverFailing(term: Unknown): Unknown {
  return term.reference === undefined ? term : new Unknown(term.node, term.sort);
}

/** A condition as the body of a lambda. */
export function toBody(condition: Condition): Term {
  if (typeof condition === 'boolean') return condition;
  switch (condition.kind) {
    case 'is':
      return condition.term;
    case 'and':
      return condition.operands.map(toBody).reduceRight((rest, operand) => and(operand, rest));
    case 'or':
      return condition.operands.map(toBody).reduceRight((rest, operand) => or(operand, rest));
    case 'not':
      return complement(toBody(condition.operand));
    case 'unplannable':
      return unplannable(condition.reason);
  }
}
