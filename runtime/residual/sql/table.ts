/** Where the attributes of a resource are stored: the table for which a filter can be rendered. */
export interface SqlTable {
  /** `contacts`. */
  readonly name: string;
  /** The alias of the table in the query, if it has one. */
  readonly alias?: string;
  /** The id of the resource as check receives it; a string. */
  readonly id?: SqlColumn;
  /**
   * By attribute: `owner`; `address.city` for a field of one, if check always receives an `address`. Attributes without
   * a column are refused.
   */
  readonly columns: { readonly [attributePath: string]: SqlColumn };
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
