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
 * Columns by attribute: `owner`; `address.city` for a field of one, if check always receives an `address`. Attributes without
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
   * `many`: also the rows that these are related to, and so on: the columns of `on`, each with the column of a found row
   * that it equals, such as `{ id: 'parent_id' }`. Each row is once in the list.
   */
  readonly closure?: { readonly [column: string]: string };
  /**
   * `one`: whether the database guarantees that no second row is related, as by a primary key. Otherwise each condition
   * counts them, and does not select a row with several.
   */
  readonly unique?: boolean;
  /**
   * Which of these rows count: those whose columns have these values, or are NULL. For rows that an application hides,
   * such as `{ deleted_at: null }`.
   */
  readonly where?: SqlRowFilter;
  /**
   * How policies of a database read these rows: by default as a role that sees all of them. `plain`: as whoever runs the
   * statement, as the database shows all of these rows to everyone. Relations within it need it as well.
   */
  readonly trust?: 'plain';
  /** The fields of the object, or of each element. Their columns are named without a table. */
  readonly columns?: SqlColumns;
  /** `many`: instead of `columns`, the column of the elements. Where it is NULL and `missing`, there is no element. */
  readonly value?: SqlColumn;
}

/** The value that a column has in the rows that count; `null` for NULL. */
export interface SqlRowFilter {
  readonly [column: string]: string | number | boolean | null;
}

/** Where principals are stored: a table with their ids, roles and attributes. */
export interface SqlUsers extends SqlTable {
  readonly id: SqlColumn;
  /**
   * Their roles: a column with a list, a column with one role, or the rows of another table with a `value`. Where roles
   * have a table of their own, the rows that name them have one column instead, `one` row of that table with one column.
   * A user without a role, or with a role that is no text or empty, is no principal: `check` refuses it.
   */
  readonly roles: SqlColumn | SqlRelation;
  /** Which rows are users, as in a relation: `{ deleted_at: null }`. The others are nobody. */
  readonly where?: SqlRowFilter | undefined;
  /** The scope of all of them as requests have it, or the column with that of each; NULL is none. */
  readonly scope?: string | SqlColumn | undefined;
}

/** Whether an attribute is stored in another table. */
export function isRelation(stored: SqlColumn | SqlRelation): stored is SqlRelation {
  return 'relation' in stored;
}

/** What is wrong with a closure; undefined if nothing is. */
export function findClosureProblem({
  on,
  closure,
  relation,
}: Required<Pick<SqlRelation, 'on' | 'closure' | 'relation'>>): string | undefined {
  if (relation !== 'many') return 'it needs `relation: many`, as any number of rows may be found';
  const [first, further] = [on, closure].map((columns) => Object.keys(columns).sort());
  if (first?.join() !== further?.join() || first?.length === 0)
    return 'it needs the columns of `on`, by which each step finds rows: with `on: {id: folder_id}`, `closure: {id: parent_id}`';
  return undefined;
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
  /**
   * `json` and `list`, with `null: 'missing'`: check receives no attribute for the JSON value null either, as libraries
   * read both as null. Without it, that value is null for check.
   */
  readonly jsonNull?: 'missing';
  /**
   * `json` and `list` of PostgreSQL: the program parses a string of the column once more, so that `"1"` is a number for check.
   * Conditions that read the column select no row with such a string.
   */
  readonly jsonStrings?: 'parsed';
  /** How the column compares strings; by default as columns of the dialect usually do. */
  readonly collation?: Collation;
  /**
   * `timestamp`: the column has no time zone and is in UTC. PostgreSQL: `timestamp`. SQLite: text such as
   * `2020-01-01 00:00:00.000`, also without milliseconds; with `+00:00`, text such as `2020-01-01 00:00:00.000 +00:00`.
   */
  readonly zone?: 'utc' | '+00:00';
  /**
   * `timestamp`: the digits of a second that check receives, if they are fewer than those of the column; 3 for programs
   * that read it as a `Date`.
   */
  readonly precision?: 3 | 6;
  /** `text`, PostgreSQL: the values of an enum, which an index compares. Without it, comparisons with others fail. */
  readonly values?: readonly string[];
}

/**
 * - `text`: text of any length; no `char(n)`, which pads.
 * - `uuid`: `uuid` of PostgreSQL and MariaDB, as a string in lower case; in SQLite it is text.
 * - `integer`: whole numbers of up to 64 bits; check gets the nearest double.
 * - `integer-as-text`: such numbers, of which check gets the digits as a string, such as keys.
 * - `number`: double precision. A row with NaN, which JSON cannot represent, is selected only where check allows it as NaN
 *   and as null.
 * - `decimal`: `numeric`, `DECIMAL`; check gets the nearest double.
 * - `boolean`: true or false; 1 or 0 in SQLite and MySQL.
 * - `timestamp`: read with `timestamp(...)` by policies; check gets RFC 3339. PostgreSQL: `timestamptz`. MySQL:
 *   `DATETIME(6)` in UTC. SQLite: text in
 *   UTC with milliseconds, as `toISOString` writes it, which sorts as time does.
 * - `epoch-seconds`, `epoch-milliseconds`: such a timestamp, stored as the whole number of them since 1970.
 * - `json`: any JSON, each value with the type it has. PostgreSQL: `jsonb`. SQLite: text. MySQL: not supported.
 * - `list`: a JSON array of anything, stored the same way; a scalar in its place has no elements.
 * - `text[]`: an array of strings of PostgreSQL.
 */
export type SqlType = (typeof SQL_TYPES)[number];

/** The words for types of columns, in the order in which messages list them. */
export const SQL_TYPES = [
  'text',
  'integer',
  'number',
  'boolean',
  'timestamp',
  'json',
  'list',
  'uuid',
  'integer-as-text',
  'decimal',
  'epoch-seconds',
  'epoch-milliseconds',
  'text[]',
] as const;

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

/** A column of a table with the name that a statement has for the table. */
export function pathOfColumn({ name, alias = name }: Pick<SqlTable, 'name' | 'alias'>, column: string): string {
  return column.includes('.') ? column : `${alias}.${column}`;
}
