import { kindOf } from './kinds.js';
import { charge, chargeList, chargeMemory, chargeRead } from './meter.js';
import { plainDoubleText } from './numbers.js';
import { typeNameOf } from './type-names.js';
import {
  CelError,
  Duration,
  isFailure,
  type JsonMap,
  Optional,
  type Result,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
  ValueMap,
} from './values.js';

/**
 * A map literal (docs/spec/conditions.md#selection-and-indexing): any value may be a key, the last of two equal keys
 * wins, the first failing key or value is the result.
 */
export function mapOf(entries: readonly (readonly [Result, Result])[]): Result {
  const builder = new MapBuilder();
  for (const [key, value] of entries) {
    if (isFailure(key)) return key;
    if (isFailure(value)) return value;
    if (key instanceof Uint8Array) return UNHASHABLE;
    builder.set(key, value);
  }
  return builder.build();
}

/**
 * A map literal with optional entries (docs/spec/conditions.md#optional-values): `{?k: x}` has no entry when x is none.
 */
export function mapOfOptionals(entries: readonly (readonly [optional: boolean, Result, Result])[]): Result {
  const builder = new MapBuilder();
  for (const [optional, key, value] of entries) {
    if (isFailure(key)) return key;
    if (isFailure(value)) return value;
    if (key instanceof Uint8Array) return UNHASHABLE;
    if (!optional) builder.set(key, value);
    else if (!(value instanceof Optional)) return notOptional(key, value);
    else if (value.value !== undefined) builder.set(key, value.value);
  }
  return builder.build();
}

/** A map under construction. */
export class MapBuilder {
  readonly #entries = new Map<string, readonly [Value, Value]>();

  /** Sets an entry; an equal key of the same kind is replaced. */
  set(key: Value, value: Value): void {
    chargeMemory(BYTES_AN_ENTRY);
    this.#entries.set(mapKey(key) ?? `#${this.#entries.size}`, [key, value]);
  }

  /** Whether a key is found, as a lookup would (docs/spec/conditions.md#selection-and-indexing). */
  has(key: Value): boolean {
    return findEntry(this.#entries, key) !== undefined;
  }

  /** The map. The builder is not used afterwards. */
  build(): ValueMap {
    return new ValueMap(this.#entries);
  }
}

/**
 * The value at a key, undefined when there is none (docs/spec/conditions.md#selection-and-indexing): the exact kind
 * first, then integers of the other kind, and for an integral double the int and the uint. A key that is a double is
 * found by an equal double only.
 */
export function mapGet(map: JsonMap | ValueMap, key: Value): Value | undefined {
  if (map instanceof ValueMap) return findEntry(map.entries, key)?.[1];
  return typeof key === 'string' ? ownEntry(map, key) : undefined;
}

/** The value of a key of an object. */
export function ownEntry(map: JsonMap, key: string): Value | undefined {
  if (key.length > LONG_KEY) charge(key.length / 4);
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** A key with its text, a value, and their place in a table. */
const BYTES_AN_ENTRY = 160;

/** Length in UTF-16 units: looking for a longer one takes longer. */
const LONG_KEY = 64;

/** Listing the keys of an object takes longer than looking at them. */
const STEPS_A_KEY = 8;

/** How many entries a map has. */
export function mapSize(map: JsonMap | ValueMap): number {
  if (map instanceof ValueMap) return map.entries.size;
  const { length } = Object.keys(map);
  charge(STEPS_A_KEY * length);
  return length;
}

/** The keys of a map, in insertion order. */
export function mapKeys(map: JsonMap | ValueMap): readonly Value[] {
  const keys = map instanceof ValueMap ? Array.from(map.entries.values(), ([key]) => key) : Object.keys(map);
  charge(STEPS_A_KEY * keys.length);
  chargeList(keys.length);
  return keys;
}

/** The entries of a map, in insertion order. */
export function mapEntries(map: JsonMap | ValueMap): readonly (readonly [Value, Value])[] {
  const entries = map instanceof ValueMap ? Array.from(map.entries.values()) : Object.entries(map);
  charge(2 * STEPS_A_KEY * entries.length);
  chargeList(entries.length, entries.length);
  return entries;
}

/** A key or index as messages print it: `no such key: 5.5`. */
export function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'number') return plainDoubleText(key);
  if (typeof key === 'bigint' || typeof key === 'boolean' || key === null) return String(key);
  if (key instanceof Uint) return String(key.value);
  if (key instanceof TypeValue) return key.name;
  return typeNameOf(key);
}

/**
 * The text a key is found by in a `ValueMap`; undefined for the kinds that no lookup finds (lists, maps, opaque
 * values).
 */
export function mapKey(key: Value): string | undefined {
  switch (typeof key) {
    case 'string':
      chargeRead(key.length);
      return `s${key}`;
    case 'bigint':
      return `i${key}`;
    case 'number':
      return Number.isNaN(key) ? undefined : `d${key}`;
    case 'boolean':
      return `b${key}`;
    default:
      return keyOfObject(key);
  }
}

/**
 * Bytes as the key of a literal map, set or sought: the reference crashes, and this is what its crash reads like
 * (docs/spec/conditions.md#error-messages).
 */
export const UNHASHABLE = new CelError('internal error: runtime error: hash of unhashable type types.Bytes');

function keyOfObject(key: Value): string | undefined {
  if (key === null) return 'n';
  if (key instanceof Uint) return `u${key.value}`;
  if (key instanceof Timestamp) return `t${key.seconds}.${key.nanos}`;
  if (key instanceof Duration) return `p${key.nanos}`;
  if (key instanceof TypeValue) return `y${key.name}`;
  return undefined;
}

function findEntry(
  entries: ReadonlyMap<string, readonly [Value, Value]>,
  key: Value,
): readonly [Value, Value] | undefined {
  const text = mapKey(key);
  const exact = text === undefined ? undefined : entries.get(text);
  if (exact !== undefined) return exact;
  if (typeof key === 'bigint') return entries.get(`u${key}`);
  if (key instanceof Uint) return entries.get(`i${key.value}`);
  if (typeof key !== 'number' || !Number.isInteger(key)) return undefined;
  const integer = BigInt(key);
  return entries.get(`i${integer}`) ?? entries.get(`u${integer}`);
}

function notOptional(key: Value, value: Value): CelError {
  const name = kindOf(key) === 'string' ? `'${String(key)}'` : keyText(key);
  return new CelError(`cannot initialize optional entry ${name} from non-optional value ${keyText(value)}`);
}
