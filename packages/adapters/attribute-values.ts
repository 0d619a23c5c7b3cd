/** How values of rows become attributes, as check receives them: the words of a mapping, read in memory. */
import type { JsonValue } from '../../runtime/residual/filters.js';
import type { SqlColumn, SqlDialect } from '../../runtime/residual/sql/index.js';

/**
 * The attribute for a value that a library read from a column.
 * @param place the attribute and the row, for messages.
 * @throws {TypeError} for a value that a column of this type does not have.
 */
export function convertAttribute(
  value: unknown,
  column: SqlColumn,
  { dialect, isParsed, isUtc, mayBeRounded = false }: Reading,
  place: string,
): JsonValue {
  switch (column.type) {
    case 'text':
    case 'uuid':
      return typeof value === 'string' ? value : refuse(value, 'a string', place);
    case 'integer':
      return parseInteger(value, place);
    case 'integer-as-text':
      return parseDigits(value, mayBeRounded, place);
    case 'number':
      return typeof value === 'number' ? value : refuse(value, 'a number', place);
    case 'decimal':
      return parseDecimal(value, place);
    case 'boolean':
      return parseBoolean(value, place);
    case 'timestamp':
      if (value instanceof Date && !isUtc && (dialect === 'mysql' || column.zone !== undefined))
        throw new TypeError(
          `${place} is a Date of a column without a zone, which drivers read in the zone of the process: read it as a string, ${AS_STRINGS[dialect]}`,
        );
      return parseTimestamp(value, column, dialect, place);
    case 'epoch-seconds':
      return parseMoment(value, 1000, place);
    case 'epoch-milliseconds':
      return parseMoment(value, 1, place);
    case 'text[]':
      return Array.isArray(value) ? (value as JsonValue) : refuse(value, 'a list', place);
    case 'json':
    case 'list':
      return parseDocument(value, isParsed, place);
  }
}

/**
 * Whether a value that a library read is a constant of the mapping. Drivers return integers as bigints or strings, too.
 *
 * @throws {TypeError} for a value of which that is not known: a related row that does not count denies nothing.
 */
export function isStored(value: unknown, wanted: string | number | boolean | null, place: string): boolean {
  if (value === null || wanted === null) return value === wanted;
  switch (typeof wanted) {
    case 'string':
      return typeof value === 'string' ? value === wanted : refuse(value, 'a string', place);
    case 'number':
      return (typeof value === 'boolean' ? Number(value) : parseDecimal(value, place)) === wanted;
    case 'boolean':
      return parseBoolean(value, place) === wanted;
  }
}

/** How a driver is told to return dates as strings. */
const AS_STRINGS: { readonly [dialect in SqlDialect]: string } = {
  postgresql: 'with `pg.types.setTypeParser(1114, (text) => text)` for node-postgres',
  mysql: 'with `dateStrings: true` for mysql2',
  sqlite: 'as it is stored',
};

/** How a library returns values. */
export interface Reading {
  readonly dialect: SqlDialect;
  /** Whether it parses JSON. */
  readonly isParsed: boolean;
  /** Whether a bigint may be made of a number that the driver rounded. */
  readonly mayBeRounded?: boolean;
  /** Whether a `Date` that it read from a column without a zone is in UTC, as far as is known. */
  readonly isUtc: boolean;
}

function refuse(value: unknown, expected: string, place: string): never {
  const given = value instanceof Date ? 'a Date' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
  throw new TypeError(`${place} is ${given}, and the mapping expects ${expected}`);
}

/** The nearest double, which conditions compare. */
function parseInteger(value: unknown, place: string): number {
  const isWhole =
    typeof value === 'bigint' ||
    (typeof value === 'number' && Number.isInteger(value)) ||
    (typeof value === 'string' && /^-?\d+$/.test(value));
  return isWhole ? Number(value) : refuse(value, 'an integer', place);
}

function parseDigits(value: unknown, mayBeRounded: boolean, place: string): string {
  if (typeof value === 'bigint') {
    if (mayBeRounded && !Number.isSafeInteger(Number(value)) && BigInt(Number(value)) === value)
      throw new TypeError(`${place} is an integer that the driver may have rounded: select it as a string`);
    return String(value);
  }
  if (typeof value === 'string' && /^(0|-?[1-9]\d*)$/.test(value)) return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  if (typeof value === 'number' && Number.isInteger(value))
    throw new TypeError(`${place} is an integer that was rounded when it was read: read it as a bigint or a string`);
  return refuse(value, 'an integer', place);
}

/** Libraries return decimals as strings, as numbers, or as objects of a library for decimals. */
function parseDecimal(value: unknown, place: string): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  const text = typeof value === 'object' && value !== null ? String(value) : value;
  if (text === 'NaN') return Number.NaN;
  return typeof text === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^-?Infinity$/i.test(text)
    ? Number(text)
    : refuse(value, 'a decimal', place);
}

/** Databases without booleans have 1 and 0. */
function parseBoolean(value: unknown, place: string): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 1n) return true;
  return value === 0 || value === 0n ? false : refuse(value, 'a boolean', place);
}

/** RFC 3339. What check cannot read as a timestamp stays what it is, and fails there as in the database. */
function parseTimestamp(value: unknown, { zone, precision }: SqlColumn, dialect: SqlDialect, place: string): string {
  // All values of PostgreSQL are dates, but for the infinite ones.
  if (value instanceof Date && dialect === 'postgresql' && Number.isNaN(value.getTime()))
    throw new TypeError(`${place} is a date that the library could not read: read it as a string`);
  if (value instanceof Date) return writeDate(value);
  if (value === Number.POSITIVE_INFINITY) return 'infinity';
  if (value === Number.NEGATIVE_INFINITY) return '-infinity';
  if (typeof value !== 'string') return refuse(value, 'a timestamp', place);
  // Conditions compare the text that SQLite stores.
  if (dialect === 'sqlite' && !TEXTS[zone ?? 'plain'].test(value))
    throw new TypeError(`${place} is not a timestamp in the format of the mapping: ${JSON.stringify(value)}`);
  const [, date, time, fraction = '', offset = ''] =
    /^(\d{4,6}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(value) ?? [];
  if (date === undefined) return value;
  if (offset === '' && zone === undefined)
    throw new TypeError(
      `${place} is a timestamp without a zone: ${value}. If it is in UTC, map it with \`zone: 'utc'\``,
    );
  const digits = precision === 6 ? fraction : fraction.slice(0, 3);
  const minutes = offset.length === 3 ? `${offset}:00` : offset.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  return `${date}T${time}${digits === '' ? '' : `.${digits}`}${minutes === '' ? 'Z' : minutes}`;
}

const TEXTS = {
  plain: /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  utc: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3})?$/,
  '+00:00': /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \+00:00$/,
};

function parseMoment(value: unknown, unit: number, place: string): string {
  if (value instanceof Date) return writeDate(unit === 1 ? value : new Date(Math.floor(value.getTime() / unit) * unit));
  return writeDate(new Date(parseInteger(value, place) * unit));
}

function writeDate(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'invalid' : date.toISOString();
}

function parseDocument(value: unknown, isParsed: boolean, place: string): JsonValue {
  if (isParsed || typeof value !== 'string') return value as JsonValue;
  try {
    return JSON.parse(value) as JsonValue;
  } catch {
    throw new TypeError(`${place} is not JSON`);
  }
}
