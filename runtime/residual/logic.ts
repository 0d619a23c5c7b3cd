import * as cel from '../../packages/cel/runtime/index.js';
import { sortOfTerm } from './numbers.js';
import { sameTerm } from './alike.js';
import { isKnown, isUnplannable, kept, matchOperands, getResult, type Term, Unknown } from './term.js';

/**
 * `a && b`: false decides regardless of the other operand; a failure is kept together with an unknown operand
 * (docs/spec/plans.md#differences-from-cerbos, docs/spec/plans.md#d-13-errors-beside-unknowns).
 */
export function and(a: Term, b: Term): Term {
  return joined('and', a, b, false);
}

/** `a || b`. */
export function or(a: Term, b: Term): Term {
  return joined('or', a, b, true);
}

/** `!a`, CEL's own: it fails where `a` does. */
export function complement(a: Term): Term {
  if (isKnown(a)) return cel.not(getResult(a));
  return isUnplannable(a) ? a : kept('not', [tested(a)]);
}

/**
 * The operand of `!!a`, or the term itself: both are equivalent, failures included, if a term is only tested. They are
 * not if its value counts: only `a` may have one that is not a boolean.
 */
export function tested(term: Term): Term {
  const operand = matchOperands(matchOperands(term, 'not')?.[0], 'not')?.[0];
  if (operand === undefined || !(term instanceof Unknown)) return term;
  if (term.reference === undefined || !(operand instanceof Unknown)) return operand;
  return new Unknown(operand.node, operand.sort, term.reference);
}

/** `c ? a : b`. */
export function conditional(condition: Term, whenTrue: Term, whenFalse: Term): Term {
  if (isKnown(condition)) {
    const known = getResult(condition);
    if (known === true) return whenTrue;
    return known === false ? whenFalse : cel.conditional(known, null, null);
  }
  if (isUnplannable(condition)) return condition;
  return kept('if', [tested(condition), whenTrue, whenFalse], sameSort(whenTrue, whenFalse));
}

function joined(operator: 'and' | 'or', a: Term, b: Term, decisive: boolean): Term {
  if (a === decisive || b === decisive) return decisive;
  const left = requireBoolean(a);
  const right = requireBoolean(b);
  if (left === !decisive) return asBoolean(right);
  if (right === !decisive) return asBoolean(left);
  if (isKnown(left) && isKnown(right))
    return (operator === 'and' ? cel.and : cel.or)(getResult(left), getResult(right));
  return sameTerm(left, right) ? asBoolean(left) : kept(operator, [left, right]);
}

/** A known operand that is not a boolean is a failure. */
function requireBoolean(term: Term): Term {
  if (!isKnown(term)) return tested(term);
  const known = getResult(term);
  return typeof known === 'boolean' ? known : cel.and(known, true);
}

/** `x || false` is `x` where `x` is a boolean, and a failure where it is not: `!!x`. */
function asBoolean(term: Term): Term {
  if (!(term instanceof Unknown) || term.sort === 'bool' || isUnplannable(term)) return term;
  return new Unknown(kept('not', [kept('not', [term])]).node, 'bool', term.reference);
}

function sameSort(a: Term, b: Term): Unknown['sort'] {
  const sort = sortOfTerm(a);
  return sort === sortOfTerm(b) ? sort : 'other';
}
