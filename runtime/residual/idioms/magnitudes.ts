import { expression, type Operand, matchOperands } from '../operand.js';
import {
  allOf,
  anyOf,
  type Comparison,
  FALSE,
  guarded,
  isNumber,
  listComparisons,
  not,
  readConstant,
} from './operands.js';

/** The greatest or least of some numbers, or the absolute value of one, compared with a constant. */
export function asMagnitudeTest(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  for (const { comparison, left, right } of listComparisons(operand.expression)) {
    const constant = readConstant(right);
    if (typeof constant !== 'number') continue;
    const found = ofExtreme(left, comparison, constant) ?? ofAbsolute(left, comparison, constant);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `math.greatest(x, y) > 5.0`: one of them is, or all of them are. */
function ofExtreme(operand: Operand, comparison: Comparison, value: number): Operand | undefined {
  const greatest = matchOperands(operand, 'math.@max');
  const parts = greatest ?? matchOperands(operand, 'math.@min');
  const [first] = parts ?? [];
  const numbers = first && parts?.length === 1 ? matchOperands(first, 'list') : parts;
  if (numbers === undefined || numbers.length < 2 || numbers.every((number) => 'value' in number)) return undefined;
  const each = (one: Comparison): readonly Operand[] => numbers.map((number) => expression(one, number, { value }));
  const [beyond, within] = greatest === undefined ? (['lt', 'ge'] as const) : (['gt', 'le'] as const);
  const isEqual = (): Operand => allOf(anyOf(...each('eq')), ...each(within));
  const isTrue =
    comparison === 'eq'
      ? isEqual()
      : comparison === 'ne'
        ? not(isEqual())
        : comparison.startsWith(beyond.charAt(0))
          ? anyOf(...each(comparison))
          : allOf(...each(comparison));
  return guarded(allOf(...numbers.map(isNumber)), isTrue);
}

/** `math.abs(x) < 5.0`. */
function ofAbsolute(operand: Operand, comparison: Comparison, value: number): Operand | undefined {
  const [number] = matchOperands(operand, 'math.abs') ?? [];
  if (number === undefined || 'value' in number) return undefined;
  const [below, above] = [{ value: 0 - value }, { value }];
  switch (comparison) {
    case 'lt':
      return allOf(expression('gt', number, below), expression('lt', number, above));
    case 'le':
      return allOf(expression('ge', number, below), expression('le', number, above));
    case 'gt':
      return anyOf(expression('lt', number, below), expression('gt', number, above));
    case 'ge':
      return anyOf(expression('le', number, below), expression('ge', number, above));
    default: {
      // The absolute value of a number never equals a negative one.
      const isEqual = value < 0 ? FALSE : expression('in', number, { value: [below.value, above.value] });
      return guarded(isNumber(number), comparison === 'eq' ? isEqual : not(isEqual));
    }
  }
}
