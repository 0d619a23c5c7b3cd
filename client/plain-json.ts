import { setOwn } from '../proto/wire/json-shape.js';
import { AuthzError } from './authz-error.js';

/** The maximum nesting of values: the limit of the binary form of a request. */
export const MAX_DEPTH = 1000;
/** One half of a surrogate pair without the other. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Attributes in the form that every transport carries, so that all of them send the same request: undefined members are
 * omitted, and an object with a `toJSON` (a Date) becomes its result. Throws an AuthzError for values that JSON cannot
 * represent: a bigint, NaN, a function, a cycle.
 * @param path of the attributes in the request, for the message.
 */
export function plainAttributes(attributes: unknown, path: string): Record<string, unknown> {
  const plain = plainValue(attributes ?? {}, path, 0);
  if (typeof plain === 'object' && plain !== null && !Array.isArray(plain)) return plain as Record<string, unknown>;
  throw refused(path, 'is not an object');
}

/** The same for any JSON value. */
export function plainValue(value: unknown, path: string, depth: number): unknown {
  if (depth > MAX_DEPTH) throw refused(path.slice(0, 100), `is nested deeper than ${MAX_DEPTH} levels`);
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
    case 'bigint':
    case 'function':
    case 'symbol':
    case 'undefined':
      throw refused(path, `is of type ${typeof value}, which JSON cannot represent`);
  }
}

/** A string that can be encoded as UTF-8. Throws an AuthzError for any other. */
export function plainText(text: string, path: string): string {
  if (LONE_SURROGATE.test(text)) throw refused(path, 'is not well-formed Unicode');
  return text;
}

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

function refused(path: string, what: string): AuthzError {
  return new AuthzError('invalid_argument', `${path} ${what}`);
}
