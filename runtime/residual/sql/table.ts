/** Where the attributes of a resource are stored: the table for which a filter can be rendered. */
export interface SqlTable {
  /** `contacts`. */
  readonly name: string;
  /** The alias of the table in the query, if it has one. */
  readonly alias?: string;
  /** The id of the resource as check receives it; a string. */
  readonly id?: SqlColumn;
  readonly columns: SqlColumns;
}

/**
 * By attribute: `owner`; `address.city` for a field of one, if check always receives an `address`. Attributes without
 * a column are refused.
 */
export interface SqlColumns {
  readonly [attributePath: string]: SqlColumn | SqlRelation;
}

/**
 * An attribute that is stored in another table. `one`: check receives an object with the columns of the related row, or
 * no attribute if there is none. `many`: check receives a list with an element for each related row, in any order.
 */
export interface SqlRelation {
  readonly relation: 'one' | 'many';
  /** The name of the other table. */
  readonly table: string;
  /** The columns of the other table, each with the column here that it equals: `{ id: 'owner_id' }`. */
  readonly on: { readonly [column: string]: string };
  /**
   * `one`: whether the database guarantees that no second row is related, as by a primary key. Otherwise each condition
   * counts them, and does not select a row with several.
   */
  readonly unique?: boolean;
  /** The fields of the object, or of each element. Their columns are named without a table. */
  readonly columns?: SqlColumns;
  /** `many`: instead of `columns`, the column of the elements. Where it is NULL and `missing`, there is no element. */
  readonly value?: SqlColumn;
}

/** Whether an attribute is stored in another table. */
export function isRelation(stored: SqlColumn | SqlRelation): stored is SqlRelation {
  return 'relation' in stored;
}

/** A column, and how its values become attributes for check. */
export interface SqlColumn {
  /** `owner_id`, or with the name of its table `contacts.owner_id`; without one it is a column of the table. */
  readonly column: string;
  readonly type: SqlType;
  /**
   * What check receives for NULL: no attribute (`missing`, the default), or the attribute `null`. `never`: the column
   * is declared NOT NULL.
   */
  readonly null?: 'missing' | 'null' | 'never';
  /** How the column compares strings; by default as columns of the dialect usually do. */
  readonly collation?: Collation;
}

/**
 * - `text`: text of any length; no `char(n)`, which pads.
 * - `integer`: whole numbers of up to 64 bits; check gets the nearest double.
 * - `number`: double precision. A row with NaN, which JSON cannot represent, is selected only where check allows it as NaN
 *   and as null.
 * - `boolean`: true or false; 1 or 0 in SQLite and MySQL.
 * - `timestamp`: read with `timestamp(...)` by policies; check gets RFC 3339. PostgreSQL: `timestamptz`. MySQL:
 *   `DATETIME(6)` in UTC. SQLite: text in
 *   UTC with milliseconds, as `toISOString` writes it, which sorts as time does.
 * - `json`: any JSON, each value with the type it has. PostgreSQL: `jsonb`. SQLite: text. MySQL: not supported.
 * - `list`: a JSON array of anything, stored the same way; a scalar in its place has no elements.
 */
export type SqlType = 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'json' | 'list';

/**
 * - `binary`: equality and order are by bytes: SQLite's `BINARY`, PostgreSQL's `"C"`, MySQL's `utf8mb4_0900_bin`,
 *   not its `utf8mb4_bin`, which pads.
 *   SQLite's default.
 * - `deterministic`: equality is by bytes, order is not: every collation of PostgreSQL that is not declared
 *   otherwise. PostgreSQL's default.
 * - `other`: different strings may be equal: `NOCASE`, `citext`, `utf8mb4_0900_ai_ci`. MySQL's default.
 */
export type Collation = 'binary' | 'deterministic' | 'other';

export type SqlDialect = 'sqlite' | 'postgresql' | 'mysql';
