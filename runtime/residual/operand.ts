import { charge, type Value } from '../../packages/cel/runtime/index.js';
import { sameList, sameValue } from './alike.js';
import { distinct } from './distinct.js';
import type { Expression, JsonValue, Operand } from './expression.js';
import { likenessOfName, likenessOfTerm, mixed } from './likeness.js';

export type { Expression, JsonValue, Operand } from './expression.js';

/** An operator and its operands. */
export function expression(operator: string, ...operands: readonly Operand[]): Operand {
  return { expression: { operator, operands } };
}

/** The operands of an expression with a given operator. */
export function matchOperands(operand: Operand, operator: string): readonly Operand[] | undefined {
  return 'expression' in operand && operand.expression.operator === operator ? operand.expression.operands : undefined;
}

/** Whether two operands of filters are structurally equal. */
export function sameOperand(a: Operand, b: Operand): boolean {
  if (a === b) return true;
  if ('variable' in a) return 'variable' in b && a.variable === b.variable;
  if ('value' in a) return 'value' in b && sameValue(a.value, b.value);
  if (!('expression' in b)) return false;
  const { expression: one } = a;
  const { expression: other } = b;
  return one.operator === other.operator && sameList(one.operands, other.operands, sameOperand);
}

/** The structural hash of an operand (likeness.ts). */
function likenessOfOperand(operand: Operand): number {
  if ('variable' in operand) return likenessOfTerm(operand.variable);
  if ('value' in operand) return likenessOfTerm(operand.value as Value);
  return likenesses.get(operand) ?? likenessOfExpression(operand.expression);
}

/** Keeps the hash of a frozen operand that many plans have, as callers get operands and an own property would show. */
export function keepLikeness<Kept extends Operand>(operand: Kept): Kept {
  if ('expression' in operand) likenesses.set(operand, likenessOfExpression(operand.expression));
  return operand;
}

const likenesses = /* @__PURE__ */ new WeakMap<Operand, number>();

function likenessOfExpression({ operator, operands }: Expression): number {
  let likeness = likenessOfName(operator, operands.length);
  for (const part of operands) likeness = mixed(likeness, likenessOfOperand(part));
  return likeness;
}

/** The shapes of filters: those of the reference, or flat and without repetitions (docs/spec/plans.md#flat-shapes). */
export type Shapes = 'reference' | 'flat';

/**
 * `and` or `or`: constants are folded, and repeated operands omitted (docs/spec/plans.md#reference-shapes).
 * @param asked whether only its truth counts, or its value.
 */
export function joined(
  operator: 'and' | 'or',
  operands: readonly Operand[],
  shapes: Shapes,
  asked: 'truth' | 'value' = 'truth',
): Operand {
  const absorbing = operator === 'or';
  const left = remaining(shapes === 'flat' ? flattened(operator, operands) : operands, absorbing);
  if (left === undefined) return { value: absorbing };
  const last =
    operator === 'and'
      ? asked === 'truth' || shapes === 'reference'
        ? withoutImpliedPresence(left)
        : left
      : shapes === 'flat'
        ? withMemberships(left)
        : left;
  if (last.length === 0) return { value: !absorbing };
  if (last.length > 1) return { expression: { operator, operands: last } };
  const [only] = last as [Operand];
  return asked === 'truth' || isBoolean(only) ? only : expression('not', expression('not', only));
}

/** The operands without constants and repetitions; undefined if one is the constant that decides. */
function remaining(operands: readonly Operand[], absorbing: boolean): readonly Operand[] | undefined {
  // Most expressions have two operands: no list of distinct ones is made for them.
  if (operands.length === 2) {
    const [first, second] = operands as readonly [Operand, Operand];
    if (!('value' in first || 'value' in second)) {
      charge(1);
      return sameOperand(first, second) ? [first] : operands;
    }
  }
  const open: Operand[] = [];
  for (const operand of operands) {
    const constant = 'value' in operand ? operand.value : undefined;
    if (constant === absorbing) return undefined;
    if (constant !== !absorbing) open.push(operand);
  }
  return distinct(open, sameOperand, likenessOfOperand);
}

/** The operands, with those of nested expressions of the operator in their place. */
function flattened(operator: 'and' | 'or', operands: readonly Operand[]): readonly Operand[] {
  if (!includesOperator(operands, operator)) return operands;
  return operands.flatMap((operand) => matchOperands(operand, operator) ?? [operand]);
}

function includesOperator(operands: readonly Operand[], operator: string): boolean {
  for (const operand of operands) if ('expression' in operand && operand.expression.operator === operator) return true;
  return false;
}

/**
 * CEL's `!`: it fails if its operand does. `!!x` is `x` if only its truth counts; if its value does, it fails unless
 * `x` is a boolean.
 * @param asked whether only its truth counts, or its value.
 */
export function complement(operand: Operand, shapes: Shapes, asked: 'truth' | 'value' = 'truth'): Operand {
  if ('value' in operand && typeof operand.value === 'boolean') return { value: !operand.value };
  const [inner] = (shapes === 'flat' ? matchOperands(operand, 'not') : undefined) ?? [];
  return inner !== undefined && (asked === 'truth' || isBoolean(inner)) ? inner : expression('not', operand);
}

/** Whether an operand is a boolean whenever it has a value, by its operator alone. */
export function isBoolean(operand: Operand): boolean {
  return 'expression' in operand && BOOLEAN.has(operand.expression.operator);
}

const BOOLEAN: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'unless',
  'has',
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'in',
  'exists',
  'all',
  'exists_one',
]);

/**
 * `has(x)` is redundant beside an operand that is only true if x is present, except that without x the result is false
 * rather than a failure. `or(c, not(has(x)))` is equivalent to `c` there.
 */
function withoutImpliedPresence(all: readonly Operand[]): readonly Operand[] {
  const operands = includesOperator(all, 'or') ? withoutImpliedAbsences(all) : all;
  if (!includesOperator(operands, 'has')) return operands;
  const implies = witnesses(operands, (other, variable) => needs(other, variable, true));
  return operands.filter((operand) => {
    const [tested] = matchOperands(operand, 'has') ?? [];
    if (tested === undefined || !('variable' in tested)) return true;
    return !implies(tested.variable, operand);
  });
}

/** Whether an operand other than a given one passes a test for a variable. */
type Witnesses = (variable: string, except: Operand) => boolean;

/** Two operands that pass are enough to know whether one other than a given operand does. */
function witnesses(operands: readonly Operand[], passes: (operand: Operand, variable: string) => boolean): Witnesses {
  const known = new Map<string, readonly Operand[]>();
  return (variable, except) => {
    let found = known.get(variable);
    if (found === undefined) {
      charge(4 * operands.length);
      const two: Operand[] = [];
      for (const operand of operands) if (two.length < 2 && passes(operand, variable)) two.push(operand);
      found = two;
      known.set(variable, found);
    }
    return found.some((operand) => operand !== except);
  };
}

function withoutImpliedAbsences(operands: readonly Operand[]): readonly Operand[] {
  const implies = witnesses(operands, (other, variable) => isPresence(other, variable) || needs(other, variable, true));
  return operands.map((operand) => withoutImpliedAbsence(operand, implies));
}

function withoutImpliedAbsence(operand: Operand, implies: Witnesses): Operand {
  const parts = matchOperands(operand, 'or');
  if (parts === undefined) return operand;
  const left = parts.filter((part) => {
    const [tested] = matchOperands(matchOperands(part, 'not')?.[0] ?? part, 'has') ?? [];
    const isAbsence = matchOperands(part, 'not') !== undefined && tested !== undefined && 'variable' in tested;
    return !isAbsence || !implies(tested.variable, operand);
  });
  if (left.length === parts.length) return operand;
  return left.length === 1 ? (left[0] as Operand) : expression('or', ...left);
}

function isPresence(operand: Operand, variable: string): boolean {
  const [tested] = matchOperands(operand, 'has') ?? [];
  return tested !== undefined && 'variable' in tested && tested.variable === variable;
}

/** Whether an operand can only be `outcome` if a variable can be read. */
function needs(operand: Operand, variable: string, outcome: boolean): boolean {
  if ('value' in operand) return false;
  if ('variable' in operand) return operand.variable === variable || operand.variable.startsWith(`${variable}.`);
  const { operator, operands } = operand.expression;
  switch (operator) {
    case 'and':
    case 'or':
      return (operator === 'and') === outcome
        ? operands.some((part) => needs(part, variable, outcome))
        : operands.every((part) => needs(part, variable, outcome));
    case 'not':
      return operands.some((part) => needs(part, variable, !outcome));
    case 'has':
      return operands.some((part) => 'variable' in part && part.variable.startsWith(`${variable}.`));
    case 'unless':
    case 'lambda':
      return false;
    case 'if': {
      const [condition, whenTrue, whenFalse] = operands as [Operand, Operand, Operand];
      const always = needs(condition, variable, true) && needs(condition, variable, false);
      return always || (needs(whenTrue, variable, outcome) && needs(whenFalse, variable, outcome));
    }
    default:
      return operands.some((part) => needs(part, variable, true) && needs(part, variable, false));
  }
}

/** `x == "a" || x == "b"` is `x in ["a", "b"]`. */
function withMemberships(operands: readonly Operand[]): readonly Operand[] {
  const memberships = operands.map(readMembership);
  if (!areJoined(memberships)) return operands;
  const valuesOf = new Map<string, Set<JsonValue>>();
  for (const one of memberships) {
    if (one === undefined) continue;
    const values = valuesOf.get(one.variable) ?? new Set();
    valuesOf.set(one.variable, values);
    for (const value of one.values) values.add(value);
    charge(one.values.length);
  }
  const written = new Set<string>();
  return operands.flatMap((operand, position) => {
    const variable = memberships[position]?.variable;
    const values = variable === undefined ? undefined : valuesOf.get(variable);
    if (variable === undefined || values === undefined || values.size < 2) return [operand];
    if (written.has(variable)) return [];
    written.add(variable);
    return [expression('in', { variable }, { value: [...values] })];
  });
}

/** Whether a variable is compared twice, or with a list. */
function areJoined(memberships: readonly (Membership | undefined)[]): boolean {
  const variables = new Set<string>();
  for (const one of memberships) {
    if (one === undefined) continue;
    if (one.isList || variables.has(one.variable)) return true;
    variables.add(one.variable);
  }
  return false;
}

interface Membership {
  readonly variable: string;
  readonly values: readonly JsonValue[];
  readonly isList: boolean;
}

/** Except null: stores read it in different ways (docs/spec/plans.md#null-and-missing-attributes). */
function readMembership(operand: Operand): Membership | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  if (operator !== 'eq' && operator !== 'in') return undefined;
  const [left, right] = operands as [Operand, Operand];
  if ('variable' in left && 'value' in right) {
    if (operator === 'eq')
      return isScalar(right.value) ? { variable: left.variable, values: [right.value], isList: false } : undefined;
    return Array.isArray(right.value) && right.value.every(isScalar)
      ? { variable: left.variable, values: right.value, isList: true }
      : undefined;
  }
  if (operator === 'eq' && 'variable' in right && 'value' in left && isScalar(left.value))
    return { variable: right.variable, values: [left.value], isList: false };
  return undefined;
}

function isScalar(value: JsonValue): boolean {
  return value !== null && typeof value !== 'object';
}
