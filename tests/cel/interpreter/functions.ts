import * as cel from '../../../packages/cel/runtime/index.js';
import {
  Duration,
  Optional,
  type Result,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from '../../../packages/cel/runtime/index.js';
import type { Request } from '../../../runtime/policy/index.js';
import type { CelFunction } from '../../../packages/cel/library/function.js';
import { kindOf } from '../../../packages/cel/runtime/kinds.js';
import { typeNameOf } from '../../../packages/cel/runtime/type-names.js';
import { Opaque } from '../../../packages/cel/runtime/values.js';
import { isNumber, orderOf, surelyEqual } from './comparison.js';
import { fail, failA, failB, failC, unwrap } from './failure.js';
import { entriesOf, isMap } from './maps.js';
import { sortedBy } from './sorting.js';

/**
 * Applies a function of the language to values. Functions about equality, order, size or optionals are implemented
 * here; leaf functions are the runtime's.
 */
export function applied(row: CelFunction, args: readonly Value[], request: Request): Value {
  const own = OWN[row.name];
  if (own !== undefined) return own(...args);
  const leaf = (cel as unknown as { readonly [name: string]: (...args: readonly unknown[]) => Result })[row.runtime];
  if (leaf === undefined) throw new Error(`no function ${row.runtime}`);
  return unwrap(leaf(...args, ...(row.pure ? [] : [request])));
}

/** `math.greatest(...)` and `math.least(...)` (docs/spec/conditions.md#math-functions). */
export function extreme(macro: 'math.greatest' | 'math.least', args: readonly Value[]): Value {
  const name = macro === 'math.greatest' ? 'math.@max' : 'math.@min';
  const better = (order: number): boolean => (macro === 'math.greatest' ? order > 0 : order < 0);
  const [first, second] = args as [Value, Value];
  if (args.length === 1 && isNumber(first)) return first;
  if (args.length === 2 && !(isNumber(first) && isNumber(second))) return failC(name, first, second);
  const list = args.length === 1 ? first : args;
  if (!Array.isArray(list)) return failC(name, list as Value);
  if (list.length === 0) return fail(`${name}(list) argument must not be empty`);
  if (!isNumber(list[0])) return failC(name, list);
  return list.reduce((best: Value, next: Value) => {
    if (!isNumber(next)) return failB(name);
    return better(orderOf(next, best) as number) ? next : best;
  });
}

const OWN: { readonly [name: string]: ((...args: readonly Value[]) => Value) | undefined } = {
  size: (x: Value) => sizeOf(x),
  type: (x: Value) => new TypeValue(typeNameOf(x)),
  dyn: (x: Value) => x,
  id: (x: Value) => x,
  'optional.of': (x: Value) => new Optional(x),
  'optional.none': () => new Optional(undefined),
  hasValue: (o: Value) => (o instanceof Optional ? o.value !== undefined : failC('hasValue', o)),
  value: (o: Value) => (o instanceof Optional ? (o.value ?? none(o)) : failC('value', o)),
  distinct: (list: Value) => (Array.isArray(list) ? distinct(list) : failC('distinct', list)),
  first: (list: Value) => (Array.isArray(list) ? new Optional(list[0]) : failC('first', list)),
  last: (list: Value) => (Array.isArray(list) ? new Optional(list.at(-1)) : failC('last', list)),
  sort: (list: Value) =>
    Array.isArray(list) ? sortedBy(list, list) : typeof list === 'string' ? failA() : failB('sort'),
  intersect: lists('intersect', (a, b) =>
    b.length < a.length ? b.filter((x) => contains(a, x)) : a.filter((x) => contains(b, x)),
  ),
  except: lists('except', (a, b) => a.filter((x) => !contains(b, x))),
  hasIntersection: lists('hasIntersection', (a, b) => a.some((x) => contains(b, x))),
  has_intersection: lists('hasIntersection', (a, b) => a.some((x) => contains(b, x))),
  isSubset: lists('isSubset', (a, b) => a.every((x) => contains(b, x))),
  is_subset: lists('isSubset', (a, b) => a.every((x) => contains(b, x))),
  'sets.contains': lists('sets.contains', (a, b) => b.every((x) => contains(a, x))),
  'sets.equivalent': lists(
    'sets.equivalent',
    (a, b) => b.every((x) => contains(a, x)) && a.every((x) => contains(b, x)),
  ),
  'sets.intersects': lists('sets.intersects', (a, b) => a.some((x) => contains(b, x))),
};

function lists(name: string, apply: (a: readonly Value[], b: readonly Value[]) => Value) {
  return (a: Value, b: Value): Value => (Array.isArray(a) && Array.isArray(b) ? apply(a, b) : failC(name, a, b));
}

function none(o: Optional): Value {
  return o.value === undefined ? fail('optional.none() dereference') : o.value;
}

function contains(list: readonly Value[], x: Value): boolean {
  return list.some((element) => surelyEqual(x, element));
}

function distinct(list: readonly Value[]): Value {
  return list.filter((x, position) => !list.slice(0, position).some((earlier) => surelyEqual(earlier, x)));
}

function sizeOf(x: Value): bigint {
  if (typeof x === 'string') return BigInt([...x].length);
  if (Array.isArray(x) || x instanceof Uint8Array) return BigInt(x.length);
  if (isMap(x)) return BigInt(entriesOf(x).length);
  if (x instanceof Duration || x instanceof Timestamp) return failA();
  if (x instanceof Opaque) return x.size() ?? (x.typeName.startsWith('net.') ? failB('size') : failA());
  if (x instanceof Uint || kindOf(x) !== 'map') return failB('size');
  return failB('size');
}
