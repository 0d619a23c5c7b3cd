import type { Moment } from './moment.js';
import type { FieldElement, FieldType, Rule } from './violation.js';

const string = element(14, 'string', 'TYPE_MESSAGE');
const repeated = element(18, 'repeated', 'TYPE_MESSAGE');
const items = element(4, 'items', 'TYPE_MESSAGE');
const map = element(19, 'map', 'TYPE_MESSAGE');
const keys = element(4, 'keys', 'TYPE_MESSAGE');
const uint32 = element(5, 'uint32', 'TYPE_MESSAGE');
const enumeration = element(16, 'enum', 'TYPE_MESSAGE');
const timestamp = element(22, 'timestamp', 'TYPE_MESSAGE');
const minLength = element(2, 'min_len', 'TYPE_UINT64');

function element(fieldNumber: number, fieldName: string, fieldType: FieldType): FieldElement {
  return { fieldNumber, fieldName, fieldType };
}

/** The rules of docs/spec/server.md#form-of-violations, each with its message. */
export const REQUIRED: Rule = {
  ruleId: 'required',
  message: 'value is required',
  rule: { elements: [element(25, 'required', 'TYPE_BOOL')] },
};

/** A oneof is not a field, so its rule is not a field rule. */
export const ONE_FIELD: Rule = { ruleId: 'required', message: 'exactly one field is required in oneof' };

export const ITEM_NOT_EMPTY: Rule = {
  ruleId: 'string.min_len',
  message: 'must be at least 1 characters',
  rule: { elements: [repeated, items, string, minLength] },
};

export const KEY_NOT_EMPTY: Rule = { ...ITEM_NOT_EMPTY, rule: { elements: [map, keys, string, minLength] } };

export const UNIQUE: Rule = {
  ruleId: 'repeated.unique',
  message: 'repeated value must contain unique items',
  rule: { elements: [repeated, element(3, 'unique', 'TYPE_BOOL')] },
};

/** The rule that a time is in the past. */
export const PAST: Rule = {
  ruleId: 'timestamp.lt_now',
  message: 'must be less than now',
  rule: { elements: [timestamp, element(7, 'lt_now', 'TYPE_BOOL')] },
};

/** The rule for the minimum number of items in a list. */
export function atLeast(count: number): Rule {
  return {
    ruleId: 'repeated.min_items',
    message: `must contain at least ${count} item(s)`,
    rule: { elements: [repeated, element(1, 'min_items', 'TYPE_UINT64')] },
  };
}

/** The rule for the maximum number of items in a list. */
export function atMost(count: number): Rule {
  return {
    ruleId: 'repeated.max_items',
    message: `must contain no more than ${count} item(s)`,
    rule: { elements: [repeated, element(2, 'max_items', 'TYPE_UINT64')] },
  };
}

/** The rule for the maximum length of the items of a list, in characters. */
export function itemAtMost(length: number): Rule {
  return {
    ruleId: 'string.max_len',
    message: `must be at most ${length} characters`,
    rule: { elements: [repeated, items, string, element(3, 'max_len', 'TYPE_UINT64')] },
  };
}

/** The rule that a string matches a pattern; the pattern is part of the message. */
export function matching(pattern: RegExp): Rule {
  return {
    ruleId: 'string.pattern',
    message: `does not match regex pattern \`${pattern.source}\``,
    rule: { elements: [string, element(6, 'pattern', 'TYPE_STRING')] },
  };
}

/** The rule that a string is one of the given ones. */
export function oneOf(texts: readonly string[]): Rule {
  return {
    ruleId: 'string.in',
    message: `must be in list [${texts.join(', ')}]`,
    rule: { elements: [string, element(10, 'in', 'TYPE_STRING')] },
  };
}

/** The rule that an enum is one of the given values, which are referred to by name. */
export function oneOfValues(names: readonly string[]): Rule {
  return {
    ruleId: 'enum.in',
    message: `must be in list [${names.join(', ')}]`,
    rule: { elements: [enumeration, element(3, 'in', 'TYPE_INT32')] },
  };
}

/** The rule that a number is in an inclusive range. */
export function withinNumbers(least: number, most: number): Rule {
  return {
    ruleId: 'uint32.gte_lte',
    message: `must be greater than or equal to ${least} and less than or equal to ${most}`,
    rule: { elements: [uint32, element(5, 'gte', 'TYPE_UINT32')] },
  };
}

/** A rule about a message that is written as an expression. */
export function expression(id: string, message: string): Rule {
  return { ruleId: id, message };
}

/** Lists up to this length are compared pair by pair: cheaper than a set. */
const SHORT_LIST = 8;

/** Whether all strings are distinct. */
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

/** The entries of a map, sorted by key. */
export function byKey<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether a string has at most this many characters; a surrogate pair counts as one. */
export function isAtMost(text: string, length: number): boolean {
  if (text.length <= length) return true;
  return text.length <= 2 * length && [...text].length <= length;
}

/** Whether a timestamp is before a time in milliseconds since 1970. */
export function isPast(moment: Moment, now: number): boolean {
  return toMilliseconds(moment) < now;
}

/** A timestamp in milliseconds since 1970, or a duration in milliseconds. */
export function toMilliseconds({ seconds, nanos }: Moment): number {
  return seconds * 1000 + nanos / 1_000_000;
}
