import { type Value, Uint, ValueMap } from '../../../packages/cel/runtime/index.js';
import { isMap } from '../../../packages/cel/runtime/kinds.js';
import { mapKey } from '../../../packages/cel/runtime/maps.js';
import { TypeValue, Duration, Timestamp, type JsonMap } from '../../../packages/cel/runtime/values.js';

export type Entry = readonly [key: Value, value: Value];

export { isMap };

/** The entries of either kind of map. */
export function entriesOf(map: JsonMap | ValueMap): readonly Entry[] {
  return map instanceof ValueMap ? [...map.entries.values()] : Object.entries(map);
}

/**
 * The entry that a key finds (docs/spec/conditions.md#selection-and-indexing): the exact type first. A double key is
 * found only by a double.
 */
export function find(entries: readonly Entry[], key: Value): Entry | undefined {
  const exact = entries.find(([candidate]) => isSameKey(candidate, key));
  if (exact !== undefined) return exact;
  const integer = integerOf(key);
  if (integer === undefined) return undefined;
  const among = (kind: 'bigint' | 'uint'): Entry | undefined =>
    entries.find(([candidate]) =>
      kind === 'bigint' ? candidate === integer : candidate instanceof Uint && candidate.value === integer,
    );
  return among('bigint') ?? among('uint');
}

/** A map of entries in order; the last of two equal keys wins. */
export function mapOf(entries: readonly Entry[]): ValueMap {
  const kept: Entry[] = [];
  for (const [key, value] of entries) {
    const at = kept.findIndex(([candidate]) => isSameKey(candidate, key));
    if (at < 0) kept.push([key, value]);
    else kept[at] = [key, value];
  }
  return new ValueMap(new Map(kept.map((entry, position) => [mapKey(entry[0]) ?? `#${position}`, entry])));
}

function isSameKey(a: Value, b: Value): boolean {
  if (a instanceof Uint) return b instanceof Uint && a.value === b.value;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  return a === b && (typeof a !== 'object' || a === null);
}

function integerOf(key: Value): bigint | undefined {
  if (typeof key === 'bigint') return key;
  if (key instanceof Uint) return key.value;
  return typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : undefined;
}
