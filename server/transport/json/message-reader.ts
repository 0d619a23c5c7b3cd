import type { Attributes } from '../../../proto/messages.js';
import { parseJson } from './parse.js';
import { Shape } from './shape.js';

/** Reads a value of a parsed document. `name` is where it stands, for the text of an error. */
export type Reader<T> = (value: unknown, name: string, shape: Shape) => T;

/** How one field of a message is read, and what stands for it when it is absent or null. */
export interface Field<T> {
  readonly absent: T;
  readonly read: Reader<T>;
}

/** A whole request body, read by its shape. Throws an RpcError that says what is wrong and where (server.md 1.4). */
export function readDocument<T>(body: Buffer, read: Reader<T>): T {
  const document = parseJson(body);
  const shape = new Shape();
  const message = read(document.value, '', shape);
  document.checkKeys(shape.keys);
  return message;
}

/**
 * Reads a message whose fields stand in a table by their JSON names. A field is also known by its protobuf name, which is
 * the same in snake_case; both in one object are one field twice, a name that is neither is refused.
 */
export function messageReader<T extends object>(fields: Fields<T>): Reader<T> {
  return readerOf(fields, (key, _value, name, shape) => shape.unknownField(key, name));
}

/** Reads a message of a standard that asks to ignore the fields of its later versions: what they hold must be JSON, no more. */
export function tolerantReader<T extends object>(fields: Fields<T>): Reader<T> {
  return readerOf(fields, (key, value, name, shape) => shape.anything(value, name === '' ? key : `${name}.${key}`));
}

export type Fields<T> = { readonly [K in keyof T & string]: Field<T[K]> };

function readerOf<T extends object>(fields: Fields<T>, unknownField: (key: string, value: unknown, name: string, shape: Shape) => void): Reader<T> {
  const known = new Map<string, KnownField>();
  const absent: Record<string, unknown> = {};
  for (const [index, [name, { absent: value, read }]] of Object.entries<Field<unknown>>(fields).entries()) {
    const field = { name, bit: 1 << index, read };
    known.set(name, field);
    known.set(snakeCase(name), field);
    absent[name] = value;
  }
  return (value, name, shape) => {
    const object = shape.object(value, name);
    const message = { ...absent };
    let met = 0;
    for (const key in object) {
      shape.keys += 1;
      const field = known.get(key);
      if (field === undefined) {
        unknownField(key, object[key], name, shape);
        continue;
      }
      met = shape.once(met, field.bit, key);
      if (object[key] !== null) message[field.name] = field.read(object[key], name === '' ? field.name : `${name}.${field.name}`, shape);
    }
    return message as T;
  };
}

interface KnownField {
  readonly name: string;
  readonly bit: number;
  readonly read: Reader<unknown>;
}

export const text: Field<string> = { absent: '', read: (value, name, shape) => shape.string(value, name) };
export const flag: Field<boolean> = { absent: false, read: (value, name, shape) => shape.bool(value, name) };
export const texts: Field<readonly string[]> = { absent: Object.freeze([]), read: (value, name, shape) => shape.strings(value, name) };
/** A map from name to any JSON value. */
export const attributes: Field<Attributes> = { absent: Object.freeze({}), read: (value, name, shape) => shape.attributes(value, name) };

/** A message in a field. */
export function message<T>(read: Reader<T>): Field<T | undefined> {
  return { absent: undefined, read };
}

/** A list of messages. */
export function messages<T>(read: Reader<T>): Field<readonly T[]> {
  return {
    absent: Object.freeze([]),
    read: (value, name, shape) => shape.list(value, name).map((item) => read(item, `${name}[]`, shape)),
  };
}

/** A map from name to message. */
export function messagesByName<T>(read: Reader<T>): Field<ReadonlyMap<string, T>> {
  return {
    absent: new Map(),
    read: (value, name, shape) => {
      const object = shape.object(value, name);
      const entries = new Map<string, T>();
      for (const key in object) {
        shape.keys += 1;
        entries.set(key, read(object[key], `${name}[]`, shape));
      }
      return entries;
    },
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
