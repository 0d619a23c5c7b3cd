/** Where the attributes of a resource are stored: what a filter may be rendered for. */
export interface SqlTable {
  /** `contacts`. */
  readonly name: string;
  /** The name that the query gives the table, where it gives one. */
  readonly alias?: string;
  /** The resource's id as check gets it; a string. */
  readonly id?: SqlColumn;
  /**
   * By attribute: `owner`; `address.city` for a field of one, where check always gets an `address`. Attributes
   * without a column are refused.
   */
  readonly columns: { readonly [attributePath: string]: SqlColumn };
}

/** A column, and how its values become attributes for check. */
export interface SqlColumn {
  /** `owner_id`, or with the name of its table `contacts.owner_id`; without one it is a column of the table. */
  readonly column: string;
  readonly type: SqlType;
  /**
   * How check gets NULL: no attribute (`missing`, where absent), or the attribute `null`. `never`: the column is
   * declared NOT NULL.
   */
  readonly null?: 'missing' | 'null' | 'never';
  /** How the column compares texts; where absent, as the dialect's columns usually do. */
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
 * - `json`: any JSON, each value with the type it has. PostgreSQL: `jsonb`. SQLite: text. MySQL: refused.
 * - `list`: a JSON array of anything, stored the same way; a scalar in its place has no elements.
 */
export type SqlType = 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'json' | 'list';

/**
 * - `binary`: equality and order are those of bytes: SQLite's `BINARY`, PostgreSQL's `"C"`, MySQL's `utf8mb4_0900_bin`,
 *   not its `utf8mb4_bin`, which pads.
 *   SQLite's default.
 * - `deterministic`: equality is that of bytes, order is not: every collation of PostgreSQL that is not declared
 *   otherwise. PostgreSQL's default.
 * - `other`: texts that differ may be equal: `NOCASE`, `citext`, `utf8mb4_0900_ai_ci`. MySQL's default.
 */
export type Collation = 'binary' | 'deterministic' | 'other';

export type SqlDialect = 'sqlite' | 'postgresql' | 'mysql';
