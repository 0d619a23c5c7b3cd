import { expression, matchOperands, type Operand } from '../operand.js';
import { asConcatTest } from './concats.js';
import { asConverted } from './conversions.js';
import { asDurationBounds } from './durations.js';
import { asQuantifiers } from './lists.js';
import { amongLiteral, overChoice, overEmpty, overLiteral } from './literals.js';
import { asMagnitudeTest } from './magnitudes.js';
import { asBound } from './numbers.js';
import { anyOf, ofParts, readConstant } from './operands.js';
import { asSetTest, ofSet } from './sets.js';
import { asTextTests } from './texts.js';
import { asTimeBounds } from './times.js';

export { asPathTest } from './hierarchies.js';
export { type Pieces, readPieces } from './texts.js';
export { ROUNDINGS } from './numbers.js';
export { isOfType } from './operands.js';
export { type CountedElements, findCounted, findEmptiness } from './lists.js';

export { type Accessor, type Apart, findApart, readAccessor, readInstant } from './times.js';

/**
 * A test in terms of others that more stores have: lists that `filter` and `map` make as quantifiers, patterns without
 * metacharacters as tests of strings, times as bounds. It is true, false and fails exactly where the operand does. The
 * operand itself if there is no such form.
 */
export function rewritten(operand: Operand): Operand {
  if (!('expression' in operand)) return operand;
  return (
    asQuantifiers(operand) ??
    overLiteral(operand) ??
    overEmpty(operand) ??
    overChoice(operand) ??
    asTimeBounds(operand) ??
    asDurationBounds(operand) ??
    asTextTests(operand) ??
    asConcatTest(operand) ??
    asSetTest(operand) ??
    asMagnitudeTest(operand) ??
    asConverted(operand) ??
    asEqualities(operand) ??
    operand
  );
}

/** `timestamp(x).getFullYear() in [2023, 2024]`: something that is computed, of which the equalities are rewritten. */
function asEqualities(operand: Operand): Operand | undefined {
  const each = listEqualities(operand);
  return each?.some((one) => rewritten(one) !== one) === true ? anyOf(...each) : undefined;
}

function listEqualities(operand: Operand): readonly Operand[] | undefined {
  const [computed, list] = matchOperands(operand, 'in') ?? [];
  const constants = readConstant(list);
  if (computed === undefined || !('expression' in computed) || !Array.isArray(constants)) return undefined;
  return constants.length > MOST_CONSTANTS
    ? undefined
    : constants.map((value) => expression('eq', computed, { value }));
}

/** More constants than this are not compared one by one. */
const MOST_CONSTANTS = 100;

/** Like `rewritten`, for stores whose tests compare one attribute with constants. */
export function rewrittenForStores(operand: Operand): Operand {
  if (!('expression' in operand)) return operand;
  const common = rewritten(operand);
  return common === operand
    ? (amongLiteral(operand) ??
        asBound(operand) ??
        ofParts(operand) ??
        ofSet(operand) ??
        amongComputed(operand) ??
        operand)
    : common;
}

/** Stores compare what is computed with one constant at a time. */
function amongComputed(operand: Operand): Operand | undefined {
  const [first] = matchOperands(operand, 'in') ?? [];
  const isField = first !== undefined && 'expression' in first && FIELDS.has(first.expression.operator);
  const each = isField ? undefined : listEqualities(operand);
  return each === undefined || each.length === 0 ? undefined : anyOf(...each);
}

const FIELDS: ReadonlySet<string> = new Set(['get-field', 'index']);
