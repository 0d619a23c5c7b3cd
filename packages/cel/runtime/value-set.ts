import { base64Text } from './base64.js';
import { equalValues } from './equality.js';
import { isMap } from './kinds.js';
import { mapEntries } from './maps.js';
import { charge, chargeMemory, chargeText, MAX_DEPTH, tooDeep } from './meter.js';
import {
  Duration,
  type JsonMap,
  Message,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
  type ValueMap,
} from './values.js';

/**
 * The elements of a list, to be asked often: membership by CEL equality (docs/spec/conditions.md#equality) without
 * going through the list. Elements that may be equal share a bucket, and equality decides inside it: equality of
 * numbers through double is not transitive, so no key could decide alone.
 */
export class ValueSet {
  readonly #buckets = new Map<string | number, Value[]>();

  constructor(elements: readonly Value[]) {
    for (const element of elements) this.#add(makeKey(element), element);
  }

  /** Adds a value that no element equals; false: one does. */
  addNew(x: Value): boolean {
    const key = makeKey(x);
    if (this.#has(key, x)) return false;
    this.#add(key, x);
    return true;
  }

  /** Whether some element equals x, with x on the left. */
  has(x: Value): boolean {
    return this.#has(makeKey(x), x);
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

/** An element in its own bucket, without its key. */
const BYTES_AN_ELEMENT = 120;

/** The bucket of values without a key: no text of a structure is like it. */
const OTHERS = '';

// A string has its own bucket, as has a number with all that equal the same double; other values share one with
// those of the same structure.
function makeKey(value: Value): string | number | undefined {
  charge(4);
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint ? Number(value.value) : structureText(value);
}

function contains(bucket: readonly Value[], x: Value): boolean {
  charge(2 * bucket.length);
  return bucket.some((element) => equalValues(x, element) === true);
}

/**
 * A text that equal values share (docs/spec/conditions.md#equality), and few others: numbers by the double they equal,
 * maps whatever the order of their entries. Undefined for values that contain opaque ones, which say themselves what
 * they equal.
 */
function structureText(value: Value): string | undefined {
  return textWithin(MAX_DEPTH, value);
}

function textWithin(depth: number, value: Value): string | undefined {
  charge(10);
  switch (typeof value) {
    case 'string':
      chargeText(value.length);
      return `s${value.length}:${value}`;
    case 'number':
    case 'bigint':
      return numberText(Number(value));
    case 'boolean':
      return value ? 't' : 'f';
    default:
      return value === null ? 'n' : textOfObject(depth, value);
  }
}

// The texts of -0 and 0 are one.
function numberText(value: number): string {
  return `d${value}`;
}

function textOfObject(depth: number, value: Exclude<Value, null>): string | undefined {
  if (depth === 0) tooDeep();
  if (value instanceof Opaque) return undefined;
  if (Array.isArray(value))
    return joined(
      '[',
      value.map((element: Value) => textWithin(depth - 1, element)),
    );
  if (isMap(value)) return textOfMap(depth - 1, value);
  if (value instanceof Uint) return numberText(Number(value.value));
  if (value instanceof Uint8Array) return `x${base64Text(value)}`;
  if (value instanceof Timestamp) return `@${value.seconds}.${value.nanos}`;
  if (value instanceof Duration) return `p${value.nanos}`;
  if (value instanceof TypeValue) return `y${value.name}`;
  if (value instanceof Optional)
    return joined('?', value.value === undefined ? [] : [textWithin(depth - 1, value.value)]);
  if (value instanceof Message) return textOfMap(depth - 1, value.fields);
  return undefined;
}

function textOfMap(depth: number, map: JsonMap | ValueMap): string | undefined {
  const entries: string[] = [];
  for (const [key, value] of mapEntries(map)) {
    const entry = joined('', [textWithin(depth, key), textWithin(depth, value)]);
    if (entry === undefined) return undefined;
    charge(20);
    entries.push(entry);
  }
  return joined('{', entries.sort());
}

/** Undefined when one of them is. Each text says where it ends, so that no two lists have one text. */
function joined(kind: string, texts: readonly (string | undefined)[]): string | undefined {
  let length = 0;
  for (const text of texts) {
    if (text === undefined) return undefined;
    length += text.length + 1;
  }
  chargeText(length);
  return `${kind}${texts.length}(${texts.join(',')})`;
}
