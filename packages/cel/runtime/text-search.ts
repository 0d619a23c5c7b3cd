import { charge, chargeMemory } from './meter.js';

/** The first offset of a part at or after `from`, -1 when there is none: as `indexOf`, in time linear in both. */
export function findOffset(text: string, part: string, from: number): number {
  if (!isSlow(text, part)) {
    const found = text.indexOf(part, from);
    const read = found < 0 ? Math.max(text.length - from, 0) : found - from;
    charge((read + part.length) / (part.length > 1 ? 4 : 16) + (read * part.length) / COMPARED_A_STEP);
    return found;
  }
  return search(
    text.length - from,
    part.length,
    (at) => text.charCodeAt(from + at),
    (at) => part.charCodeAt(at),
    from,
  );
}

/** The last offset of a part at or before `from`, -1 when there is none: as `lastIndexOf`, in time linear in both. */
export function findLastOffset(text: string, part: string, from: number): number {
  const end = Math.min(from, text.length - part.length) + part.length;
  if (end < part.length) return -1;
  if (!isSlow(text, part)) {
    charge((text.length * part.length) / 8);
    return text.lastIndexOf(part, from);
  }
  const found = search(
    end,
    part.length,
    (at) => text.charCodeAt(end - 1 - at),
    (at) => part.charCodeAt(part.length - 1 - at),
    0,
  );
  return found < 0 ? -1 : end - part.length - found;
}

/** The search of JavaScript engines may compare each place of the text with much of the part. */
function isSlow(text: string, part: string): boolean {
  return part.length > LONG_PART && text.length > LONG_TEXT;
}

/** Units of the text, times units of the part, where each place is compared with half of a part. */
const COMPARED_A_STEP = 128;

const LONG_PART = 8;
const LONG_TEXT = 4096;

/** The search of Knuth, Morris and Pratt: where the part begins, counted from `base`. */
function search(
  size: number,
  partSize: number,
  unitAt: (at: number) => number,
  partAt: (at: number) => number,
  base: number,
): number {
  if (size < partSize) return -1;
  charge(size + 2 * partSize);
  chargeMemory(4 * partSize);
  const borders = computeBorders(partSize, partAt);
  let matched = 0;
  for (let at = 0; at < size; at++) {
    const unit = unitAt(at);
    while (matched > 0 && partAt(matched) !== unit) matched = borders[matched - 1] as number;
    if (partAt(matched) === unit) matched++;
    if (matched === partSize) return base + at + 1 - partSize;
  }
  return -1;
}

/** Computes, for each prefix of the part, the length of the longest proper prefix of it that is also its suffix. */
function computeBorders(size: number, partAt: (at: number) => number): Uint32Array {
  const borders = new Uint32Array(size);
  let border = 0;
  for (let at = 1; at < size; at++) {
    const unit = partAt(at);
    while (border > 0 && partAt(border) !== unit) border = borders[border - 1] as number;
    if (partAt(border) === unit) border++;
    borders[at] = border;
  }
  return borders;
}
