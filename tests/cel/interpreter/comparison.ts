import {
  type Duration,
  type Message,
  type Optional,
  type Timestamp,
  type TypeValue,
  Uint,
  type Value,
} from '../../../packages/cel/runtime/index.js';
import { kindOf } from '../../../packages/cel/runtime/kinds.js';
import { CelError, Opaque } from '../../../packages/cel/runtime/values.js';
import { Failure, failA, failB } from './failure.js';
import { entriesOf, find, isMap } from './maps.js';

/** `a == b` (docs/spec/conditions.md#equality): total, except for types that reject others. */
export function equal(a: Value, b: Value): boolean {
  if (isNumber(a) && isNumber(b)) return orderOfNumbers(a, b) === 0;
  if (a === null || b === null) return a === b;
  if (a instanceof Opaque) {
    const same = a.equalTo(b);
    if (same instanceof CelError) throw new Failure(same.message);
    return same;
  }
  const kind = kindOf(a);
  if (kind !== kindOf(b)) return false;
  switch (kind) {
    case 'null':
    case 'bool':
    case 'string':
      return a === b;
    case 'bytes':
      return compareBytes(a as Uint8Array, b as Uint8Array) === 0;
    case 'timestamp':
      return (a as Timestamp).seconds === (b as Timestamp).seconds && (a as Timestamp).nanos === (b as Timestamp).nanos;
    case 'duration':
      return (a as Duration).nanos === (b as Duration).nanos;
    case 'type':
      return (a as TypeValue).name === (b as TypeValue).name;
    case 'list':
      return equalLists(a as readonly Value[], b as readonly Value[]);
    case 'map':
      return equalMaps(a, b);
    case 'message':
      return (
        (a as Message).typeName === (b as Message).typeName && equalMaps((a as Message).fields, (b as Message).fields)
      );
    case 'optional': {
      const [left, right] = [(a as Optional).value, (b as Optional).value];
      return left === undefined || right === undefined ? left === right : equal(left, right);
    }
    case 'int':
    case 'uint':
    case 'double':
    case 'opaque':
      return false;
  }
}

/** `a == b` where a failed `==` counts as unequal: `!=`, membership, sets. */
export function surelyEqual(a: Value, b: Value): boolean {
  try {
    return equal(a, b);
  } catch (problem) {
    if (problem instanceof Failure) return false;
    throw problem;
  }
}

/**
 * `a < b` and the other orderings. The class of the failure depends on the left operand
 * (docs/spec/conditions.md#ordering, docs/spec/conditions.md#operators).
 */
export function ordered(operator: string, a: Value, b: Value, holds: (order: number) => boolean): boolean {
  const order = orderOf(a, b);
  return order === undefined ? failOrder(operator, a) : holds(order);
}

/** Negative, 0 or positive; NaN when either is NaN; undefined without an order. */
export function orderOf(a: Value, b: Value): number | undefined {
  if (isNumber(a)) return isNumber(b) ? orderOfNumbers(a, b) : undefined;
  if (a === null || b === null) return undefined;
  if (a instanceof Opaque) return a.compareTo(b);
  const kind = kindOf(a);
  if (kind !== kindOf(b)) return undefined;
  if (kind === 'bool') return Number(a) - Number(b);
  if (kind === 'string') return compareCodePoints(a as string, b as string);
  if (kind === 'bytes') return compareBytes(a as Uint8Array, b as Uint8Array);
  if (kind === 'duration') return orderOfNumbers((a as Duration).nanos, (b as Duration).nanos);
  if (kind !== 'timestamp') return undefined;
  const [left, right] = [a as Timestamp, b as Timestamp];
  return left.seconds === right.seconds ? left.nanos - right.nanos : left.seconds - right.seconds;
}

type NumberValue = bigint | number | Uint;

export function isNumber(value: Value): value is NumberValue {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

function orderOfNumbers(a: NumberValue, b: NumberValue): number {
  const [left, right] = [a instanceof Uint ? a.value : a, b instanceof Uint ? b.value : b];
  if (typeof left === 'bigint' && typeof right === 'bigint') return left < right ? -1 : left > right ? 1 : 0;
  const [x, y] = [Number(left), Number(right)];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  return x < y ? -1 : x > y ? 1 : 0;
}

function failOrder(operator: string, left: Value): never {
  switch (kindOf(left)) {
    case 'list':
    case 'null':
    case 'map':
    case 'type':
    case 'optional':
    case 'message':
      return failB(operator);
    case 'opaque':
      return (left as Opaque).typeName.startsWith('net.') ? failB(operator) : failA();
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'timestamp':
    case 'duration':
      return failA();
  }
}

function equalLists(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((element, position) => equal(element, b[position] as Value));
}

function equalMaps(a: Value, b: Value): boolean {
  if (!isMap(a) || !isMap(b)) return false;
  const [left, right] = [entriesOf(a), entriesOf(b)];
  if (left.length !== right.length) return false;
  return left.every(([key, value]) => {
    const other = find(right, key);
    return other !== undefined && equal(value, other[1]);
  });
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
