/** The last double that passes, if all before it do; undefined if none does. Columns may have infinite values. */
export function lastThat(passes: (x: number) => boolean): number | undefined {
  const [lowest, highest] = [toOrdinal(Number.NEGATIVE_INFINITY), toOrdinal(Number.POSITIVE_INFINITY)];
  if (!passes(Number.NEGATIVE_INFINITY)) return undefined;
  let [known, open] = [lowest, highest + 1n];
  while (open - known > 1n) {
    const middle = known + (open - known) / 2n;
    if (passes(doubleAt(middle))) known = middle;
    else open = middle;
  }
  return doubleAt(known);
}

/** Maps doubles to integers in the same order. */
function toOrdinal(double: number): bigint {
  const bits = new BigInt64Array(new Float64Array([double]).buffer)[0] as bigint;
  return bits >= 0n ? bits : -(bits & MAGNITUDE);
}

function doubleAt(ordinal: bigint): number {
  const bits = ordinal >= 0n ? ordinal : -ordinal | SIGN;
  return new Float64Array(new BigUint64Array([bits]).buffer)[0] as number;
}

const MAGNITUDE = 0x7fff_ffff_ffff_ffffn;
const SIGN = 0x8000_0000_0000_0000n;
