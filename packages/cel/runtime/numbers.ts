import { plainDecimal } from './decimal-text.js';
import { CelError, Uint, type Value } from './values.js';

export const MIN_INT = -(2n ** 63n);
export const MAX_INT = 2n ** 63n - 1n;
export const MAX_UINT = 2n ** 64n - 1n;

export const INTEGER_OVERFLOW = new CelError('integer overflow');
export const UNSIGNED_INTEGER_OVERFLOW = new CelError('unsigned integer overflow');

/** An int64, or `integer overflow`. */
export function checkedInt(value: bigint): bigint | CelError {
  return value >= MIN_INT && value <= MAX_INT ? value : INTEGER_OVERFLOW;
}

/** A uint64, or `unsigned integer overflow`. */
export function checkedUint(value: bigint): Uint | CelError {
  return value >= 0n && value <= MAX_UINT ? new Uint(value) : UNSIGNED_INTEGER_OVERFLOW;
}

/**
 * Two numbers of any kinds in order: negative, 0, positive; NaN when one is NaN; undefined when one is not a number.
 * Against a double an integer is taken as a double, so 9007199254740993 equals 9007199254740992.0
 * (docs/spec/conditions.md#equality).
 */
export function compareNumbers(a: Value, b: Value): number | undefined {
  if (typeof a === 'number') {
    const right = typeof b === 'number' ? b : asDouble(b);
    return right === undefined ? undefined : difference(a, right);
  }
  if (typeof b === 'number') {
    const left = asDouble(a);
    return left === undefined ? undefined : difference(left, b);
  }
  const left = toInteger(a);
  const right = toInteger(b);
  if (left === undefined || right === undefined) return undefined;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The integer an int or uint stands for. */
export function toInteger(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return value instanceof Uint ? value.value : undefined;
}

/**
 * `string(double)` (docs/spec/conditions.md#numbers-as-text): the shortest digits that read back, with an exponent from
 * 1e6 on and below 1e-4.
 */
export function doubleText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return numberText(value, 6);
}

/** A double inside a message, such as `no such key: 5.5`: an exponent only from 1e21 on and below 1e-4. */
export function plainDoubleText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return numberText(value, 21);
}

function asDouble(value: Value): number | undefined {
  const integer = toInteger(value);
  return integer === undefined ? undefined : Number(integer);
}

// Not a subtraction: Infinity - Infinity is NaN.
function difference(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : Number.NaN;
}

function numberText(value: number, exponentFrom: number): string {
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (value === 0 || Number.isNaN(value) || (exponent >= -4 && exponent < exponentFrom)) return plainDecimal(value);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}
