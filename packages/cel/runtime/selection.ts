import { NO_SUCH_OVERLOAD, undefinedField } from './failures.js';
import { isJsonMap, isMap } from './kinds.js';
import { keyText, mapGet } from './maps.js';
import { messageField } from './message-types.js';
import { implementationNameOf, typeNameOf, VARIABLES } from './type-names.js';
import { CelError, isFailure, Message, Opaque, Optional, type Result, Uint, type Value } from './values.js';

/**
 * `object.name` where only success matters: an own property, undefined when it fails. On the hot path: a plain object
 * is recognized by its prototype before anything else (bench/check.bench.ts).
 */
export function field(object: Result, name: string): Value | undefined {
  if (typeof object !== 'object' || object === null) return undefined;
  if (Object.getPrototypeOf(object) === Object.prototype) {
    return Object.hasOwn(object, name) ? (object as { readonly [key: string]: Value })[name] : undefined;
  }
  const selected = select(object, name);
  return isFailure(selected) ? undefined : selected;
}

/** `object.name` (docs/spec/conditions.md#selection-and-indexing). */
export function select(object: Result, name: string): Result {
  if (isJsonMap(object)) return Object.hasOwn(object, name) ? object[name] : noSuchKey(name);
  if (isFailure(object)) return object;
  if (object instanceof Optional) return optionalSelect(object, name);
  const found = lookUp(object, name);
  return found === undefined ? missing(object, name) : found;
}

/** `object[i]` (docs/spec/conditions.md#selection-and-indexing). */
export function index(object: Result, i: Result): Result {
  if (isFailure(object)) return object;
  if (isFailure(i)) return i;
  if (!isQualifier(i)) return invalidQualifier(i);
  if (object instanceof Optional) return optionalIndex(object, i);
  const found = lookUp(object, i);
  return found === undefined ? missing(object, i) : found;
}

/**
 * `has(object.name)` (docs/spec/conditions.md#the-has-macro): false for a name that is missing and for a value that has
 * no fields; an object that failed fails.
 */
export function has(object: Result, name: string): Result {
  if (isFailure(object)) return object;
  if (object instanceof Optional) return object.value === undefined ? false : has(object.value, name);
  const found = present(object, name);
  return found instanceof CelError ? found : found !== undefined;
}

/** `object.?name` (docs/spec/conditions.md#optional-values). */
export function optionalSelect(object: Result, name: string): Result {
  return isFailure(object) ? object : optionally(object, name);
}

/** `object[?i]` (docs/spec/conditions.md#optional-values). */
export function optionalIndex(object: Result, i: Result): Result {
  if (isFailure(object)) return object;
  if (isFailure(i)) return i;
  return isQualifier(i) ? optionally(object, i) : invalidQualifier(i);
}

type Qualifier = string | boolean | bigint | number | Uint;

function isQualifier(i: Value): i is Qualifier {
  return (
    typeof i === 'string' ||
    typeof i === 'boolean' ||
    typeof i === 'bigint' ||
    typeof i === 'number' ||
    i instanceof Uint
  );
}

function invalidQualifier(i: Value): CelError {
  return new CelError(`invalid qualifier type: ${implementationNameOf(i)}`);
}

function optionally(object: Value, key: Qualifier): Result {
  if (object instanceof Optional) return object.value === undefined ? object : optionally(object.value, key);
  const found = present(object, key);
  return found instanceof CelError ? found : new Optional(found);
}

// Like lookUp, but a field of a message that holds its empty value counts as missing
// (docs/spec/conditions.md#has-on-request-fields).
function present(object: Value, key: Qualifier): Value | CelError | undefined {
  if (!(object instanceof Message)) return lookUp(object, key);
  if (typeof key !== 'string') return NO_SUCH_OVERLOAD;
  const declared = messageField(object, key);
  if (declared === undefined) return noSuchField(key);
  const set = own(object, declared.name);
  return set === undefined && declared.alwaysSet ? declared.empty : set;
}

// undefined: the object has nothing there.
function lookUp(object: Value, key: Qualifier): Value | CelError | undefined {
  if (isMap(object)) return mapGet(object, key);
  if (Array.isArray(object)) return readElement(object, key);
  if (object instanceof Message) return readField(object, key);
  return object instanceof Opaque ? object.element(key) : undefined;
}

function readElement(list: readonly Value[], key: Qualifier): Value | CelError | undefined {
  if (typeof key === 'string' || typeof key === 'boolean') {
    return new CelError(`unsupported index type '${typeNameOf(key)}' in list`);
  }
  const position = key instanceof Uint ? key.value : key;
  const fits =
    typeof position === 'number' ? Number.isInteger(position) && Math.abs(position) < 2 ** 63 : position < 2n ** 63n;
  return fits ? list[Number(position)] : new CelError(`unsupported index value ${keyText(key)} in list`);
}

function readField(message: Message, key: Qualifier): Value | CelError | undefined {
  if (typeof key !== 'string') return NO_SUCH_OVERLOAD;
  const declared = messageField(message, key);
  if (declared === undefined) return noSuchField(key);
  const set = own(message, declared.name);
  return set === undefined && message.typeName !== VARIABLES ? declared.empty : set;
}

function own(message: Message, name: string): Value | undefined {
  return Object.hasOwn(message.fields, name) ? message.fields[name] : undefined;
}

function missing(object: Value, key: Qualifier): CelError {
  if (Array.isArray(object)) return new CelError(`index out of bounds: ${keyText(key)}`);
  if (object instanceof Message) return undefinedField(keyText(key));
  return noSuchKey(keyText(key));
}

function noSuchKey(key: string): CelError {
  return new CelError(`no such key: ${key}`);
}

function noSuchField(name: string): CelError {
  return new CelError(`no such field '${name}'`);
}
