import { expression, type Operand } from '../operand.js';
import { lastThat } from '../solutions.js';
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

/** A number that is read, and a function of it that rises or falls. */
interface Shifted {
  readonly of: Operand;
  readonly apply: (value: number) => number;
  readonly falls: boolean;
}

/** `x * 1.2 < 100.0`: arithmetic with constants, solved for the number that is read. */
export function asBound(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  for (const { comparison, left, right } of listComparisons(operand.expression)) {
    const shifted = findShifted(left);
    const constant = readConstant(right);
    if (shifted !== undefined && shifted.of !== left && typeof constant === 'number')
      return bounded(shifted, comparison, constant);
  }
  return undefined;
}

export function bounded(shifted: Shifted, comparison: Comparison, constant: number): Operand {
  const below = (passes: (result: number) => boolean): Operand => findBound(shifted, passes);
  switch (comparison) {
    case 'lt':
      return below((result) => result < constant);
    case 'le':
      return below((result) => result <= constant);
    case 'gt':
      return not(below((result) => result <= constant));
    case 'ge':
      return not(below((result) => result < constant));
    case 'eq':
      return allOf(
        not(below((result) => result < constant)),
        below((result) => result <= constant),
      );
    case 'ne':
      return anyOf(
        below((result) => result < constant),
        not(below((result) => result <= constant)),
      );
  }
}

/** Where results pass, if only the smaller ones do. */
function findBound({ of, apply, falls }: Shifted, passes: (result: number) => boolean): Operand {
  const last = lastThat((x) => passes(apply(falls ? -x : x)));
  if (last === undefined) return guarded(isNumber(of), FALSE);
  if (last === Number.POSITIVE_INFINITY) return isNumber(of);
  // JSON has no infinite numbers.
  if (last === Number.NEGATIVE_INFINITY)
    return falls
      ? expression('gt', of, { value: Number.MAX_VALUE })
      : expression('lt', of, { value: -Number.MAX_VALUE });
  return falls ? expression('ge', of, { value: -last }) : expression('le', of, { value: last });
}

/** Functions that are as monotonic as arithmetic. */
export const ROUNDINGS: { readonly [operator: string]: (x: number) => number } = {
  'math.ceil': Math.ceil,
  'math.floor': Math.floor,
  'math.trunc': Math.trunc,
};

function findShifted(operand: Operand): Shifted | undefined {
  if ('variable' in operand) return { of: operand, apply: (x) => x, falls: false };
  if ('value' in operand) return undefined;
  const { operator, operands } = operand.expression;
  if (operator === 'get-field' || operator === 'index') return { of: operand, apply: (x) => x, falls: false };
  const [first, second] = operands as [Operand, Operand];
  const rounded = Object.hasOwn(ROUNDINGS, operator) ? findShifted(first) : undefined;
  if (rounded !== undefined) {
    const round = ROUNDINGS[operator] as (x: number) => number;
    return { ...rounded, apply: (x) => round(rounded.apply(x)) };
  }
  const isFirst = readConstant(first) !== undefined;
  const constant = readConstant(isFirst ? first : second);
  if (operands.length !== 2 || typeof constant !== 'number') return undefined;
  const inner = findShifted(isFirst ? second : first);
  if (inner === undefined) return undefined;
  const { of, apply, falls } = inner;
  switch (operator) {
    case 'add':
      return { of, falls, apply: (x) => apply(x) + constant };
    case 'sub':
      return isFirst
        ? { of, falls: !falls, apply: (x) => constant - apply(x) }
        : { of, falls, apply: (x) => apply(x) - constant };
    case 'mult':
      return constant === 0
        ? undefined
        : { of, falls: constant < 0 ? !falls : falls, apply: (x) => apply(x) * constant };
    case 'div':
      if (isFirst || constant === 0) return undefined;
      return { of, falls: constant < 0 ? !falls : falls, apply: (x) => apply(x) / constant };
    default:
      return undefined;
  }
}
