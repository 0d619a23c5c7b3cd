import * as cel from '../cel/index.js';
import { sortOfTerm } from './numbers.js';
import { sameTerm } from './alike.js';
import { isKnown, isUnplannable, kept, resultOf, type Term, Unknown } from './term.js';

/** `a && b`: false decides whatever the other is; a failure stays beside what is unknown (planner.md 8.2, D-13). */
export function and(a: Term, b: Term): Term {
  return joined('and', a, b, false);
}

/** `a || b`. */
export function or(a: Term, b: Term): Term {
  return joined('or', a, b, true);
}

/** `!a`, CEL's own: it fails where `a` does. */
export function complement(a: Term): Term {
  if (isKnown(a)) return cel.not(resultOf(a));
  return isUnplannable(a) ? a : kept('not', [a]);
}

/** `c ? a : b`. */
export function conditional(condition: Term, whenTrue: Term, whenFalse: Term): Term {
  if (isKnown(condition)) {
    const known = resultOf(condition);
    if (known === true) return whenTrue;
    return known === false ? whenFalse : cel.conditional(known, null, null);
  }
  if (isUnplannable(condition)) return condition;
  return kept('if', [condition, whenTrue, whenFalse], sameSort(whenTrue, whenFalse));
}

function joined(operator: 'and' | 'or', a: Term, b: Term, decisive: boolean): Term {
  if (a === decisive || b === decisive) return decisive;
  const left = operandOf(a);
  const right = operandOf(b);
  if (left === !decisive) return asBoolean(right);
  if (right === !decisive) return asBoolean(left);
  if (isKnown(left) && isKnown(right)) return (operator === 'and' ? cel.and : cel.or)(resultOf(left), resultOf(right));
  return sameTerm(left, right) ? asBoolean(left) : kept(operator, [left, right]);
}

/** A known operand that is no boolean is a failure. */
function operandOf(term: Term): Term {
  if (!isKnown(term)) return term;
  const known = resultOf(term);
  return typeof known === 'boolean' ? known : cel.and(known, true);
}

/** `x || false` is x, but fails where x is no boolean: only strict evaluation can tell. */
function asBoolean(term: Term): Term {
  return term instanceof Unknown && term.sort !== 'bool' && !isUnplannable(term) ? new Unknown(term.node, 'bool', term.reference, term.constant) : term;
}

function sameSort(a: Term, b: Term): Unknown['sort'] {
  const sort = sortOfTerm(a);
  return sort === sortOfTerm(b) ? sort : 'other';
}
