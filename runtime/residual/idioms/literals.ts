import { expression, type Operand, matchOperands } from '../operand.js';
import { allOf, anyOf, readConstant, guarded, isReadable } from './operands.js';
import { readLambda, substituted } from './substitution.js';

/** A quantifier over the parts of a list literal, as tests of them; the literal fails if a part does. */
export function overLiteral(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  const [first, second] = operands as [Operand, Operand];
  switch (operator) {
    case 'exists':
    case 'all': {
      const [parts, lambda] = [matchOperands(first, 'list'), readLambda(second)];
      const each = lambda && parts?.map((part) => substituted(lambda.body, lambda.name, part));
      if (parts === undefined || each === undefined || each.includes(undefined)) return undefined;
      return whereRead(parts, (operator === 'exists' ? anyOf : allOf)(...(each as Operand[])));
    }
    case 'hasIntersection':
    case 'has_intersection':
    case 'sets.intersects': {
      const [list, other] = matchOperands(first, 'list') === undefined ? [second, first] : [first, second];
      const parts = matchOperands(list, 'list');
      if (parts === undefined || !Array.isArray(readConstant(other))) return undefined;
      return whereRead(parts, anyOf(...parts.map((part) => expression('in', part, other))));
    }
    default:
      return undefined;
  }
}

/** `x in [R.attr.y, R.attr.z]`, as equalities. */
export function amongLiteral(operand: Operand): Operand | undefined {
  const [element, list] = matchOperands(operand, 'in') ?? [];
  const parts = list && matchOperands(list, 'list');
  if (element === undefined || parts === undefined) return undefined;
  return whereRead([element, ...parts], anyOf(...parts.map((part) => expression('eq', element, part))));
}

function whereRead(parts: readonly Operand[], test: Operand): Operand {
  return guarded(allOf(...parts.map(isReadable)), test);
}

/** A quantifier over one of two lists, as a choice between two quantifiers. */
export function overChoice(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  if (operator !== 'exists' && operator !== 'all' && operator !== 'exists_one') return undefined;
  const [range, lambda] = operands as [Operand, Operand];
  const [condition, whenTrue, whenFalse] = matchOperands(range, 'if') ?? [];
  if (condition === undefined || whenTrue === undefined || whenFalse === undefined) return undefined;
  return expression('if', condition, expression(operator, whenTrue, lambda), expression(operator, whenFalse, lambda));
}

/** A quantifier over a list without elements; undefined for any other operand. */
export function overEmpty(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  const range = readConstant(operands[0]);
  if (!Array.isArray(range) || range.length > 0) return undefined;
  if (operator === 'all') return { value: true };
  return operator === 'exists' || operator === 'exists_one' ? { value: false } : undefined;
}
