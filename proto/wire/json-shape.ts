import { parseDuration, type Moment, parseTimestamp } from './moment.js';

/** Valid JSON, but not the expected message. */
export class JsonError extends Error {}

/** The value of an absent list. */
export const NO_ITEMS: readonly never[] = Object.freeze([]);

/** The value of absent attributes. */
export const NO_ATTRIBUTES: Attributes = Object.freeze({});

/** An object as created by JSON.parse. */
export type ParsedObject = { readonly [key: string]: unknown };

/**
 * Reads the parts of a parsed document by the rules of the protobuf JSON mapping (docs/spec/server.md#json-mapping),
 * and counts the keys it meets. Methods throw a JsonError that names the location.
 */
export class Shape {
  keys = 0;

  object(value: unknown, name: string): ParsedObject {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as ParsedObject;
    return wrongType(name, 'an object', value);
  }

  list(value: unknown, name: string): readonly unknown[] {
    return Array.isArray(value) ? value : wrongType(name, 'a list', value);
  }

  string(value: unknown, name: string): string {
    return typeof value === 'string' ? value : wrongType(name, 'a string', value);
  }

  bool(value: unknown, name: string): boolean {
    return typeof value === 'boolean' ? value : wrongType(name, 'true or false', value);
  }

  strings(value: unknown, name: string): readonly string[] {
    const list = this.list(value, name);
    for (const item of list) {
      if (typeof item !== 'string') wrongType(name, 'a list of strings', item);
    }
    return list as readonly string[];
  }

  uint32(value: unknown, name: string): number {
    return isWithin(value, 0, 2 ** 32 - 1) ? value : wrongValue(name, 'a number that is not negative');
  }

  /** An enum is one of the names, or a number, which may be one without a name. The names are indexed by number. */
  enum(value: unknown, name: string, names: readonly string[]): number {
    if (isWithin(value, -(2 ** 31), 2 ** 31 - 1)) return value;
    const number = names.indexOf(value as string);
    return number >= 0 ? number : wrongValue(name, `one of ${names.join(', ')}`);
  }

  timestamp(value: unknown, name: string): Moment {
    return parseTimestamp(this.string(value, name)) ?? wrongValue(name, 'an RFC 3339 timestamp');
  }

  duration(value: unknown, name: string): Moment {
    return parseDuration(this.string(value, name)) ?? wrongValue(name, 'a duration such as `3.5s`');
  }

  /** A map from name to message. */
  messages<Message>(
    value: unknown,
    name: string,
    read: (value: unknown, name: string, shape: Shape) => Message,
  ): ReadonlyMap<string, Message> {
    const object = this.object(value, name);
    const messages = new Map<string, Message>();
    for (const key in object) {
      this.keys += 1;
      messages.set(key, read(object[key], `${name}[]`, this));
    }
    return messages;
  }

  /** The field of a oneof that is set; `before` is the previous one. */
  oneof<Field extends { readonly by: string }>(before: Field | undefined, field: Field): Field {
    if (before !== undefined) throw new JsonError(`only one of \`${before.by}\`, \`${field.by}\` may be there`);
    return field;
  }

  /** A map from name to any JSON value, taken unchanged. Only numbers that no double can represent are refused. */
  attributes(value: unknown, name: string): Attributes {
    const root = this.object(value, name);
    this.#walk(root, name);
    return root;
  }

  /** Any JSON value; only its keys are counted. */
  anything(value: unknown, name: string): void {
    this.#walk([value], name);
  }

  /** Records that a field with two spellings was met. Both spellings in one object are a duplicate field. */
  once(met: number, bit: number, name: string): number {
    if ((met & bit) !== 0) throw new JsonError(`field \`${name}\` is there twice`);
    return met | bit;
  }

  unknownField(key: string, message: string): never {
    const place = message === '' ? '' : ` in \`${message}\``;
    throw new JsonError(`unknown field ${JSON.stringify(key.slice(0, 64))}${place}`);
  }

  #walk(root: object, name: string): void {
    let open: object[] | undefined;
    let current: object | undefined = root;
    while (current !== undefined) {
      if (Array.isArray(current)) {
        for (const item of current) if (typeof item !== 'string') open = openIfNested(item, open, name);
      } else {
        for (const key in current) {
          this.keys += 1;
          const item = (current as ParsedObject)[key];
          if (typeof item !== 'string') open = openIfNested(item, open, name);
        }
      }
      current = open?.pop();
    }
  }
}

function openIfNested(item: unknown, open: object[] | undefined, name: string): object[] | undefined {
  if (typeof item === 'number') {
    if (Number.isFinite(item)) return open;
    throw new JsonError(`a number in \`${name}\` is out of range`);
  }
  if (typeof item !== 'object' || item === null) return open;
  if (open === undefined) return [item];
  open.push(item);
  return open;
}

function wrongType(name: string, wanted: string, value: unknown): never {
  const subject = name === '' ? 'the request' : `field \`${name}\``;
  throw new JsonError(`${subject} must be ${wanted}, not ${nameKind(value)}`);
}

function wrongValue(name: string, wanted: string): never {
  throw new JsonError(`field \`${name}\` must be ${wanted}`);
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function nameKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Any JSON value, by property name. Only own properties count; `__proto__` is an ordinary name. */
// biome-ignore lint/suspicious/noExplicitAny: attributes that an application sends are any JSON.
export type Attributes = { readonly [name: string]: any };

/** A read-only JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}
