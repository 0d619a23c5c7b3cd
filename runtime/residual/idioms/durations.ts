import { Duration, exactDurationText, MAX_NANOS, MIN_NANOS } from '../../../packages/cel/runtime/index.js';
import { expression, type Operand, matchOperands } from '../operand.js';
import { allOf, type Comparison, listComparisons, not, readConstant } from './operands.js';

/** Nanoseconds. */
const UNITS: { readonly [accessor: string]: bigint } = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
};

/** `(now() - timestamp(x)).getHours() < 24`: whole units of a duration, as a comparison of the duration. */
export function asDurationBounds(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  for (const { comparison, left, right } of listComparisons(operand.expression)) {
    if (!('expression' in left) || !Object.hasOwn(UNITS, left.expression.operator)) continue;
    const [duration, ...zone] = left.expression.operands;
    const count = readConstant(right);
    if (duration === undefined || zone.length > 0 || !isDuration(duration) || !Number.isSafeInteger(count)) continue;
    return inUnits(duration, UNITS[left.expression.operator] as bigint, comparison, BigInt(count as number));
  }
  return undefined;
}

/** Units are cut off toward zero. */
function inUnits(duration: Operand, unit: bigint, comparison: Comparison, count: bigint): Operand | undefined {
  const isLeast = (least: bigint): Operand | undefined => {
    const nanos = least > 0n ? least * unit : (least - 1n) * unit;
    if (nanos > MAX_NANOS || nanos < MIN_NANOS) return undefined;
    const bound = expression('duration', { value: exactDurationText(new Duration(nanos)) });
    return expression(least > 0n ? 'ge' : 'gt', duration, bound);
  };
  const [least, more] = [isLeast(count), isLeast(count + 1n)];
  if (least === undefined || more === undefined) return undefined;
  switch (comparison) {
    case 'ge':
      return least;
    case 'gt':
      return more;
    case 'lt':
      return not(least);
    case 'le':
      return not(more);
    case 'eq':
      return allOf(least, not(more));
    case 'ne':
      return not(allOf(least, not(more)));
  }
}

/** Whether an operand is the time between two others. */
function isDuration(operand: Operand): boolean {
  return matchOperands(operand, 'sub')?.every((time) => matchOperands(time, 'timestamp') !== undefined) === true;
}
