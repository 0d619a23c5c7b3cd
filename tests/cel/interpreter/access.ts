import * as cel from '../../../packages/cel/runtime/index.js';
import { Message, Optional, TypeValue, Uint, type Value } from '../../../packages/cel/runtime/index.js';
import { plainDoubleText } from '../../../packages/cel/runtime/numbers.js';
import { implementationNameOf, typeNameOf } from '../../../packages/cel/runtime/type-names.js';
import { Opaque } from '../../../packages/cel/runtime/values.js';
import { fail, unwrap } from './failure.js';
import { entriesOf, find, isMap } from './maps.js';

/** `target.name` (docs/spec/conditions.md#selection-and-indexing). */
export function select(target: Value, name: string): Value {
  if (target instanceof Message) return unwrap(cel.select(target, name));
  if (target instanceof Optional) return optionalRead(target, name);
  const found = read(target, name);
  return found === undefined ? missing(target, name) : found;
}

/** `target[key]`. */
export function index(target: Value, key: Value): Value {
  if (!isQualifier(key)) return fail(`invalid qualifier type: ${implementationNameOf(key)}`);
  if (target instanceof Message) return unwrap(cel.index(target, key));
  if (target instanceof Optional) return optionalRead(target, key);
  const found = read(target, key);
  return found === undefined ? missing(target, key) : found;
}

/** `target.?name` (docs/spec/conditions.md#optional-values). */
export function optionalSelect(target: Value, name: string): Value {
  return optionalRead(target, name);
}

/** `target[?key]`. */
export function optionalIndex(target: Value, key: Value): Value {
  if (!isQualifier(key)) return fail(`invalid qualifier type: ${implementationNameOf(key)}`);
  return optionalRead(target, key);
}

/** `has(target.name)` (docs/spec/conditions.md#the-has-macro). */
export function has(target: Value, name: string): boolean {
  if (target instanceof Message) return unwrap(cel.has(target, name)) as boolean;
  if (target instanceof Optional) return target.value !== undefined && has(target.value, name);
  return read(target, name) !== undefined;
}

type Qualifier = string | boolean | bigint | number | Uint;

function isQualifier(key: Value): key is Qualifier {
  return ['string', 'boolean', 'bigint', 'number'].includes(typeof key) || key instanceof Uint;
}

function optionalRead(target: Value, key: Qualifier): Value {
  if (target instanceof Message)
    return unwrap(typeof key === 'string' ? cel.optionalSelect(target, key) : cel.optionalIndex(target, key));
  if (target instanceof Optional) return target.value === undefined ? target : optionalRead(target.value, key);
  return new Optional(read(target, key));
}

// The value, or undefined when it is absent. A list rejects some keys even where absence is allowed
// (docs/spec/conditions.md#optional-values).
function read(target: Value, key: Qualifier): Value | undefined {
  if (isMap(target)) return find(entriesOf(target), key)?.[1];
  if (Array.isArray(target)) return element(target, key);
  if (!(target instanceof Opaque)) return undefined;
  const found = target.element(key);
  return found === undefined ? undefined : unwrap(found);
}

function element(list: readonly Value[], key: Qualifier): Value | undefined {
  if (typeof key === 'string') return fail("unsupported index type 'string' in list");
  if (typeof key === 'boolean') return fail(`unsupported index type '${typeNameOf(key)}' in list`);
  if (typeof key === 'number' && !Number.isInteger(key)) return fail(`unsupported index value ${textOf(key)} in list`);
  const position = key instanceof Uint ? key.value : key;
  const beyond = typeof position === 'number' ? Math.abs(position) >= 2 ** 63 : position >= 2n ** 63n;
  if (beyond) return fail(`unsupported index value ${textOf(key)} in list`);
  return list[Number(position)];
}

function missing(target: Value, key: Qualifier): never {
  return fail(Array.isArray(target) ? `index out of bounds: ${textOf(key)}` : `no such key: ${textOf(key)}`);
}

/** A key as messages print it. */
export function textOf(key: Value): string {
  if (typeof key === 'number') return plainDoubleText(key);
  if (key instanceof Uint) return String(key.value);
  if (key instanceof TypeValue) return key.name;
  if (typeof key === 'object' && key !== null) return typeNameOf(key);
  return String(key);
}
