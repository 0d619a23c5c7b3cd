import type { JsonValue } from '../operand.js';
import type { Timestamp } from '../../../packages/cel/runtime/index.js';
import type { Sql } from './fragment.js';
import type { MomentFormat } from './moment-format.js';
import type { Collation, SqlColumns, SqlRelation } from './table.js';

/** A value of a filter in SQL. */
export type SqlValue = Constant | Moment | Scalar | Shifted | Json | RelatedRow | RelatedRows | Failed;

export interface Constant {
  readonly kind: 'constant';
  readonly value: JsonValue;
}

/** A constant timestamp. */
export interface Moment {
  readonly kind: 'moment';
  readonly at: Timestamp;
}

export type ScalarType = 'text' | 'integer' | 'number' | 'boolean' | 'timestamp';

/** An expression of one type. Its NULL is a failure (`missing`), or the value null; or it is never NULL (`never`). */
export interface Scalar {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  readonly sql: Sql;
  readonly null: 'missing' | 'null' | 'never';
  readonly collation: Collation;
  /** An int of CEL, whose arithmetic differs from that of doubles; attributes are doubles. */
  readonly isInt?: boolean;
  /** A timestamp in its column: check sees a string until `timestamp(...)` reads it. */
  readonly isUnread?: boolean;
  /** The format in which a timestamp column stores moments. */
  readonly format?: MomentFormat;
  /** The column of a string that is stored as another type, and a constant as that type, for an index. */
  readonly stored?: Stored;
  /** Where check may read a timestamp that the dialect does not: the expression is then NULL. */
  readonly isOnlyForCheck?: Sql;
  /** The exponent of the power of two that the result of arithmetic stays below. */
  readonly bits?: number;
  /** Whether it is the same for every row of a statement: of the principal who runs it. */
  readonly isOfStatement?: boolean;
  /** Whether it may be NaN, which PostgreSQL treats as the largest number. */
  readonly mayBeNan?: boolean;
}

/** A column that has another type than the string that check receives. */
export interface Stored {
  readonly column: Sql;
  /** The value that is the string; undefined if the string itself must be compared. */
  readonly constant: (text: string) => Sql | undefined;
  /** PostgreSQL: the cast of a constant. */
  readonly cast: string;
}

/** A number with constants added, multiplied and so on: a monotonic function of the number. */
export interface Shifted {
  readonly kind: 'shifted';
  readonly of: Scalar;
  readonly apply: (value: number) => number;
  readonly falls: boolean;
}

/** A value of a JSON document, of any type. */
export interface Json {
  readonly kind: 'json';
  /** The value in the form in which the dialect reads values from documents. */
  readonly sql: Sql;
  /** The type's name in the dialect; NULL if there is no value. */
  readonly type: Sql;
  /** SQLite: its location. */
  readonly place?: { readonly document: Sql; readonly path: string };
  /** The column, where its JSON value null is no value, as NULL is not. Its fields and elements are the same. */
  readonly column?: Sql;
  /** The column of a list; NULL if there is none. A value other than an array has no elements. */
  readonly list?: Sql;
  /** The column of a list that is an array of strings. */
  readonly array?: Sql;
  /** Whether it is never NULL. */
  readonly isThere?: boolean;
}

/** A row of a related table: an object. */
export interface RelatedRow {
  readonly kind: 'row';
  /** The table's alias in the subquery. */
  readonly alias: string;
  readonly columns: SqlColumns;
  /** The path before the fields of an object: `address` for `address.city`; empty for the row. */
  readonly path: string;
}

/** The rows of a related table: a list. */
export interface RelatedRows {
  readonly kind: 'rows';
  readonly relation: SqlRelation;
  /** The alias of the table that they are related to; undefined for that of the resource. */
  readonly owner: string | undefined;
}

/** An expression that never has a value. */
export interface Failed {
  readonly kind: 'failed';
}

export const FAILED: Failed = { kind: 'failed' };

export type JsonType = 'null' | 'boolean' | 'number' | 'text' | 'array' | 'object';

/** An expression of one type, NULL where it fails. */
export function scalar(type: ScalarType, sql: Sql, collation: Collation, more: Partial<Scalar> = {}): Scalar {
  return { kind: 'scalar', type, sql, null: 'missing', collation, ...more };
}
