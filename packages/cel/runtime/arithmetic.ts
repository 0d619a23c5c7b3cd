import { concatBytes } from './bytes.js';
import { durationOf } from './duration.js';
import { NO_SUCH_OVERLOAD } from './failures.js';
import { type Kind, kindOf } from './kinds.js';
import { chargeList, chargeText } from './meter.js';
import { checkedInt, checkedUint, INTEGER_OVERFLOW } from './numbers.js';
import { describeNoSuchOverload } from './overload-errors.js';
import { addDuration, subtractDuration, timestampDifference } from './time-arithmetic.js';
import { isEngineKind } from './type-names.js';
import { CelError, Duration, isFailure, type Result, Timestamp, Uint, type Value } from './values.js';

/**
 * `a + b` (docs/spec/conditions.md#operators, docs/spec/conditions.md#arithmetic): numbers of one kind, texts, bytes,
 * lists, durations, a timestamp and a duration.
 */
export function add(a: Result, b: Result): Result {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'string' && typeof b === 'string') {
    chargeText(a.length + b.length);
    return a + b;
  }
  if (isFailure(a)) return a;
  if (isFailure(b)) return b;
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(a + b);
  if (a instanceof Uint && b instanceof Uint) return checkedUint(a.value + b.value);
  if (Array.isArray(a) && Array.isArray(b)) {
    chargeList(a.length + b.length);
    return a.concat(b);
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return concatBytes(a, b);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos + b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return addDuration(a, b);
  if (a instanceof Duration && b instanceof Timestamp) return addDuration(b, a);
  return refused('_+_', a, ['bytes', 'list']);
}

/** `a - b`. */
export function subtract(a: Result, b: Result): Result {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (isFailure(a)) return a;
  if (isFailure(b)) return b;
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(a - b);
  if (a instanceof Uint && b instanceof Uint) return checkedUint(a.value - b.value);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return subtractDuration(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return timestampDifference(a, b);
  return refused('_-_', a);
}

/** `a * b`. */
export function multiply(a: Result, b: Result): Result {
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  if (isFailure(a)) return a;
  if (isFailure(b)) return b;
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(a * b);
  if (a instanceof Uint && b instanceof Uint) return checkedUint(a.value * b.value);
  return refused('_*_', a);
}

/** `a / b`: integers truncate toward zero, and zero is `division by zero`; doubles follow IEEE. */
export function divide(a: Result, b: Result): Result {
  if (typeof a === 'number' && typeof b === 'number') return a / b;
  if (isFailure(a)) return a;
  if (isFailure(b)) return b;
  if (typeof a === 'bigint' && typeof b === 'bigint') return b === 0n ? DIVISION_BY_ZERO : checkedInt(a / b);
  if (a instanceof Uint && b instanceof Uint) return b.value === 0n ? DIVISION_BY_ZERO : new Uint(a.value / b.value);
  return refused('_/_', a);
}

/** `a % b`: integers only; the sign is that of the dividend. */
export function modulo(a: Result, b: Result): Result {
  if (isFailure(a)) return a;
  if (isFailure(b)) return b;
  if (typeof a === 'bigint' && typeof b === 'bigint') return b === 0n ? MODULUS_BY_ZERO : remainder(a, b);
  if (a instanceof Uint && b instanceof Uint) return b.value === 0n ? MODULUS_BY_ZERO : new Uint(a.value % b.value);
  return typeof a === 'number' ? describeNoSuchOverload('_%_') : refused('_%_', a);
}

/** `-a`. */
export function negate(a: Result): Result {
  if (typeof a === 'number') return -a;
  if (isFailure(a)) return a;
  if (typeof a === 'bigint') return checkedInt(-a);
  if (a instanceof Duration) return durationOf(-a.nanos);
  const known = typeof a === 'boolean' || typeof a === 'string' || a instanceof Timestamp || isEngineKind(a);
  return known ? NO_SUCH_OVERLOAD : describeNoSuchOverload('-_');
}

const DIVISION_BY_ZERO = new CelError('division by zero');
const MODULUS_BY_ZERO = new CelError('modulus by zero');

/**
 * The kinds that take part in every arithmetic operator as far as the reference can tell: their failures carry no name.
 */
const ARITHMETIC: readonly Kind[] = ['int', 'uint', 'double', 'string', 'timestamp', 'duration'];

// minInt % -1 would be 0, but the reference computes it as a division that overflows.
function remainder(a: bigint, b: bigint): bigint | CelError {
  return b === -1n && checkedInt(-a) === INTEGER_OVERFLOW ? INTEGER_OVERFLOW : a % b;
}

// The class of the failure depends on the left operand only (docs/spec/conditions.md#operators).
function refused(operator: string, left: Value, others: readonly Kind[] = []): CelError {
  const kind = kindOf(left);
  return ARITHMETIC.includes(kind) || others.includes(kind) || isEngineKind(left)
    ? NO_SUCH_OVERLOAD
    : describeNoSuchOverload(operator);
}
