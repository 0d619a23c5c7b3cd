import { alike } from './term.js';

/** A node of a filter as adapters read it (planner.md 1.3). */
export type Operand =
  /** Any JSON. */
  | { readonly value: JsonValue }
  /** `request.resource.attr.x`, or the variable of a lambda and what is selected from it. */
  | { readonly variable: string }
  | { readonly expression: Expression };

export interface Expression {
  readonly operator: string;
  readonly operands: readonly Operand[];
}

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/** An operator and its operands. */
export function expression(operator: string, ...operands: readonly Operand[]): Operand {
  return { expression: { operator, operands } };
}

/** The operands of an operand that is a certain operator. */
export function operandsOf(operand: Operand, operator: string): readonly Operand[] | undefined {
  return 'expression' in operand && operand.expression.operator === operator ? operand.expression.operands : undefined;
}

/** Whether an operand is a certain constant. */
export function isConstant(operand: Operand, value: boolean): boolean {
  return 'value' in operand && operand.value === value;
}

/** How filters are shaped: as the reference shapes them, or flat and without what repeats (planner.md 4, 8.3). */
export type Shapes = 'reference' | 'flat';

/**
 * `and` or `or`: constants decide or go, what is there already is left out (planner.md 4, rules 2 and 3).
 *
 * @param asked whether only its being true counts, or its value.
 */
export function joined(operator: 'and' | 'or', operands: readonly Operand[], shapes: Shapes, asked: 'truth' | 'value' = 'truth'): Operand {
  const absorbing = operator === 'or';
  const left: Operand[] = [];
  for (const operand of operands) {
    for (const part of shapes === 'flat' ? (operandsOf(operand, operator) ?? [operand]) : [operand]) {
      if (isConstant(part, absorbing)) return part;
      if (!isConstant(part, !absorbing) && !left.some((known) => alike(known, part))) left.push(part);
    }
  }
  const last = operator === 'and' ? (asked === 'truth' || shapes === 'reference' ? withoutImpliedPresence(left) : left) : shapes === 'flat' ? withMemberships(left) : left;
  if (last.length === 0) return { value: !absorbing };
  return last.length === 1 ? (last[0] as Operand) : expression(operator, ...last);
}

/** CEL's `!`: it fails where its operand does. */
export function complement(operand: Operand, shapes: Shapes): Operand {
  if ('value' in operand && typeof operand.value === 'boolean') return { value: !operand.value };
  const [inner] = (shapes === 'flat' ? operandsOf(operand, 'not') : undefined) ?? [];
  return inner ?? expression('not', operand);
}

/** `has(x)` says nothing beside what is only true where x is there, but that where it is not, all is false. */
function withoutImpliedPresence(operands: readonly Operand[]): readonly Operand[] {
  return operands.filter((operand) => {
    const [tested] = operandsOf(operand, 'has') ?? [];
    if (tested === undefined || !('variable' in tested)) return true;
    return !operands.some((other) => other !== operand && needs(other, tested.variable, true));
  });
}

/** Whether an operand can be `outcome` only where a variable can be read. */
function needs(operand: Operand, variable: string, outcome: boolean): boolean {
  if ('value' in operand) return false;
  if ('variable' in operand) return operand.variable === variable || operand.variable.startsWith(`${variable}.`);
  const { operator, operands } = operand.expression;
  switch (operator) {
    case 'and':
    case 'or':
      return (operator === 'and') === outcome ? operands.some((part) => needs(part, variable, outcome)) : operands.every((part) => needs(part, variable, outcome));
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
  const lists = new Map<string, JsonValue[]>();
  for (const operand of operands) {
    const membership = membershipOf(operand);
    if (membership !== undefined) lists.set(membership.variable, [...(lists.get(membership.variable) ?? []), ...membership.values]);
  }
  const written = new Set<string>();
  return operands.flatMap((operand) => {
    const membership = membershipOf(operand);
    const values = membership && [...new Set(lists.get(membership.variable))];
    if (membership === undefined || values === undefined || values.length < 2) return [operand];
    if (written.has(membership.variable)) return [];
    written.add(membership.variable);
    return [expression('in', { variable: membership.variable }, { value: values })];
  });
}

/** Null aside: stores read it in ways of their own (planner.md 6.3). */
function membershipOf(operand: Operand): { readonly variable: string; readonly values: readonly JsonValue[] } | undefined {
  const [left, right] = operandsOf(operand, 'eq') ?? operandsOf(operand, 'in') ?? [];
  if (left === undefined || right === undefined) return undefined;
  const isEquality = operandsOf(operand, 'eq') !== undefined;
  if ('variable' in left && 'value' in right) {
    const values = isEquality ? [right.value] : (right.value as readonly JsonValue[]);
    return Array.isArray(values) && values.every(isScalar) ? { variable: left.variable, values } : undefined;
  }
  if (isEquality && 'variable' in right && 'value' in left && isScalar(left.value)) return { variable: right.variable, values: [left.value] };
  return undefined;
}

function isScalar(value: JsonValue): boolean {
  return value !== null && typeof value !== 'object';
}
