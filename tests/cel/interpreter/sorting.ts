import type { Value } from '../../../packages/cel/runtime/index.js';
import { type Kind, kindOf } from '../../../packages/cel/runtime/kinds.js';
import { orderOf } from './comparison.js';
import { fail } from './failure.js';

/**
 * The list in the order of its keys (docs/spec/conditions.md#list-functions). Equal keys keep the order of the list.
 */
export function sortedBy(list: readonly Value[], keys: readonly Value[]): readonly Value[] {
  const kinds = new Set(keys.map(kindOf));
  const [first] = kinds;
  if (first === undefined) return [];
  if (!COMPARABLE.includes(first)) return fail('list elements must be comparable');
  if (kinds.size > 1) return fail('list elements must have the same type');
  return list
    .map((element, position) => [element, keys[position] as Value] as const)
    .sort(([, a], [, b]) => orderOf(a, b) || 0)
    .map(([element]) => element);
}

const COMPARABLE: readonly Kind[] = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
