import { refuse } from './failures.js';
import { kindOf } from './kinds.js';
import { charge } from './meter.js';
import { checkedInt, compareNumbers, MAX_UINT } from './numbers.js';
import { describeNoSuchOverload } from './overload-errors.js';
import { CelError, isFailure, type Result, Uint, type Value } from './values.js';

/**
 * `math.greatest(...)` (docs/spec/conditions.md#math-functions): of numbers or of one list of numbers; of equal ones
 * the first.
 */
export function mathGreatest(...args: readonly Result[]): Result {
  return extreme('math.@max', 1, args);
}

/** `math.least(...)`. */
export function mathLeast(...args: readonly Result[]): Result {
  return extreme('math.@min', -1, args);
}

/** `math.abs(x)`. */
export function mathAbs(x: Result): Result {
  if (typeof x === 'number') return Math.abs(x);
  if (typeof x === 'bigint') return checkedInt(x < 0n ? -x : x);
  return x instanceof Uint ? x : refuse('math.abs', x);
}

/** `math.ceil(x)`; this and the next three take doubles only. */
export function mathCeil(x: Result): Result {
  return typeof x === 'number' ? Math.ceil(x) : refuse('math.ceil', x);
}

/** `math.floor(x)`. */
export function mathFloor(x: Result): Result {
  return typeof x === 'number' ? Math.floor(x) : refuse('math.floor', x);
}

/** `math.round(x)`: halves away from zero. */
export function mathRound(x: Result): Result {
  if (typeof x !== 'number') return refuse('math.round', x);
  const whole = Math.trunc(x);
  return Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole;
}

/** `math.trunc(x)`. */
export function mathTrunc(x: Result): Result {
  return typeof x === 'number' ? Math.trunc(x) : refuse('math.trunc', x);
}

/** `math.sign(x)`, of the kind of x. */
export function mathSign(x: Result): Result {
  if (typeof x === 'number') return Math.sign(x);
  if (typeof x === 'bigint') return x > 0n ? 1n : x < 0n ? -1n : 0n;
  return x instanceof Uint ? new Uint(x.value > 0n ? 1n : 0n) : refuse('math.sign', x);
}

/** `math.sqrt(x)`: NaN of a negative. */
export function mathSqrt(x: Result): Result {
  if (typeof x === 'number') return Math.sqrt(x);
  if (typeof x === 'bigint') return Math.sqrt(Number(x));
  return x instanceof Uint ? Math.sqrt(Number(x.value)) : refuse('math.sqrt', x);
}

/** `math.isNaN(x)`. */
export function mathIsNaN(x: Result): Result {
  return typeof x === 'number' ? Number.isNaN(x) : refuse('math.isNaN', x);
}

/** `math.isInf(x)`. */
export function mathIsInf(x: Result): Result {
  return typeof x === 'number' ? Math.abs(x) === Number.POSITIVE_INFINITY : refuse('math.isInf', x);
}

/** `math.isFinite(x)`. */
export function mathIsFinite(x: Result): Result {
  return typeof x === 'number' ? Number.isFinite(x) : refuse('math.isFinite', x);
}

/** `math.bitAnd(a, b)`, of two ints or two uints, as the next two. */
export function mathBitAnd(a: Result, b: Result): Result {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a & b;
  return a instanceof Uint && b instanceof Uint ? new Uint(a.value & b.value) : refuse('math.bitAnd', a, b);
}

/** `math.bitOr(a, b)`. */
export function mathBitOr(a: Result, b: Result): Result {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a | b;
  return a instanceof Uint && b instanceof Uint ? new Uint(a.value | b.value) : refuse('math.bitOr', a, b);
}

/** `math.bitXor(a, b)`. */
export function mathBitXor(a: Result, b: Result): Result {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a ^ b;
  return a instanceof Uint && b instanceof Uint ? new Uint(a.value ^ b.value) : refuse('math.bitXor', a, b);
}

/** `math.bitNot(x)`. */
export function mathBitNot(x: Result): Result {
  if (typeof x === 'bigint') return ~x;
  return x instanceof Uint ? new Uint(MAX_UINT ^ x.value) : refuse('math.bitNot', x);
}

/** `math.bitShiftLeft(x, n)`: bits shifted out are lost. */
export function mathBitShiftLeft(x: Result, n: Result): Result {
  return shifted('math.bitShiftLeft', x, n, (bits, by) => bits << by);
}

/** `math.bitShiftRight(x, n)`: logical, so a negative int becomes positive. */
export function mathBitShiftRight(x: Result, n: Result): Result {
  return shifted('math.bitShiftRight', x, n, (bits, by) => bits >> by);
}

function extreme(name: string, sign: 1 | -1, args: readonly Result[]): Result {
  const failed = args.find(isFailure);
  if (failed !== undefined || args.includes(undefined)) return failed;
  const values = args as readonly Value[];
  if (values.length === 2) return values.every(isNumber) ? findGreatest(name, sign, values) : refuse(name, ...values);
  const [only] = values;
  if (values.length === 1 && only !== undefined && isNumber(only)) return only;
  // Three and more are a list to the reference, whose guard looks at the first element only.
  const list = values.length === 1 ? only : values;
  if (!Array.isArray(list) || (list.length > 0 && !isNumber(list[0]))) return refuse(name, list);
  return list.length === 0 ? new CelError(`${name}(list) argument must not be empty`) : findGreatest(name, sign, list);
}

function findGreatest(name: string, sign: 1 | -1, values: readonly Value[]): Result {
  charge(2 * values.length);
  let greatest = values[0] as Value;
  for (const value of values) {
    const order = compareNumbers(value, greatest);
    if (order === undefined) return describeNoSuchOverload(name);
    if (order * sign > 0) greatest = value;
  }
  return greatest;
}

function isNumber(value: Value): boolean {
  const kind = kindOf(value);
  return kind === 'int' || kind === 'uint' || kind === 'double';
}

function shifted(name: string, x: Result, n: Result, shift: (bits: bigint, by: bigint) => bigint): Result {
  if (typeof n !== 'bigint' || !(typeof x === 'bigint' || x instanceof Uint)) return refuse(name, x, n);
  if (n < 0n) return new CelError(`${name}() negative offset: ${n}`);
  const bits = typeof x === 'bigint' ? BigInt.asUintN(64, x) : x.value;
  const moved = n >= 64n ? 0n : BigInt.asUintN(64, shift(bits, n));
  return typeof x === 'bigint' ? BigInt.asIntN(64, moved) : new Uint(moved);
}
