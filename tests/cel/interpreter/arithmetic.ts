import { Duration, Timestamp, Uint, type Value } from '../../../packages/cel/runtime/index.js';
import { kindOf } from '../../../packages/cel/runtime/kinds.js';
import type { Opaque } from '../../../packages/cel/runtime/values.js';
import { fail, failA, failB } from './failure.js';

/**
 * `+ - * / %` (docs/spec/conditions.md#operators, docs/spec/conditions.md#arithmetic). Operands of different types
 * never mix.
 */
export function arithmetic(operator: string, a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return int64(integers(operator, a, b));
  if (a instanceof Uint && b instanceof Uint) return uint64(integers(operator, a.value, b.value));
  if (typeof a === 'number' && typeof b === 'number' && operator !== '_%_') return doubles(operator, a, b);
  if (operator === '_+_') {
    if (typeof a === 'string' && typeof b === 'string') return a + b;
    if (a instanceof Uint8Array && b instanceof Uint8Array) return new Uint8Array([...a, ...b]);
    if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
    if (a instanceof Timestamp && b instanceof Duration) return moved(a, b.nanos);
    if (a instanceof Duration && b instanceof Timestamp) return moved(b, a.nanos);
    if (a instanceof Duration && b instanceof Duration) return new Duration(int64(a.nanos + b.nanos));
  }
  if (operator === '_-_') {
    if (a instanceof Timestamp && b instanceof Duration) return moved(a, -b.nanos);
    if (a instanceof Timestamp && b instanceof Timestamp) return new Duration(int64(nanosOf(a) - nanosOf(b)));
    if (a instanceof Duration && b instanceof Duration) return new Duration(int64(a.nanos - b.nanos));
  }
  return refuse(operator, a);
}

/** `-a`. */
export function negative(a: Value): Value {
  if (typeof a === 'number') return -a;
  if (typeof a === 'bigint') return int64(-a);
  if (a instanceof Duration) return new Duration(int64(-a.nanos));
  switch (kindOf(a)) {
    case 'bool':
    case 'string':
    case 'timestamp':
      return failA();
    case 'opaque':
      return (a as Opaque).typeName.startsWith('net.') ? failB('-_') : failA();
    default:
      return failB('-_');
  }
}

function integers(operator: string, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '_+_':
      return a + b;
    case '_-_':
      return a - b;
    case '_*_':
      return a * b;
    case '_/_':
      return b === 0n ? fail('division by zero') : a / b;
    default:
      if (b === 0n) return fail('modulus by zero');
      // The smallest int modulo -1 overflows, like its division.
      return b === -1n && a === -(2n ** 63n) ? 2n ** 63n : a % b;
  }
}

function doubles(operator: string, a: number, b: number): number {
  switch (operator) {
    case '_+_':
      return a + b;
    case '_-_':
      return a - b;
    case '_*_':
      return a * b;
    default:
      return a / b;
  }
}

function int64(value: bigint): bigint {
  return BigInt.asIntN(64, value) === value ? value : fail('integer overflow');
}

function uint64(value: bigint): Uint {
  return BigInt.asUintN(64, value) === value ? new Uint(value) : fail('unsigned integer overflow');
}

const BILLION = 1_000_000_000n;
const FIRST = BigInt(Date.UTC(2001, 0, 1) / 1000 - 63113904000) * BILLION;
const LAST = 253402300799n * BILLION + 999_999_999n;

function nanosOf(t: Timestamp): bigint {
  return BigInt(t.seconds) * BILLION + BigInt(t.nanos);
}

function moved(t: Timestamp, by: bigint): Timestamp {
  const nanos = nanosOf(t) + by;
  if (nanos < FIRST || nanos > LAST) return fail('timestamp overflow');
  const rest = ((nanos % BILLION) + BILLION) % BILLION;
  return new Timestamp(Number((nanos - rest) / BILLION), Number(rest), t.offset);
}

/** The table of 2.1: one row per type of the left operand. */
function refuse(operator: string, left: Value): never {
  switch (kindOf(left)) {
    case 'int':
    case 'uint':
    case 'string':
    case 'duration':
    case 'timestamp':
      return failA();
    case 'double':
      return operator === '_%_' ? failB(operator) : failA();
    case 'bytes':
    case 'list':
      return operator === '_+_' ? failA() : failB(operator);
    case 'opaque':
      return (left as Opaque).typeName.startsWith('net.') ? failB(operator) : failA();
    case 'bool':
    case 'null':
    case 'map':
    case 'type':
    case 'optional':
    case 'message':
      return failB(operator);
  }
}
