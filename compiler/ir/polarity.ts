import { append } from '../append.js';
import { mayBeOpaque } from '../../packages/cel/library/opaque.js';
import { isAbout } from './origins.js';
import type { Comparison, Predicate } from './predicate.js';
import type { AuthoredText, Match } from './program.js';
import type { Operator, Value } from './value.js';
import { some } from './visit.js';

/**
 * When does a condition hold? Each leaf is two-valued: an error counts as not holding, and evaluation continues with
 * the rest of the tree (docs/spec/policy-language.md#results-of-conditions).
 */
export function toPredicate(match: Match): Predicate {
  switch (match.kind) {
    case 'expr':
      return holds(match.value, match.expression);
    case 'all':
      return joinAll(match.of.map(toPredicate));
    case 'any':
      return joinAny(match.of.map(toPredicate));
    case 'none':
      return not(joinAny(match.of.map(toPredicate)));
  }
}

/**
 * When is this expression true? It is not true if it fails or has a non-boolean value.
 * @param within the expression that contains the value, for the places of the parts.
 */
export function holds(value: Value, within?: AuthoredText): Predicate {
  return toPolarity(value, true, within);
}

/** When is this expression false? It is not false if it fails or has a non-boolean value. */
export function fails(value: Value, within?: AuthoredText): Predicate {
  return toPolarity(value, false, within);
}

/** Conjunction; true without operands. */
export function joinAll(operands: readonly Predicate[]): Predicate {
  return joined('and', operands);
}

/** Disjunction; false without operands. */
export function joinAny(operands: readonly Predicate[]): Predicate {
  return joined('or', operands);
}

/** Two-valued negation. */
export function not(operand: Predicate): Predicate {
  if (operand.kind === 'constant') return { kind: 'constant', value: !operand.value };
  if (operand.kind === 'not') return operand.operand;
  return { kind: 'not', operand };
}

function joined(kind: 'and' | 'or', operands: readonly Predicate[]): Predicate {
  const absorbing = kind === 'or';
  const flat: Predicate[] = [];
  for (const operand of operands) {
    if (operand.kind === kind) append(flat, operand.operands);
    else if (operand.kind !== 'constant') flat.push(operand);
    else if (operand.value === absorbing) return operand;
  }
  if (flat.length === 0) return { kind: 'constant', value: !absorbing };
  return flat.length === 1 ? (flat[0] as Predicate) : { kind, operands: flat };
}

function toPolarity(value: Value, polarity: boolean, within: AuthoredText | undefined): Predicate {
  return isAbout(predicateAbout(value, polarity, within), value, within);
}

function predicateAbout(value: Value, polarity: boolean, within: AuthoredText | undefined): Predicate {
  switch (value.kind) {
    case 'literal':
      return { kind: 'constant', value: value.value === polarity };
    case 'has':
      return { kind: 'has', operand: value.operand, name: value.name, polarity };
    case 'operator':
      return ofOperator(value, value.operator, value.operands, polarity, within);
    case 'macro':
      return ofMacro(value, polarity, within);
    case 'field':
    case 'part':
    case 'variable':
    case 'constant':
    case 'global':
    case 'local':
    case 'is-set':
    case 'bindings':
    case 'select':
    case 'optional-select':
    case 'index':
    case 'optional-index':
    case 'call':
    case 'list':
    case 'map':
    case 'type-name':
      return { kind: 'is', value, polarity };
  }
}

function ofOperator(
  value: Value,
  operator: Operator,
  operands: readonly Value[],
  polarity: boolean,
  within: AuthoredText | undefined,
): Predicate {
  const [first, second, third] = operands as [Value, Value, Value];
  switch (operator) {
    case 'and':
    case 'or': {
      const parts = [toPolarity(first, polarity, within), toPolarity(second, polarity, within)];
      return (operator === 'and') === polarity ? joinAll(parts) : joinAny(parts);
    }
    case 'not':
      return toPolarity(first, !polarity, within);
    case 'conditional':
      // This evaluates the condition twice; where that could double repeatedly, the value is evaluated once instead.
      if (some(first, isConditional)) return { kind: 'is', value, polarity };
      return joinAny([
        joinAll([holds(first, within), toPolarity(second, polarity, within)]),
        joinAll([fails(first, within), toPolarity(third, polarity, within)]),
      ]);
    case 'equals':
    case 'lessThan':
    case 'atMost':
    case 'greaterThan':
    case 'atLeast':
      return { kind: 'compare', comparison: operator as Comparison, left: first, right: second, polarity };
    case 'notEquals':
      // An `==` that fails, as it may for opaque values, makes `!=` true (docs/spec/conditions.md#equality).
      if (mayBeOpaque(first.type)) return { kind: 'is', value, polarity };
      return { kind: 'compare', comparison: 'equals', left: first, right: second, polarity: !polarity };
    case 'inCollection':
      return { kind: 'in', element: first, collection: second, polarity };
    case 'add':
    case 'subtract':
    case 'multiply':
    case 'divide':
    case 'modulo':
    case 'negate':
      return { kind: 'is', value, polarity };
  }
}

function ofMacro(value: Value & { kind: 'macro' }, polarity: boolean, within: AuthoredText | undefined): Predicate {
  const existential = value.runtime === 'exists' || value.runtime === 'exists2';
  const universal = value.runtime === 'all' || value.runtime === 'all2';
  if (!existential && !universal) return { kind: 'is', value, polarity };
  return {
    kind: 'quantifier',
    quantifier: existential === polarity ? 'some' : 'every',
    range: value.range,
    variables: value.variables,
    body: toPolarity(value.body, polarity, within),
  };
}

function isConditional(value: Value): boolean {
  return value.kind === 'operator' && value.operator === 'conditional';
}
