import { type Kind, kindOf } from './kinds.js';
import { charge, chargeList } from './meter.js';
import { compareValues } from './ordering.js';
import { CelError, type Value } from './values.js';

/**
 * The elements in the order of their keys, equal keys in the order of the list; keys are of one comparable kind
 * (docs/spec/conditions.md#list-functions).
 */
export function sortedByKeys(list: readonly Value[], keys: readonly Value[]): readonly Value[] | CelError {
  const [first] = keys;
  if (first === undefined) return [];
  const kind = kindOf(first);
  if (!COMPARABLE.includes(kind)) return NOT_COMPARABLE;
  if (keys.some((key) => kindOf(key) !== kind)) return NOT_OF_ONE_TYPE;
  charge(STEPS_A_COMPARISON * keys.length * Math.log2(keys.length + 1));
  chargeList(3 * keys.length);
  const positions = Array.from(list.keys());
  positions.sort((a, b) => compareValues(keys[a] as Value, keys[b] as Value) || a - b);
  return positions.map((position) => list[position] as Value);
}

const STEPS_A_COMPARISON = 4;

const COMPARABLE: readonly Kind[] = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

const NOT_COMPARABLE = new CelError('list elements must be comparable');
const NOT_OF_ONE_TYPE = new CelError('list elements must have the same type');
