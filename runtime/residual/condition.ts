import { charge } from '../../packages/cel/runtime/index.js';
import { sameCondition } from './alike.js';
import { distinct } from './distinct.js';
import { likenessOfCondition } from './likeness.js';
import type { Condition } from './term.js';

/** All operands hold; constants are folded, and true ones are omitted (docs/spec/plans.md#outcome-of-a-condition). */
export function allOf(...operands: readonly Condition[]): Condition {
  return joinedConditions('and', operands);
}

/** Any of the operands holds. */
export function anyOf(...operands: readonly Condition[]): Condition {
  return joinedConditions('or', operands);
}

/** Both kinds of junction. */
export function joinedConditions(kind: 'and' | 'or', operands: readonly Condition[]): Condition {
  const absorbing = kind === 'or';
  // Most have two operands, as rules and scopes are joined one by one: no lists are made for them.
  if (operands.length === 2) {
    const [a, b] = operands as readonly [Condition, Condition];
    if (typeof a === 'boolean') return a === absorbing ? a : b;
    if (typeof b === 'boolean') return b === absorbing ? b : a;
    charge(1);
    return sameCondition(a, b) ? a : { kind, operands };
  }
  const open: Condition[] = [];
  for (const operand of operands) {
    if (operand === absorbing) return absorbing;
    if (operand !== !absorbing) open.push(operand);
  }
  const left = open.length < 2 ? open : distinct(open, sameCondition, likenessOfCondition);
  if (left.length === 0) return !absorbing;
  return left.length === 1 ? (left[0] as Condition) : { kind, operands: left };
}

/** None of the operands holds: each separately, as authors read it. */
export function noneOf(...operands: readonly Condition[]): Condition {
  return joinedConditions('and', operands.map(not));
}

/** The two-valued not. */
export function not(operand: Condition): Condition {
  if (typeof operand === 'boolean') return !operand;
  return operand.kind === 'not' ? operand.operand : { kind: 'not', operand };
}

/**
 * A condition without the parts that no filter can express: they make it smaller (it grants less) or larger (it denies
 * more). The first is for an ALLOW, the second for a DENY (docs/spec/plans.md#rules-that-cannot-be-planned).
 */
export function decided(condition: Condition, towards: boolean): Condition {
  return unplannableReason(condition) === undefined ? condition : decidedParts(condition, towards);
}

function decidedParts(condition: Condition, towards: boolean): Condition {
  if (typeof condition === 'boolean') return condition;
  switch (condition.kind) {
    case 'unplannable':
      return towards;
    case 'is':
      return condition;
    case 'not': {
      const operand = decidedParts(condition.operand, !towards);
      return operand === condition.operand ? condition : not(operand);
    }
    case 'and':
    case 'or': {
      const operands = condition.operands.map((operand) => decidedParts(operand, towards));
      return operands.every((operand, position) => operand === condition.operands[position])
        ? condition
        : joinedConditions(condition.kind, operands);
    }
  }
}

/** Why a condition, or a part of it, cannot be sent over the wire; undefined if all of it can. */
export function unplannableReason(condition: Condition): string | undefined {
  if (typeof condition === 'boolean') return undefined;
  switch (condition.kind) {
    case 'unplannable':
      return condition.reason;
    case 'is':
      return undefined;
    case 'not':
      return unplannableReason(condition.operand);
    case 'and':
    case 'or':
      for (const operand of condition.operands) {
        if (typeof operand === 'boolean' || operand.kind === 'is') continue;
        const reason = unplannableReason(operand);
        if (reason !== undefined) return reason;
      }
      return undefined;
  }
}
