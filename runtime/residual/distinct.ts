import { charge } from '../../packages/cel/runtime/index.js';

/**
 * Elements in their original order, without those that are equal to an earlier one.
 *
 * @param likenessOf a hash: equal elements have equal hashes.
 */
export function distinct<T>(
  elements: readonly T[],
  same: (a: T, b: T) => boolean,
  likenessOf: (element: T) => number,
): readonly T[] {
  return elements.length <= FEW ? comparedOneByOne(elements, same) : comparedByHash(elements, same, likenessOf);
}

/** Up to this number, elements are compared one by one: that is faster than to sort them first. */
const FEW = 8;

function comparedOneByOne<T>(elements: readonly T[], same: (a: T, b: T) => boolean): readonly T[] {
  charge((elements.length * (elements.length - 1)) / 2);
  const found: T[] = [];
  next: for (const element of elements) {
    for (const known of found) if (same(known, element)) continue next;
    found.push(element);
  }
  return found;
}

/**
 * A table of twice as many places as elements: an element is at the place that its hash says, or at the first one after it that
 * was free.
 */
function comparedByHash<T>(
  elements: readonly T[],
  same: (a: T, b: T) => boolean,
  likenessOf: (element: T) => number,
): readonly T[] {
  const bits = 33 - Math.clz32(elements.length);
  const last = (1 << bits) - 1;
  /** Positions in `found`, beginning at 1; 0 where a place is free. */
  const places = new Int32Array(last + 1);
  const likenesses = new Int32Array(elements.length);
  const found: T[] = [];
  for (const element of elements) {
    const likeness = likenessOf(element);
    let place = Math.imul(likeness, SPREAD) >>> (32 - bits);
    let position = places[place] as number;
    while (position > 0 && !(likenesses[position - 1] === likeness && same(found[position - 1] as T, element))) {
      charge(1);
      place = (place + 1) & last;
      position = places[place] as number;
    }
    if (position > 0) continue;
    likenesses[found.length] = likeness;
    places[place] = found.push(element);
  }
  return found;
}

/** An odd number, near 2³² divided by the golden ratio: similar hashes get places that are apart. */
const SPREAD = 0x9e3779b1;
