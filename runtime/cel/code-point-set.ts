/** A set of code points as sorted, disjoint, non-adjacent ranges, both ends inside. */
export type CodePointSet = readonly (readonly [low: number, high: number])[];

/** The last code point. */
const LAST = 0x10ffff;

/** The union of any ranges, brought into order. */
export function unionOf(ranges: CodePointSet): CodePointSet {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [low, high] of sorted) {
    const last = merged[merged.length - 1];
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return merged;
}

/** All code points that are not in the set. */
export function complementOf(set: CodePointSet): CodePointSet {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [low, high] of set) {
    if (low > next) gaps.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= LAST) gaps.push([next, LAST]);
  return gaps;
}

/** Whether two sets have a code point in common. */
export function meet(a: CodePointSet, b: CodePointSet): boolean {
  return a.some(([low, high]) => b.some(([otherLow, otherHigh]) => low <= otherHigh && otherLow <= high));
}

/** The set as a class of a RegExp with the flag `u`. */
export function classText(set: CodePointSet): string {
  const ranges = set.map(([low, high]) => (low === high ? escaped(low) : `${escaped(low)}-${escaped(high)}`));
  return `[${ranges.join('')}]`;
}

function escaped(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
