import { keepLikeness } from './operand.js';
import { findProblem } from './problem.js';
import { type Condition, matchOperands, type Term, Unknown } from './term.js';
import { markClean } from './truth.js';
import { writeTerm } from './wire.js';

/** A condition that many plans have: its parts are written once, and frozen, as callers get what is written. */
export function sharedCondition(condition: Condition): Condition {
  if (typeof condition === 'boolean') return condition;
  switch (condition.kind) {
    case 'is':
      sharedTerm(condition.term);
      break;
    case 'not':
      sharedCondition(condition.operand);
      break;
    case 'and':
    case 'or':
      for (const operand of condition.operands) sharedCondition(operand);
      break;
    case 'unplannable':
  }
  return condition;
}

/** A term that many plans have. Parts that become conditions of their own are written by themselves (simplify.ts). */
export function sharedTerm(term: Term): Term {
  if (!(term instanceof Unknown) || findProblem(term) !== undefined) return term;
  markClean(term);
  const parts = matchOperands(term, 'and') ?? matchOperands(term, 'or');
  if (parts === undefined) term.written ??= keepLikeness(frozen(writeTerm(term, 'flat', 'truth')));
  else for (const part of parts) sharedTerm(part);
  return term;
}

function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) frozen(part);
  return Object.freeze(value);
}
