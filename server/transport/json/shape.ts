import type { Attributes } from '../../../proto/messages.js';
import { RpcError } from '../../service/rpc-error.js';

/** An object as JSON.parse makes it. */
export type JsonObject = { readonly [key: string]: unknown };

/** Reads the parts of a parsed document by the rules of the protobuf JSON mapping (server.md 1.4), and counts the keys it meets. */
export class Shape {
  keys = 0;

  object(value: unknown, name: string): JsonObject {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
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

  /** A map from name to any JSON value, taken as it is. Only numbers that no double can hold are refused. */
  attributes(value: unknown, name: string): Attributes {
    const root = this.object(value, name);
    this.#walk(root, name);
    return root;
  }

  /** Any JSON value, of which only the keys count. */
  anything(value: unknown, name: string): void {
    this.#walk([value], name);
  }

  /** Marks a field that has two spellings as met. Both in one object are one field twice. */
  once(met: number, bit: number, name: string): number {
    if ((met & bit) !== 0) throw new RpcError('invalid_argument', `invalid request: field \`${name}\` is there twice`);
    return met | bit;
  }

  unknownField(key: string, message: string): never {
    const place = message === '' ? '' : ` in \`${message}\``;
    throw new RpcError('invalid_argument', `invalid request: unknown field ${JSON.stringify(key.slice(0, 64))}${place}`);
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
          const item = (current as JsonObject)[key];
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
    throw new RpcError('invalid_argument', `invalid request: a number in \`${name}\` is out of range`);
  }
  if (typeof item !== 'object' || item === null) return open;
  if (open === undefined) return [item];
  open.push(item);
  return open;
}

function wrongType(name: string, wanted: string, value: unknown): never {
  const subject = name === '' ? 'the request' : `field \`${name}\``;
  throw new RpcError('invalid_argument', `invalid request: ${subject} must be ${wanted}, not ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
