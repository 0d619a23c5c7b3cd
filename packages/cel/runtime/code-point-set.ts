/** A set of code points as sorted, disjoint, non-adjacent ranges, both ends inside. */
export type CodePointSet = readonly (readonly [low: number, high: number])[];

/** The last code point. */
const LAST = 0x10ffff;

/** The union of any ranges, brought into order. */
export function mergeRanges(ranges: CodePointSet): CodePointSet {
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
export function complement(set: CodePointSet): CodePointSet {
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

/** Whether a code point is in the set. */
export function contains(set: CodePointSet, code: number): boolean {
  return set.some(([low, high]) => low <= code && code <= high);
}

/** The set as a RegExp with the flag `u` has it: a class, or the code point alone. */
export function setText(set: CodePointSet): string {
  const [only] = set;
  if (set.length === 1 && only !== undefined && only[0] === only[1]) return escaped(only[0]);
  return `[${set.map(([low, high]) => (low === high ? escaped(low) : `${escaped(low)}-${escaped(high)}`)).join('')}]`;
}

/** Letters and digits stand for themselves, so that a RegExp can be read. */
function escaped(code: number): string {
  const char = String.fromCodePoint(code);
  return /^[a-zA-Z0-9]$/.test(char) ? char : `\\u{${code.toString(16)}}`;
}
