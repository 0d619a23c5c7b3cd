import type { JsonValue } from '../operand.js';
import type { Timestamp } from '../../cel/index.js';
import type { Sql } from './fragment.js';
import type { Collation } from './table.js';

/** A value of a filter, as SQL has it. */
export type SqlValue = Constant | Moment | Scalar | Shifted | Json | Failed;

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

/** An expression of one type. Its NULL is a failure (`missing`), or the value null; or it has none (`never`). */
export interface Scalar {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  readonly sql: Sql;
  readonly null: 'missing' | 'null' | 'never';
  readonly collation: Collation;
  /** An int of CEL, which has other arithmetic than the doubles that attributes are. */
  readonly isInt?: boolean;
  /** A timestamp as it stands in its column: a text to check, until `timestamp(...)` has read it. */
  readonly isUnread?: boolean;
  /** Of arithmetic: the power of two that it stays below. */
  readonly bits?: number;
  /** Whether it may be NaN, which PostgreSQL takes for the largest number. */
  readonly mayBeNan?: boolean;
}

/** A number with constants added, multiplied and the like: as the number grows it grows, or falls. */
export interface Shifted {
  readonly kind: 'shifted';
  readonly of: Scalar;
  readonly apply: (value: number) => number;
  readonly falls: boolean;
}

/** A value of a JSON document: whatever type it has. */
export interface Json {
  readonly kind: 'json';
  /** As the dialect reads values out of documents. */
  readonly sql: Sql;
  /** As the dialect names types; NULL where there is no value. */
  readonly type: Sql;
  /** SQLite: where it stands. */
  readonly place?: { readonly document: Sql; readonly path: string };
  /** The column of a list; NULL where there is none. A value other than an array has no elements. */
  readonly list?: Sql;
  /** Whether it is never NULL. */
  readonly isThere?: boolean;
}

/** What never has a value. */
export interface Failed {
  readonly kind: 'failed';
}

export const FAILED: Failed = { kind: 'failed' };

export type JsonType = 'null' | 'boolean' | 'number' | 'text' | 'array' | 'object';

/** An expression of one type, NULL where it fails. */
export function scalar(type: ScalarType, sql: Sql, collation: Collation, more: Partial<Scalar> = {}): Scalar {
  return { kind: 'scalar', type, sql, null: 'missing', collation, ...more };
}
