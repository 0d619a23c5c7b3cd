import { equalValues } from './equality.js';
import { Opaque, Uint, type Value } from './values.js';

/**
 * The elements of a list, to be asked often: membership by CEL equality (conditions.md 3.3) without going through the list.
 * Elements that may be equal share a bucket, and equality decides inside it: equality of numbers through double is
 * not transitive, so no key could decide alone.
 */
export class ValueSet {
  readonly #buckets = new Map<string | number, Value[]>();

  constructor(elements: readonly Value[]) {
    for (const element of elements) this.add(element);
  }

  add(element: Value): void {
    const key = bucketOf(element);
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) this.#buckets.set(key, [element]);
    else bucket.push(element);
  }

  /** Whether some element equals x, with x on the left. */
  has(x: Value): boolean {
    if (x instanceof Opaque) return Array.from(this.#buckets.values()).some((bucket) => contains(bucket, x));
    const bucket = this.#buckets.get(bucketOf(x));
    return bucket !== undefined && contains(bucket, x);
  }
}

// Texts have a bucket each, numbers one for each double they equal, all else one together.
function bucketOf(value: Value): string | number {
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint ? Number(value.value) : '';
}

function contains(bucket: readonly Value[], x: Value): boolean {
  return bucket.some((element) => equalValues(x, element) === true);
}
