import type { Moment } from './moment.js';
import type { FieldElement, Rule } from './violation.js';

const string: FieldElement = { number: 14, name: 'string', type: 'TYPE_MESSAGE' };
const repeated: FieldElement = { number: 18, name: 'repeated', type: 'TYPE_MESSAGE' };
const items: FieldElement = { number: 4, name: 'items', type: 'TYPE_MESSAGE' };
const map: FieldElement = { number: 19, name: 'map', type: 'TYPE_MESSAGE' };
const keys: FieldElement = { number: 4, name: 'keys', type: 'TYPE_MESSAGE' };
const uint32: FieldElement = { number: 5, name: 'uint32', type: 'TYPE_MESSAGE' };
const enumeration: FieldElement = { number: 16, name: 'enum', type: 'TYPE_MESSAGE' };
const timestamp: FieldElement = { number: 22, name: 'timestamp', type: 'TYPE_MESSAGE' };
const minLength: FieldElement = { number: 2, name: 'min_len', type: 'TYPE_UINT64' };

/** The rules of docs/spec/server.md#form-of-violations, each with its text. */
export const REQUIRED: Rule = {
  id: 'required',
  message: 'value is required',
  path: [{ number: 25, name: 'required', type: 'TYPE_BOOL' }],
};

/** A oneof is no field, and its rule none of a field. */
export const ONE_FIELD: Rule = { id: 'required', message: 'exactly one field is required in oneof', path: [] };

export const ITEM_NOT_EMPTY: Rule = {
  id: 'string.min_len',
  message: 'must be at least 1 characters',
  path: [repeated, items, string, minLength],
};

export const KEY_NOT_EMPTY: Rule = { ...ITEM_NOT_EMPTY, path: [map, keys, string, minLength] };

export const UNIQUE: Rule = {
  id: 'repeated.unique',
  message: 'repeated value must contain unique items',
  path: [repeated, { number: 3, name: 'unique', type: 'TYPE_BOOL' }],
};

/** The rule that a moment is before the present one. */
export const PAST: Rule = {
  id: 'timestamp.lt_now',
  message: 'must be less than now',
  path: [timestamp, { number: 7, name: 'lt_now', type: 'TYPE_BOOL' }],
};

/** The rule that a list has so many items or more. */
export function atLeast(count: number): Rule {
  return {
    id: 'repeated.min_items',
    message: `must contain at least ${count} item(s)`,
    path: [repeated, { number: 1, name: 'min_items', type: 'TYPE_UINT64' }],
  };
}

/** The rule that a list has no more items than so many. */
export function atMost(count: number): Rule {
  return {
    id: 'repeated.max_items',
    message: `must contain no more than ${count} item(s)`,
    path: [repeated, { number: 2, name: 'max_items', type: 'TYPE_UINT64' }],
  };
}

/** The rule that the items of a list have no more characters than so many. */
export function itemAtMost(length: number): Rule {
  return {
    id: 'string.max_len',
    message: `must be at most ${length} characters`,
    path: [repeated, items, string, { number: 3, name: 'max_len', type: 'TYPE_UINT64' }],
  };
}

/** The rule that a text matches a pattern; the pattern is part of the message. */
export function matching(pattern: RegExp): Rule {
  return {
    id: 'string.pattern',
    message: `does not match regex pattern \`${pattern.source}\``,
    path: [string, { number: 6, name: 'pattern', type: 'TYPE_STRING' }],
  };
}

/** The rule that a text is one of a few. */
export function oneOf(texts: readonly string[]): Rule {
  return {
    id: 'string.in',
    message: `must be in list [${texts.join(', ')}]`,
    path: [string, { number: 10, name: 'in', type: 'TYPE_STRING' }],
  };
}

/** The rule that an enum is one of a few of its values, which are known by their names. */
export function oneOfValues(names: readonly string[]): Rule {
  return {
    id: 'enum.in',
    message: `must be in list [${names.join(', ')}]`,
    path: [enumeration, { number: 3, name: 'in', type: 'TYPE_INT32' }],
  };
}

/** The rule that a number is neither less than the one nor more than the other. */
export function withinNumbers(least: number, most: number): Rule {
  return {
    id: 'uint32.gte_lte',
    message: `must be greater than or equal to ${least} and less than or equal to ${most}`,
    path: [uint32, { number: 5, name: 'gte', type: 'TYPE_UINT32' }],
  };
}

/** A rule about a message that is written as an expression. */
export function expression(id: string, message: string): Rule {
  return { id, message, path: [] };
}

/** Lists up to this length are compared pair by pair: cheaper than a set. */
const SHORT_LIST = 8;

/** Whether no text is there twice. */
export function isUnique(texts: readonly string[]): boolean {
  if (texts.length > SHORT_LIST) return new Set(texts).size === texts.length;
  for (let index = 1; index < texts.length; index++) {
    for (let earlier = 0; earlier < index; earlier++) {
      if (texts[index] === texts[earlier]) return false;
    }
  }
  return true;
}

/** Whether a predicate holds for all items of a list. Hot: every check. */
export function allItems<T>(list: readonly T[], holds: (item: T) => boolean): boolean {
  for (let index = 0; index < list.length; index++) {
    if (!holds(list[index] as T)) return false;
  }
  return true;
}

/** Whether a predicate holds for all values of a map. */
export function allValues<T>(map: ReadonlyMap<string, T>, holds: (value: T) => boolean): boolean {
  if (map.size === 0) return true;
  for (const value of map.values()) if (!holds(value)) return false;
  return true;
}

/** The entries of a map in the order of their keys. */
export function byKey<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether a text has no more characters than so many; a pair of surrogates is one. */
export function isAtMost(text: string, length: number): boolean {
  if (text.length <= length) return true;
  return text.length <= 2 * length && [...text].length <= length;
}

/** Whether a moment was before another, which is in milliseconds since 1970. */
export function isPast(moment: Moment, now: number): boolean {
  return millisecondsOf(moment) < now;
}

/** A moment in milliseconds since 1970, a duration in milliseconds. */
export function millisecondsOf({ seconds, nanos }: Moment): number {
  return seconds * 1000 + nanos / 1_000_000;
}
