import { JsonError } from './json-shape.js';

/** Strings up to this length are scanned here; for longer ones the platform is faster. */
const SHORT_TEXT = 48;

/** Quotes a string for JSON. Escapes only what JSON requires (docs/spec/server.md#json-mapping). */
export function quote(text: string): string {
  if (text.length > SHORT_TEXT) return JSON.stringify(text);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff))
      return JSON.stringify(text);
  }
  return `"${text}"`;
}

/**
 * `quote` for strings that recur in every response: kinds, versions and actions are quoted once and cached. Only for
 * these, because the cache is bounded by clearing it.
 */
export function quoteName(name: string): string {
  const known = QUOTED_NAMES.get(name);
  if (known !== undefined) return known;
  const quoted = JSON.stringify(name);
  if (name.length > SHORT_TEXT) return quoted;
  if (QUOTED_NAMES.size >= MAX_NAMES) QUOTED_NAMES.clear();
  QUOTED_NAMES.set(name, quoted);
  return quoted;
}

// A cache: printing a batch without it takes one and a half times as long (bench: server).
const QUOTED_NAMES = new Map<string, string>();
const MAX_NAMES = 4096;

/** The maximum depth of a printed value; requests may contain deeper ones, for which the stack is too small. */
export const MAX_PRINTED_DEPTH = 1000;

/**
 * A value as JSON: map keys sorted, negative zero as `-0`. Undefined if it contains a number that is not finite, which
 * JSON cannot represent, or is too deep.
 */
export function printValue(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return printNumber(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value === null || typeof value !== 'object') return 'null';
  if (depth === MAX_PRINTED_DEPTH) return undefined;
  return Array.isArray(value)
    ? printList(value, depth + 1)
    : printMap(value as { readonly [key: string]: unknown }, depth + 1);
}

function printNumber(value: number): string | undefined {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  return undefined;
}

function printList(list: readonly unknown[], depth: number): string | undefined {
  const items: string[] = [];
  for (const item of list) {
    const text = printValue(item, depth);
    if (text === undefined) return undefined;
    items.push(text);
  }
  return `[${items.join(',')}]`;
}

function printMap(map: { readonly [key: string]: unknown }, depth: number): string | undefined {
  const entries: string[] = [];
  for (const key of Object.keys(map).sort()) {
    const text = printValue(map[key], depth);
    if (text === undefined) return undefined;
    entries.push(`${quote(key)}:${text}`);
  }
  return `{${entries.join(',')}}`;
}

/** Any JSON value. Throws a JsonError with the caller's message for one that JSON cannot represent. */
export function printedValue(value: unknown, error: string): string {
  const text = printValue(value);
  if (text === undefined) throw new JsonError(error);
  return text;
}

/** Printed in place of a value that JSON cannot represent. */
export const UNPRINTABLE = '"the value is too deep, or has a number that JSON cannot represent"';

/** A list of strings. */
export function printStrings(strings: readonly string[]): string {
  return `[${strings.map(quote).join(',')}]`;
}

/** A map from string to string, in its order. */
export function printStringMap(strings: ReadonlyMap<string, string>): string {
  return `{${[...strings].map(([key, value]) => `${quote(key)}:${quote(value)}`).join(',')}}`;
}

/** A map from string to message, in its order. */
export function printMessageMap<Message>(
  messages: ReadonlyMap<string, Message>,
  print: (message: Message) => string,
): string {
  return `{${[...messages].map(([key, message]) => `${quote(key)}:${print(message)}`).join(',')}}`;
}

/** Whether an object has no members. */
export function isEmptyObject(object: object): boolean {
  for (const _ in object) return false;
  return true;
}
