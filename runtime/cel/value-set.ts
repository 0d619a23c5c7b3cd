import { equalValues } from './equality.js';
import { charge, chargeMemory } from './meter.js';
import { structureText } from './structure-text.js';
import { Uint, type Value } from './values.js';

/**
 * The elements of a list, to be asked often: membership by CEL equality (docs/spec/conditions.md#equality) without
 * going through the list. Elements that may be equal share a bucket, and equality decides inside it: equality of
 * numbers through double is not transitive, so no key could decide alone.
 */
export class ValueSet {
  readonly #buckets = new Map<string | number, Value[]>();

  constructor(elements: readonly Value[]) {
    for (const element of elements) this.#add(keyOf(element), element);
  }

  /** Adds a value that no element equals; false: one does. */
  addNew(x: Value): boolean {
    const key = keyOf(x);
    if (this.#has(key, x)) return false;
    this.#add(key, x);
    return true;
  }

  /** Whether some element equals x, with x on the left. */
  has(x: Value): boolean {
    return this.#has(keyOf(x), x);
  }

  #add(key: string | number | undefined, element: Value): void {
    const bucket = this.#buckets.get(key ?? OTHERS);
    chargeMemory(BYTES_AN_ELEMENT);
    if (bucket === undefined) this.#buckets.set(key ?? OTHERS, [element]);
    else bucket.push(element);
  }

  #has(key: string | number | undefined, x: Value): boolean {
    if (key === undefined) return Array.from(this.#buckets.values()).some((bucket) => contains(bucket, x));
    const bucket = this.#buckets.get(key);
    return bucket !== undefined && contains(bucket, x);
  }
}

/** An element in a bucket of its own, its key aside. */
const BYTES_AN_ELEMENT = 120;

/** The bucket of values without a key: no text of a structure is like it. */
const OTHERS = '';

// A string has a bucket of its own, as has a number with all that equal the same double; other values share one with
// those of the same structure.
function keyOf(value: Value): string | number | undefined {
  charge(4);
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint ? Number(value.value) : structureText(value);
}

function contains(bucket: readonly Value[], x: Value): boolean {
  charge(2 * bucket.length);
  return bucket.some((element) => equalValues(x, element) === true);
}
