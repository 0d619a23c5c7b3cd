import { toText } from '../../../packages/cel/runtime/index.js';
import { expression, type Operand, matchOperands } from '../operand.js';
import { allOf, type Comparison, FAILS, FALSE, guarded, isOfType, listComparisons, not, unread } from './operands.js';
import { bounded } from './numbers.js';

/** `string(x)`, `int(x)` and `double(x)` compared with a constant, by the types that `x` may have. */
export function asConverted(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  for (const { comparison, left, right } of listComparisons(operand.expression)) {
    if (!('value' in right)) continue;
    const found =
      equalText(left, comparison, right.value) ??
      (typeof right.value === 'number' ? asInteger(left, comparison, right.value) : undefined) ??
      asDouble(left, comparison, right);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `string(x) == "12"`: the string, or the number or the boolean that is written so. */
function equalText(operand: Operand, comparison: Comparison, text: unknown): Operand | undefined {
  const [of] = matchOperands(operand, 'string') ?? [];
  if (of === undefined || 'value' in of || typeof text !== 'string') return undefined;
  if (comparison !== 'eq' && comparison !== 'ne') return undefined;
  const number = Number(text);
  // Check tells 0 from -0, and JSON does not.
  if (Object.is(Math.abs(number), 0) && text !== '') return undefined;
  const is = (value: string | number | boolean): Operand => expression('eq', of, { value });
  const isNumber = text !== '' && Number.isFinite(number) && toText(number) === text ? is(number) : FALSE;
  const isBoolean = text === 'true' || text === 'false' ? is(text === 'true') : FALSE;
  const isEqual = ofType(of, [
    ['string', is(text)],
    ['double', isNumber],
    ['bool', isBoolean],
  ]);
  return comparison === 'eq' ? isEqual : not(isEqual);
}

/** `int(x) < 12`: a number without its fraction. */
function asInteger(operand: Operand, comparison: Comparison, constant: number): Operand | undefined {
  const [of] = matchOperands(operand, 'int') ?? [];
  if (of === undefined || 'value' in of || !isRead(of)) return undefined;
  const isInRange = allOf(expression('gt', of, { value: -(2 ** 63) }), expression('lt', of, { value: 2 ** 63 }));
  const test = bounded({ of, apply: Math.trunc, falls: false }, comparison, constant);
  return ofType(of, [
    ['double', guarded(isInRange, test)],
    ['string', unread('int')],
  ]);
}

/** `double(x) < 1.5`: a number is one already. */
function asDouble(operand: Operand, comparison: Comparison, constant: Operand): Operand | undefined {
  const [of] = matchOperands(operand, 'double') ?? [];
  if (of === undefined || 'value' in of || !isRead(of)) return undefined;
  return ofType(of, [
    ['double', expression(comparison, of, constant)],
    ['string', unread('double')],
  ]);
}

/** A test for each type that a value may have; for other types it fails. */
function ofType(of: Operand, tests: readonly (readonly [type: string, test: Operand])[]): Operand {
  return tests.reduceRight<Operand>((rest, [type, test]) => expression('if', isOfType(of, type), test, rest), FAILS);
}

/** Whether an operand is an attribute or a field, whose numbers are doubles. */
function isRead(operand: Operand): boolean {
  return 'variable' in operand || matchOperands(operand, 'get-field') !== undefined;
}
