import { expression, type Operand, matchOperands } from '../operand.js';

/** A name that no variable of some operands has. */
export function freshName(...operands: readonly Operand[]): string {
  const names = new Set<string>();
  for (const operand of operands) collectRoots(operand, names);
  let name = 'e';
  for (let count = 1; names.has(name); count += 1) name = `e${count}`;
  return name;
}

function collectRoots(operand: Operand, names: Set<string>): void {
  if ('variable' in operand) names.add(getRoot(operand.variable));
  if ('expression' in operand) for (const part of operand.expression.operands) collectRoots(part, names);
}

/**
 * An operand with another one in the place of a variable. Undefined if a lambda of the operand would bind a variable of
 * the other one.
 */
export function substituted(operand: Operand, name: string, by: Operand): Operand | undefined {
  if ('value' in operand) return operand;
  if ('variable' in operand) return getRoot(operand.variable) === name ? selected(operand.variable, by) : operand;
  const { operator, operands } = operand.expression;
  if (operator === 'lambda') {
    const bound = operands.flatMap((part) =>
      'variable' in part && !part.variable.includes('.') ? [part.variable] : [],
    );
    if (bound.includes(name)) return operand;
    const free = new Set<string>();
    collectRoots(by, free);
    if (bound.some((one) => free.has(one))) return undefined;
  }
  const parts: Operand[] = [];
  for (const part of operands) {
    const inner = substituted(part, name, by);
    if (inner === undefined) return undefined;
    parts.push(inner);
  }
  return expression(operator, ...parts);
}

/** The fields below a variable, of the operand in its place. */
function selected(variable: string, by: Operand): Operand {
  const [, ...fields] = variable.split('.');
  if (fields.length === 0) return by;
  if ('variable' in by) return { variable: [by.variable, ...fields].join('.') };
  return fields.reduce<Operand>((object, field) => expression('get-field', object, { variable: field }), by);
}

function getRoot(variable: string): string {
  const end = variable.indexOf('.');
  return end === -1 ? variable : variable.slice(0, end);
}

/** The body and the variable of a lambda that has one; undefined for any other lambda. */
export function readLambda(
  operand: Operand | undefined,
): { readonly body: Operand; readonly name: string } | undefined {
  const [body, variable, ...others] = (operand && matchOperands(operand, 'lambda')) ?? [];
  if (body === undefined || variable === undefined || others.length > 0 || !isName(variable)) return undefined;
  return { body, name: variable.variable };
}

/** Whether an operand is a variable without fields. */
export function isName(operand: Operand): operand is { readonly variable: string } {
  return 'variable' in operand && !operand.variable.includes('.');
}
