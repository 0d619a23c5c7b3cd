/*
 * Requests are JSON, but programs pass other values: rows with Dates, instances of classes, a Map. What JSON can
 * represent is converted, as clients send it; any other value fails the call. It must not fail a condition, because a
 * DENY that cannot be evaluated does not apply.
 */
import { charge, MAX_DEPTH, remember, remembers, tooDeep } from './meter.js';
import { setOwn } from './own-property.js';

/** Why a call fails: it has a value that JSON cannot represent, or a field of the wrong type. */
export class NotJsonError extends TypeError {
  override readonly name = NAME;

  /** A bundle has its own copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof TypeError && value.name === NAME;
  }
}

const NAME = 'NotJsonError';

/**
 * The key of objects that report what conditions read of them, for which it has the value `true`. They are JSON, and
 * are not walked: that would count as reading.
 */
export const OBSERVED = Symbol('observed');

/**
 * An attribute as a condition reads it: JSON, or undefined if it is missing. On the hot path: strings and booleans,
 * which most attributes are, come first (bench/check.bench.ts).
 */
// biome-ignore lint/suspicious/noExplicitAny: as Attributes, whose properties have any type.
export function json(value: any): any {
  return typeof value === 'string' ? value : otherJson(value);
}

/** The same where only the properties of the attribute are read; undefined if it is not an object. */
// biome-ignore lint/suspicious/noExplicitAny: likewise.
export function object(value: any): any {
  if (value === undefined || isPlainObject(value)) return value;
  const plain = json(value);
  return isPlainObject(plain) ? plain : undefined;
}

/**
 * Whether a value is an object whose own properties are its members, and that has no `toJSON`. V8 derives the prototype
 * from the hidden class once it has read a property, so `constructor` is read first.
 */
export function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { constructor, toJSON } = value as { readonly [name: string]: unknown };
  if (typeof toJSON === 'function') return false;
  return (constructor === Object && Object.getPrototypeOf(value) === Object.prototype) || hasPlainPrototype(value);
}

/** Whether an object has the prototype of objects of JSON; they may have a member `constructor`. */
function hasPlainPrototype(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function otherJson(value: unknown): unknown {
  if (typeof value === 'boolean' || value === undefined || value === null) return value;
  // NaN and infinities, which requests over gRPC can have, are doubles as any other.
  return typeof value === 'number' ? value : copyJson(value);
}

function copyJson(value: unknown): unknown {
  if (remembers(value)) return value;
  if (!isJson(value, MAX_DEPTH)) return plainValue(value, '', 0);
  remember(value);
  return value;
}

/** Whether conditions can read a value as it is. */
function isJson(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return true;
  if (typeof value !== 'object') return false;
  if (value === null) return true;
  if (depth === 0) tooDeep();
  if (Array.isArray(value)) return !('toJSON' in value) && isJsonList(value, depth - 1);
  if (!isPlainObject(value)) return false;
  const members = Object.values(value);
  charge(members.length / 2);
  return isJsonList(members, depth - 1);
}

/** A loop, as `every` skips holes. */
function isJsonList(list: readonly unknown[], depth: number): boolean {
  charge(list.length / 8);
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (typeof item !== 'string' && !isJson(item, depth)) return false;
  }
  return true;
}

/**
 * Attributes in the form that every transport carries, so that all of them send the same request: undefined members are
 * omitted, and an object with a `toJSON` (a Date) becomes its result.
 * @param path of the attributes in the request, for the message.
 * @throws {NotJsonError} for values that JSON cannot represent: a bigint, NaN, a function, a cycle.
 */
export function plainAttributes(attributes: unknown, path: string): Record<string, unknown> {
  const plain = plainValue(attributes ?? {}, path, 0);
  if (typeof plain === 'object' && plain !== null && !Array.isArray(plain)) return plain as Record<string, unknown>;
  throw refused(path, 'is not an object');
}

/** The same for any JSON value. */
export function plainValue(value: unknown, path: string, depth: number): unknown {
  if (depth > MAX_DEPTH) throw refused(path.slice(0, 100), `is nested more than ${MAX_DEPTH} levels`);
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return plainText(value, path);
    case 'number':
      if (!Number.isFinite(value)) throw refused(path, `is ${value}, which JSON cannot represent`);
      // JSON has no negative zero.
      return value + 0;
    case 'object':
      return value === null ? null : plainObject(value, path, depth);
    default:
      throw refused(path, `is of type ${typeof value}, which JSON cannot represent`);
  }
}

/** A string that can be encoded as UTF-8. */
export function plainText(text: string, path: string): string {
  if (LONE_SURROGATE.test(text)) throw refused(path, 'is not well-formed Unicode');
  return text;
}

/** One half of a surrogate pair without the other. */
const LONE_SURROGATE = /\p{Surrogate}/u;

function plainObject(value: object, path: string, depth: number): unknown {
  if ('toJSON' in value && typeof value.toJSON === 'function') return plainValue(value.toJSON(), path, depth + 1);
  if (Array.isArray(value)) return Array.from(value, (item, index) => plainValue(item, `${path}[${index}]`, depth + 1));
  if (!isPlain(value)) throw refused(path, 'is an object of a class without toJSON');
  const plain: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) setOwn(plain, plainText(name, path), plainValue(member, `${path}.${name}`, depth + 1));
  }
  return plain;
}

/** Instances of an application's classes are sent as their members; a Map or a Set would seem to be empty. */
function isPlain(value: object): boolean {
  const tag = Object.prototype.toString.call(value);
  return tag === '[object Object]';
}

function refused(path: string, what: string): NotJsonError {
  return new NotJsonError(`${path} ${what}`);
}
