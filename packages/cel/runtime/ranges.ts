import { isMap } from './kinds.js';
import { mapEntries, mapKeys } from './maps.js';
import { implementationNameOf } from './type-names.js';
import { CelError, isFailure, type Result, type Value } from './values.js';

/**
 * What a one-variable macro goes through (docs/spec/conditions.md#macros): the elements of a list, the keys of a map.
 */
export function listElements(range: Result): readonly Value[] | CelError | undefined {
  if (Array.isArray(range)) return range;
  if (isFailure(range)) return range;
  if (isMap(range)) return mapKeys(range);
  return new CelError(`got '${implementationNameOf(range)}', expected iterable type`);
}

/** What a two-variable macro goes through: index and element of a list, key and value of a map. */
export function listEntries(range: Result): Iterable<readonly [Value, Value]> | CelError | undefined {
  if (Array.isArray(range)) return indexed(range);
  if (isFailure(range)) return range;
  if (isMap(range)) return mapEntries(range);
  return new CelError(`unsupported comprehension range type: ${implementationNameOf(range)}`);
}

/** One by one: the entries of a long list would need much memory at a time. */
function* indexed(list: readonly Value[]): Iterable<readonly [Value, Value]> {
  for (let position = 0; position < list.length; position++) yield [BigInt(position), list[position] as Value];
}
