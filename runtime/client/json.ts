/*
 * The operations of expressions on JSON, as small as they can be: a projection of policies for browsers uses them. What
 * they do not know throws, and then the answer is open; the functions of `packages/cel/runtime` know everything.
 */

/** The result of an operation that fails: neither true nor false. */
export const FAILED = Symbol('failed');

/** @throws {TypeError} for a value that JSON does not have, or that a server would convert. */
export function json(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) json(value[index]);
    return value;
  }
  if (!isMap(value) || 'toJSON' in value) throw new TypeError();
  for (const name of Object.keys(value)) json(value[name]);
  return value;
}

/** Whether a value is an object that JSON makes. */
export function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** `object.name`. */
export function select(object: unknown, name: string): unknown {
  return isMap(object) && Object.hasOwn(object, name) ? json(object[name]) : FAILED;
}

/** `has(object.name)` of attributes. */
export function has(object: object, name: string): boolean {
  return Object.hasOwn(object, name);
}

/** `a == b`. */
export function equals(a: unknown, b: unknown): unknown {
  return a === FAILED || b === FAILED ? FAILED : isSame(a, b);
}

/** `a != b`. */
export function notEquals(a: unknown, b: unknown): unknown {
  return a === FAILED || b === FAILED ? FAILED : !isSame(a, b);
}

function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  if (isMap(a)) {
    const names = Object.keys(a);
    return (
      isMap(b) &&
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
    );
  }
  // The numbers of policies may be bigint.
  return typeof a === 'bigint' || typeof b === 'bigint' ? isNumber(a) && isNumber(b) && !(a < b) && !(a > b) : a === b;
}

/** `a < b`. */
export function lessThan(a: unknown, b: unknown): unknown {
  return compared(a, b, (x, y) => x < y);
}

/** `a <= b`. */
export function atMost(a: unknown, b: unknown): unknown {
  return compared(a, b, (x, y) => x <= y);
}

/** `a > b`. */
export function greaterThan(a: unknown, b: unknown): unknown {
  return lessThan(b, a);
}

/** `a >= b`. */
export function atLeast(a: unknown, b: unknown): unknown {
  return atMost(b, a);
}

/** Numbers are compared with numbers, and strings by code point, which is another order than that of JavaScript. */
function compared(a: unknown, b: unknown, test: (x: number, y: number) => boolean): unknown {
  if (typeof a === 'boolean' || /[\ud800-\udfff]/.test(`${String(a)}${String(b)}`)) throw new TypeError();
  const isOrdered = (isNumber(a) && isNumber(b)) || (typeof a === 'string' && typeof b === 'string');
  return isOrdered ? test(a as number, b as number) : FAILED;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || typeof value === 'number';
}

/** `element in list`. */
export function inCollection(element: unknown, list: unknown): unknown {
  if (element === FAILED || list === FAILED) return FAILED;
  if (!Array.isArray(list)) throw new TypeError();
  return list.some((item) => isSame(element, item));
}
