import { encodeUtf8, decodeUtf8 } from './bytes.js';
import { codePointCount } from './code-points.js';
import { durationText } from './duration.js';
import { NO_SUCH_OVERLOAD, refuse } from './failures.js';
import { doubleOfText } from './float-text.js';
import { isMap } from './kinds.js';
import { mapSize } from './maps.js';
import { charge } from './meter.js';
import {
  checkedInt,
  checkedUint,
  doubleText,
  INTEGER_OVERFLOW,
  MAX_INT,
  MAX_UINT,
  MIN_INT,
  UNSIGNED_INTEGER_OVERFLOW,
} from './numbers.js';
import { describeNoSuchOverload } from './overload-errors.js';
import { timestampText } from './timestamp.js';
import { isEngineKind, typeNameOf } from './type-names.js';
import {
  CelError,
  Duration,
  isFailure,
  Opaque,
  type Result,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.js';

/** `size(x)`, `x.size()` (docs/spec/conditions.md#core-functions): code points, bytes, elements, entries, levels. */
export function size(x: Result): Result {
  if (isFailure(x)) return x;
  if (typeof x === 'string') {
    charge(x.length / 4);
    return BigInt(codePointCount(x));
  }
  if (Array.isArray(x) || x instanceof Uint8Array) return BigInt(x.length);
  if (isMap(x)) return BigInt(mapSize(x));
  const levels = x instanceof Opaque ? x.size() : undefined;
  return levels ?? (knowsSize(x) ? NO_SUCH_OVERLOAD : describeNoSuchOverload('size'));
}

/** `int(x)`: doubles truncate, durations are nanoseconds, timestamps seconds. */
export function toInt(x: Result): Result {
  if (typeof x === 'bigint') return x;
  if (typeof x === 'number') return Math.abs(x) < 2 ** 63 ? BigInt(Math.trunc(x)) : INTEGER_OVERFLOW;
  if (typeof x === 'string') return integerOfText(/^[+-]?[0-9]+$/, x, MIN_INT, MAX_INT) ?? conversionError('int');
  if (x instanceof Uint) return checkedInt(x.value);
  if (x instanceof Duration) return x.nanos;
  return x instanceof Timestamp ? BigInt(x.seconds) : refuse('int', x);
}

/** `uint(x)`. */
export function toUint(x: Result): Result {
  if (x instanceof Uint) return x;
  if (typeof x === 'bigint') return checkedUint(x);
  if (typeof x === 'number') return x >= 0 && x < 2 ** 64 ? new Uint(BigInt(Math.trunc(x))) : UNSIGNED_INTEGER_OVERFLOW;
  if (typeof x !== 'string') return refuse('uint', x);
  const integer = integerOfText(/^[0-9]+$/, x, 0n, MAX_UINT);
  return integer === undefined ? conversionError('uint') : new Uint(integer);
}

/** `double(x)`. */
export function toDouble(x: Result): Result {
  if (typeof x === 'number') return x;
  if (typeof x === 'bigint') return Number(x);
  if (x instanceof Uint) return Number(x.value);
  if (typeof x === 'string') charge(20 + x.length);
  return typeof x === 'string' ? (doubleOfText(x) ?? conversionError('double')) : refuse('double', x);
}

/** `string(x)`. */
export function toText(x: Result): Result {
  if (typeof x === 'string') return x;
  charge(20);
  if (typeof x === 'number') return doubleText(x);
  if (typeof x === 'bigint' || typeof x === 'boolean') return String(x);
  if (x instanceof Uint) return String(x.value);
  if (x instanceof Uint8Array) return decodeUtf8(x) ?? NOT_UTF8;
  if (x instanceof Timestamp) return timestampText(x);
  if (x instanceof Duration) return durationText(x);
  return (x instanceof Opaque ? x.toText() : undefined) ?? refuse('string', x);
}

/** `bool(x)`. */
export function toBool(x: Result): Result {
  if (typeof x === 'boolean') return x;
  if (typeof x !== 'string') return refuse('bool', x);
  if (TRUE_TEXTS.has(x)) return true;
  return FALSE_TEXTS.has(x) ? false : conversionError('bool');
}

/** `bytes(x)`: the UTF-8 of a text. */
export function toBytes(x: Result): Result {
  if (x instanceof Uint8Array) return x;
  return typeof x === 'string' ? encodeUtf8(x) : refuse('bytes', x);
}

/** `dyn(x)`: only the type checker sees a difference. */
export function dynOf(x: Result): Result {
  return x;
}

/** `id(x)`, `x.id()`. */
export function identity(x: Result): Result {
  return x;
}

/** `type(x)`. */
export function typeOf(x: Result): Result {
  return isFailure(x) ? x : new TypeValue(typeNameOf(x));
}

const TRUE_TEXTS: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE_TEXTS: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

const NOT_UTF8 = new CelError('invalid UTF-8 in bytes, cannot convert to string');

function conversionError(to: string): CelError {
  return new CelError(`type conversion error from 'string' to '${to}'`);
}

function knowsSize(x: Value): boolean {
  return x instanceof Duration || x instanceof Timestamp || isEngineKind(x);
}

// Leading zeros are allowed without end, but no bigint is made of more digits than 64 bits can need.
function integerOfText(syntax: RegExp, text: string, least: bigint, greatest: bigint): bigint | undefined {
  charge(10 + text.length / 4);
  if (!syntax.test(text)) return undefined;
  const digits = text.replace(/^[+-]?0*(?=[0-9])/, '');
  if (digits.length > 20) return undefined;
  const integer = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
  return integer >= least && integer <= greatest ? integer : undefined;
}
