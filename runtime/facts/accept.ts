import { parseTimestamp } from '../../packages/cel/runtime/index.js';
import type { FactSource, FactType, PreparedSource } from './source.js';
import { absent } from './source.js';

/** The largest value, in characters, and the deepest. */
const MOST_CHARACTERS = 65_536;
const MOST_LEVELS = 64;

/** Why a source has no fact for a key. */
export type FailureReason =
  | 'failed'
  | 'deadline'
  | 'aborted'
  | 'paused'
  | 'busy'
  | 'shape'
  | 'type'
  | 'ambiguous'
  | 'not found'
  | 'stale'
  | 'skew';

/** A value that was copied, that there is none, or why it cannot be used. */
export type Accepted = { readonly value: unknown } | typeof absent | FailureReason;

/** The facts that a source returned for a key, by attribute. */
export type AcceptedRow = ReadonlyMap<string, Accepted> | FailureReason | 'no row';

/** What is known of the row of a key. */
export interface LoadedRow {
  readonly row: AcceptedRow;
  /** When the source was asked, in milliseconds since 1970. */
  readonly at: number;
  /** Whether the source failed, and this is what it returned before. */
  readonly stale?: boolean | undefined;
}

/**
 * The rows of an answer by key. Each value is read once, copied and frozen: a getter could have another value for the
 * decision than for the test of its type.
 */
export function acceptRows(
  answer: unknown,
  keys: readonly string[],
  source: PreparedSource,
  wanted: readonly string[],
): ReadonlyMap<string, AcceptedRow> {
  const found = rowsByKey(answer, source.keyField);
  let spellings: ReadonlySet<string> | undefined;
  const isSpeltOtherwise = (key: string): boolean => {
    spellings ??= new Set([...(found?.keys() ?? [])].map(foldKey));
    const folded = foldKey(key);
    return spellings.has(folded) || spellings.has(leadingNumber(folded));
  };
  return new Map(
    keys.map((key) => {
      if (found === undefined) return [key, 'shape'];
      const rows = found.get(key) ?? [];
      if (rows.length > 1) return [key, 'ambiguous'];
      const [row] = rows;
      if (row !== undefined && row !== null) return [key, acceptRow(row, key, source, wanted)];
      // Where no row says something, one that the source takes for that of the key must not count as none.
      return [key, source.notFound === 'absent' && !found.has(key) && isSpeltOtherwise(key) ? 'ambiguous' : 'no row'];
    }),
  );
}

/**
 * A key without what databases may ignore when they compare: case, accents, forms of Unicode, and spaces around, and how a
 * UUID is written.
 */
function foldKey(key: string): string {
  const folded = key.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
  const digits = folded.replace(/[-{}]/g, '');
  return /^[\da-f]{32}$/.test(digits) ? digits : folded;
}

/** The number that a column of integers compares with a text, such as 1 with `01`: MySQL reads the beginning. */
function leadingNumber(text: string): string {
  const digits = text.replace(/(\d)_(?=\d)/g, '$1');
  const whole = Number(digits);
  return String(Number.isNaN(whole) ? Number.parseFloat(digits) : whole);
}

/** Rows by key; undefined for an answer of another shape. */
function rowsByKey(answer: unknown, keyField: string): ReadonlyMap<string, readonly unknown[]> | undefined {
  const found = new Map<string, unknown[]>();
  const add = (key: unknown, row: unknown): boolean => {
    const text = keyText(key);
    if (text === undefined) return false;
    const same = found.get(text);
    if (same === undefined) found.set(text, [row]);
    else same.push(row);
    return true;
  };
  if (Array.isArray(answer)) {
    const isKeyed = answer.every((row) => isPlain(row) && add(readOwn(row, keyField), row));
    return isKeyed ? found : undefined;
  }
  const entries = listEntries(answer);
  if (entries !== undefined) return entries.every(([key, row]) => add(key, row)) ? found : undefined;
  if (!isPlain(answer) || Object.getOwnPropertySymbols(answer).length > 0) return undefined;
  for (const key of Object.keys(answer)) {
    const row = readOwn(answer, key);
    if (row === GETTER) return undefined;
    add(key, row);
  }
  return found;
}

/** The entries of a Map, also of one of another realm; undefined for anything else. */
function listEntries(answer: unknown): readonly (readonly [unknown, unknown])[] | undefined {
  if (Object.prototype.toString.call(answer) !== '[object Map]') return undefined;
  try {
    return [...Map.prototype.entries.call(answer as Map<unknown, unknown>)];
  } catch {
    return undefined;
  }
}

/** Keys of a database may be numbers, where a request has their digits. */
function keyText(key: unknown): string | undefined {
  if (typeof key === 'string') return key;
  return typeof key === 'bigint' || Number.isSafeInteger(key) ? String(key) : undefined;
}

function acceptRow(row: unknown, key: string, source: PreparedSource, wanted: readonly string[]): AcceptedRow {
  if (!isPlain(row)) return 'shape';
  const own = readOwn(row, source.keyField);
  // The row of another key, under this one.
  if (source.keyFact === undefined && own !== undefined && keyText(own) !== key) return 'shape';
  const values = new Map([...source.types.keys()].map((name) => [name, readOwn(row, name)] as const));
  // A row without any of its attributes, or with nothing but undefined, says nothing: a query may have left them out.
  if ([...values.values()].every((value) => value === undefined)) return 'shape';
  return new Map(
    wanted.map((name) => [name, acceptValue(values.get(name), source.types.get(name) ?? 'any', source.nullsOf(name))]),
  );
}

/** A value that a source returned, as a fact of a type. */
function acceptValue(value: unknown, type: FactType, nulls?: FactSource['nulls']): Accepted {
  if (value === undefined || value === absent) return absent;
  if (value === null) {
    if (nulls === undefined && type !== 'any') return 'type';
    return nulls === 'absent' ? absent : { value: null };
  }
  const copy = copyValue(value);
  return copy === REFUSED || !hasType(copy, type) ? 'type' : { value: copy };
}

function hasType(value: unknown, type: FactType): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    case 'timestamp':
      return typeof value === 'string' && TIMESTAMP.test(value) && parseTimestamp(value) !== undefined;
    case 'list':
      return Array.isArray(value);
    case 'map':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
}

const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** What no JSON is. */
const REFUSED = Symbol('refused');
const GETTER = Symbol('getter');

/** A copy of JSON that nothing else can change, or `REFUSED`. */
function copyValue(value: unknown): unknown {
  let left = MOST_CHARACTERS;
  const copy = (part: unknown, depth: number): unknown => {
    left -= 1;
    if (left < 0 || depth > MOST_LEVELS) return REFUSED;
    switch (typeof part) {
      case 'boolean':
        return part;
      case 'string':
        left -= part.length;
        return left < 0 || LONE_SURROGATE.test(part) ? REFUSED : part;
      case 'number':
        return Number.isFinite(part) ? part : REFUSED;
      case 'bigint':
        return BigInt(Number(part)) === part ? Number(part) : REFUSED;
      case 'object':
        if (part === null) return null;
        return Array.isArray(part) ? copyList(part, depth) : copyObject(part, depth);
      default:
        return REFUSED;
    }
  };
  const copyList = (list: readonly unknown[], depth: number): unknown => {
    const items: unknown[] = [];
    if (list.length > left) return REFUSED;
    for (let index = 0; index < list.length; index += 1) {
      const item = copy(readOwn(list, String(index)), depth + 1);
      if (item === REFUSED) return REFUSED;
      items.push(item);
    }
    return Object.freeze(items);
  };
  const copyObject = (object: object, depth: number): unknown => {
    if (Object.prototype.toString.call(object) === '[object Date]') return dateText(object) ?? REFUSED;
    if (!isPlain(object) || Object.getOwnPropertySymbols(object).length > 0) return REFUSED;
    const made: { [name: string]: unknown } = {};
    for (const name of Object.keys(object)) {
      const member = readOwn(object, name);
      if (member === undefined) continue;
      const item = copy(member, depth + 1);
      left -= name.length;
      if (item === REFUSED || left < 0 || LONE_SURROGATE.test(name)) return REFUSED;
      Object.defineProperty(made, name, { value: item, enumerable: true });
    }
    return Object.freeze(made);
  };
  return copy(value, 0);
}

/** A Date as RFC 3339, by the function of the platform; undefined for one that is invalid, or something else. */
function dateText(value: object): string | undefined {
  try {
    return Date.prototype.toISOString.call(value);
  } catch {
    return undefined;
  }
}

/** Whether a value is an object of JSON, and no instance of a class. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  // Objects of another realm, such as that of a test runner, have another `Object.prototype`.
  const known = prototype as object;
  return Object.getPrototypeOf(known) === null && Object.hasOwn(known, 'isPrototypeOf');
}

/** An own property, unless it is a getter, which could have another value when it is read again. */
function readOwn(object: object, name: string): unknown {
  const property = Object.getOwnPropertyDescriptor(object, name);
  if (property === undefined) return undefined;
  return 'value' in property ? property.value : GETTER;
}
