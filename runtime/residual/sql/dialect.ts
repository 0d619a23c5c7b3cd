import type { Sql } from './fragment.js';
import type { Collation, SqlDialect } from './table.js';
import type { Json, JsonType, Scalar, ScalarType } from './value.js';

/**
 * The differences between databases. Conditions are TRUE where they hold; strings compare by bytes unless noted
 * otherwise.
 */
export interface Dialect {
  readonly name: SqlDialect;
  readonly quote: '"' | '`';
  /** Whether to quote all names, even those that need no quotes. Default: false. */
  readonly quotesAll?: boolean;
  /** The collation of a column without a declared one. */
  readonly collation: Collation;
  /** The collation of strings that are computed or read from JSON. */
  readonly computed: Collation;
  /** Whether strings may contain a NUL character. */
  readonly hasNul: boolean;
  /** Whether numbers may be NaN, and NaN is the largest of them. */
  readonly hasNan: boolean;
  /** The number of fractional digits of a second in timestamps. */
  readonly secondDigits: 3 | 6;
  /** A true condition that makes the database evaluate a subquery on another table for each row. */
  readonly perRow: Sql;
  /** Whether a table has rows for which a condition is TRUE: TRUE or FALSE. */
  exists(from: Sql, where: Sql): Sql;
  /**
   * Where the key of a row is one of those of related rows; undefined if `exists` is as fast. Whether it is TRUE, or FALSE
   * or NULL.
   */
  semiJoin: ((keys: RelatedKeys, isChoice: boolean) => Sql | undefined) | undefined;
  placeholder(position: number): string;

  constant(value: string | number | boolean, type: ScalarType): Sql;
  /** Many constants of one type as an array in one parameter; undefined for few, and if the dialect has no arrays. */
  array: ((values: readonly (string | number)[], type: ScalarType) => Sql | undefined) | undefined;
  /** A boolean that is true. */
  isTrue(boolean: Sql): Sql;
  isFalse(boolean: Sql): Sql;
  /** Equal or both NULL. */
  same(a: Sql, b: Sql): Sql;
  differ(a: Sql, b: Sql): Sql;
  /** An integer as a double. */
  real(integer: Sql): Sql;
  /** A decimal as the nearest double. */
  decimal(decimal: Sql): Sql;
  /** A UUID or an integer as check receives it: in lower case, or its digits. */
  asText(column: Sql): Sql;
  /** Such a constant as the type of its column. */
  stored(text: string, type: 'uuid' | 'integer-as-text'): Sql;
  /** A string that compares by bytes. */
  byBytes(text: Sql): Sql;
  /** A timestamp that check can receive: one of the years 1 to 9999, on a day that exists. */
  isMoment(timestamp: Sql): Sql;

  startsWith(text: Sql, start: TextPart): Sql;
  endsWith(text: Sql, end: TextPart): Sql;
  contains(text: Sql, part: TextPart): Sql;
  /** Code points; the alias is for a subquery. */
  length(text: Sql, alias: string): Sql;
  concat(a: Sql, b: Sql): Sql;
  /** The number of pieces into which a string is split. */
  pieces(text: Sql, separator: string): Sql;
  /** One of the pieces, where there are so many; undefined for a position that the dialect cannot reach. */
  piece(text: Sql, separator: string, position: number): Sql | undefined;
  /** A field in the calendar of a timestamp in UTC, or of one without a zone; undefined if there is none. */
  calendarField(timestamp: Sql, accessor: string, hasZone: boolean): Sql;
  /** How far two timestamps are apart, and a time apart of microseconds, or of milliseconds in SQLite. */
  apart(left: Sql, right: Sql): Sql;
  timeApart(units: bigint): Sql;
  /** Changes ASCII letters only; undefined if the database changes other letters too. */
  lower: ((text: Sql) => Sql) | undefined;
  upper: ((text: Sql) => Sql) | undefined;

  /**
   * A column that holds a document: NULL is the JSON value null (`null`), or the JSON value null is NULL, as libraries
   * read both as null (`missing`).
   */
  document(column: Sql, nulls: 'missing' | 'null' | undefined): Json;
  /** A column with a list of texts, of a dialect that reads no other documents. An element that is no text is NULL. */
  textList?: (column: Sql) => Json;
  /** Undefined if no document can have such a name. */
  field(json: Json, name: string): Json | undefined;
  element(json: Json, position: number): Json;
  hasType(json: Json, type: JsonType): Sql;
  isOtherThan(json: Json, type: JsonType): Sql;
  /**
   * A timestamp that a document contains as a string. It is NULL for anything else, and for some strings that check
   * reads.
   */
  moment(json: Json): Sql;
  /** Whether a document contains a string that check may read as a timestamp. */
  mayBeMoment(json: Json): Sql;
  /** NULL if it has another type. */
  as(json: Json, type: 'text' | 'number' | 'boolean'): Sql;
  /** Equal to a constant; FALSE if it is another value, NULL if there is none. */
  equals(json: Json, operator: '=' | '<>', value: string | number | boolean): Sql | undefined;
  /** Equal to one of several constants, or to none of them; NULL if there is no value. */
  among: ((json: Json, values: readonly (string | number | boolean)[], isIn: boolean) => Sql | undefined) | undefined;
  /** Whether a list contains an element, by an index on the list if there is one; it may be true for other values. */
  holds: ((list: Json, value: string | number | boolean) => Sql | undefined) | undefined;
  /** Does what `holds` does, for a string that the statement knows. */
  holdsText?: (list: Sql, text: Sql) => Sql;
  /** The function that `items` calls, if a table of the same name would hide it. */
  readonly itemsFunction: string | undefined;
  /** The elements of an array, or the entries of an object. */
  items(json: Json, type: 'array' | 'object', alias: string): Items;
  /** The number of elements, entries or code points; NULL for any other value. The alias is for a subquery. */
  size(json: Json, alias: string): Sql;
}

/** The keys of related rows, and the column that equals one of them. */
export interface RelatedKeys {
  readonly ours: Sql;
  readonly theirs: Sql;
  readonly from: Sql;
  readonly where: Sql;
}

/** The string that another one starts with, ends with or contains. */
export interface TextPart {
  readonly sql: Sql;
  /** If it is constant; not empty, without NUL. */
  readonly constant: string | undefined;
}

export interface Items {
  /** The expression after FROM. */
  readonly from: Sql;
  /** The position from 0, or the name of the entry. */
  readonly key: Sql;
  readonly element: Json | Scalar;
}
