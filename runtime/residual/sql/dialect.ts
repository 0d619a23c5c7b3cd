import type { Sql } from './fragment.js';
import type { Collation, SqlDialect } from './table.js';
import type { Json, JsonType, ScalarType } from './value.js';

/**
 * What differs between databases. Conditions are TRUE where what they say holds; texts are by bytes unless something
 * else is said.
 */
export interface Dialect {
  readonly name: SqlDialect;
  readonly quote: '"' | '`';
  /** That of a column of which nothing is said. */
  readonly collation: Collation;
  /** That of texts that are computed, or read out of JSON. */
  readonly computed: Collation;
  /** Whether texts may have a NUL. */
  readonly hasNul: boolean;
  /** Whether numbers may be NaN, and NaN is the largest of them. */
  readonly hasNan: boolean;
  /** How many digits of a second timestamps have. */
  readonly secondDigits: 3 | 6;
  placeholder(position: number): string;

  constant(value: string | number | boolean, type: ScalarType): Sql;
  /** A boolean that is true. */
  isTrue(boolean: Sql): Sql;
  isFalse(boolean: Sql): Sql;
  /** Equal or both NULL. */
  same(a: Sql, b: Sql): Sql;
  differ(a: Sql, b: Sql): Sql;
  /** An integer as a double. */
  real(integer: Sql): Sql;
  /** A text that compares by bytes. */
  byBytes(text: Sql): Sql;
  /** A time that check can get: one of the years 1 to 9999, on a day that exists. */
  isMoment(timestamp: Sql): Sql;

  startsWith(text: Sql, start: TextPart): Sql;
  endsWith(text: Sql, end: TextPart): Sql;
  contains(text: Sql, part: TextPart): Sql;
  /** Code points; the alias is for a subquery. */
  length(text: Sql, alias: string): Sql;
  concat(a: Sql, b: Sql): Sql;
  /** Of ASCII letters only; undefined where the database changes others too. */
  lower: ((text: Sql) => Sql) | undefined;
  upper: ((text: Sql) => Sql) | undefined;

  /** A column that holds a document; where NULL is the value null, it says so. */
  document(column: Sql, isNull: boolean): Json;
  /** Undefined where no document has such a name. */
  field(json: Json, name: string): Json | undefined;
  element(json: Json, position: number): Json;
  hasType(json: Json, type: JsonType): Sql;
  isOtherThan(json: Json, type: JsonType): Sql;
  /** NULL where it is of another type. */
  as(json: Json, type: 'text' | 'number' | 'boolean'): Sql;
  /** Equal to a constant; FALSE where it is another value, NULL where there is none. */
  equals(json: Json, operator: '=' | '<>', value: string | number | boolean): Sql | undefined;
  /** Equal to one of several constants, or to none of them; NULL where there is no value. */
  among: ((json: Json, values: readonly (string | number | boolean)[], isIn: boolean) => Sql | undefined) | undefined;
  /** Whether a list has an element, by an index on the list where there is one; it may be true of other values. */
  holds: ((list: Json, value: string | number | boolean) => Sql | undefined) | undefined;
  /** The function that `items` calls, where a table of the same name hides it. */
  readonly itemsFunction: string | undefined;
  /** The elements of an array, or the entries of an object. */
  items(json: Json, type: 'array' | 'object', alias: string): Items;
  /** How many elements or entries, how many code points; NULL of anything else. The alias is for a subquery. */
  size(json: Json, alias: string): Sql;
}

/** What a text starts with, ends with or contains. */
export interface TextPart {
  readonly sql: Sql;
  /** Where it is constant; not empty, without NUL. */
  readonly constant: string | undefined;
}

export interface Items {
  /** What follows FROM. */
  readonly from: Sql;
  /** The position from 0, or the name of the entry. */
  readonly key: Sql;
  readonly element: Json;
}
