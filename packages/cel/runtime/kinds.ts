import {
  CelError,
  Duration,
  type JsonMap,
  Message,
  Opaque,
  Optional,
  type Result,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
  ValueMap,
} from './values.js';

/**
 * What sort of value a value is (docs/spec/conditions.md#kinds-of-values): one name for each row of the union `Value`,
 * JSON and literal maps together.
 */
export type Kind =
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'list'
  | 'map'
  | 'timestamp'
  | 'duration'
  | 'type'
  | 'optional'
  | 'message'
  | 'opaque';

/** The kind of a value. */
export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    default:
      return value === null ? 'null' : kindOfObject(value as object);
  }
}

/** Whether a value is a map as JSON gives it: only own properties are entries. */
export function isJsonMap(value: Result): value is JsonMap {
  if (typeof value !== 'object' || value === null) return false;
  return !(value instanceof CelError) && !(value instanceof ValueMap) && kindOfObject(value) === 'map';
}

/** Whether a value is a list. */
export function isList(value: Result): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether a value is a map of either sort. */
export function isMap(value: Result): value is JsonMap | ValueMap {
  return value instanceof ValueMap || isJsonMap(value);
}

function kindOfObject(value: object): Kind {
  if (Array.isArray(value)) return 'list';
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return 'map';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Duration) return 'duration';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof Optional) return 'optional';
  if (value instanceof Message) return 'message';
  if (value instanceof Opaque) return 'opaque';
  // A literal map, or a plain object of another realm: JSON still, own properties only.
  return 'map';
}
