import type { Dialect } from './dialect.js';
import { allOf, given, OF_RESOURCE, sql, type Sql, visitTables } from './fragment.js';
import { Refusal } from './refusal.js';
import { selectFormat } from './moment-format.js';
import {
  isRelation,
  pathOfColumn,
  type SqlColumn,
  type SqlColumns,
  type SqlRelation,
  type SqlRowFilter,
  type SqlTable,
} from './table.js';
import { type Json, type Scalar, scalar, type ScalarType, type SqlValue } from './value.js';

/** The context in which a part of a filter is rendered. */
export interface Scope {
  readonly dialect: Dialect;
  readonly table: SqlTable;
  /** The variables of the enclosing lambdas. */
  readonly bound: ReadonlyMap<string, SqlValue>;
  /** Whether a row is selected where this part is not true. */
  readonly isNegated?: boolean;
  /** Whether another part may hold in the place of this one. */
  readonly isChoice?: boolean;
  readonly joins?: Joins;
  /** How closures are found: by a set that the database makes once, or `row`: for each row. */
  readonly closures?: 'set' | 'row' | undefined;
  /** What a statement knows of who runs it, by variable; undefined for other variables. */
  readonly session?: (variable: string) => SqlValue | undefined;
  /**
   * A query of the keys of related rows, for a statement that may not see these rows itself. With it, related rows are
   * read in no other way, unless their relation says that everyone sees them.
   */
  readonly keySet?: (set: KeySet) => Sql;
  readonly statement: Statement;
  /** Where the rows of the table are principals: where their roles and scopes are. Rows are resources without it. */
  readonly users?: StoredUsers | undefined;
}

/** Where a table of users has what no attribute is. */
export interface StoredUsers {
  readonly roles: SqlColumn | SqlRelation;
  readonly scope?: SqlColumn | undefined;
  /** Which rows are users. */
  readonly where?: SqlRowFilter | undefined;
}

/** How the variables of a row begin: `request.resource` or, of a table of users, `request.principal`. */
export function rootOf({ users }: Scope): string {
  return users === undefined ? 'request.resource' : 'request.principal';
}

/** Related rows by their keys. */
export interface KeySet {
  readonly relation: SqlRelation;
  /** Their columns that relate them to the resource. */
  readonly theirs: readonly Sql[];
  readonly from: Sql;
  readonly where: Sql;
}

/** The related rows that a condition reads as objects, and those of the conditions around it. */
export interface Joins {
  readonly outer: Joins | undefined;
  readonly own: Join[];
}

/** A related row that must exist for a condition to be true. */
interface Join {
  readonly relation: SqlRelation;
  /** The alias of the table that it is related to; undefined for that of the resource. */
  readonly owner: string | undefined;
  readonly alias: string;
}

/** The scope of a part for a row that is selected where the part is not true. */
export function negated(scope: Scope): Scope {
  return { ...scope, isNegated: scope.isNegated !== true };
}

/** The statement that is being written. */
export class Statement {
  private readonly prefix: string;
  private readonly depths = new Map<string, number>();
  private steps = 0;
  /** The number of conditions that are also true where SQL cannot tell whether they hold. */
  guesses = 0;

  /** @param perRowClosures collects the tables whose closures are found for each row. */
  constructor(
    table: SqlTable,
    private readonly dialect: Dialect,
    readonly perRowClosures: Set<string> = new Set(),
  ) {
    this.prefix = aliasPrefix(table);
  }

  /** A name that no other subquery has, nor a table or a column of the query. */
  alias(): string {
    const depth = this.depths.size + 1;
    const alias = identifier(`${this.prefix}${depth}`, this.dialect);
    this.depths.set(alias, depth);
    return alias;
  }

  /** Whether a piece reads only columns of the table with an alias, and of those within it. */
  readsOnly(alias: string, piece: Sql): boolean {
    const least = this.aliasDepth(alias);
    let isOwn = true;
    visitTables(piece, (table) => {
      if (table === OF_RESOURCE || this.aliasDepth(table) < least) isOwn = false;
    });
    return isOwn;
  }

  /** Aliases are numbered: those of subqueries within another one are greater. */
  private aliasDepth(alias: string): number {
    return this.depths.get(alias) ?? 0;
  }

  /** A short filter may have long SQL: each `if` repeats its condition. */
  step(): void {
    this.steps += 1;
    if (this.steps > MOST_STEPS) throw new Refusal('filter', 'the condition is too long for a statement');
  }
}

const MOST_STEPS = 20_000;

/** A prefix that no name of the table, its alias or its columns starts with; databases may ignore the case of names. */
function aliasPrefix({ name, alias = name, id, columns }: SqlTable): string {
  const given = [name, alias, ...(id === undefined ? [] : [id.column]), ...listNames(columns)];
  const names = given.flatMap((one) => one.toLowerCase().split('.'));
  let prefix = 'authz_';
  while (names.some((one) => one.startsWith(prefix))) prefix += '_';
  return prefix;
}

/** The names of columns and of related tables. */
function listNames(columns: SqlColumns): readonly string[] {
  return Object.values(columns).flatMap((stored) => {
    if (!isRelation(stored)) return [stored.column];
    const { table, on, closure = {}, columns: theirs = {}, value } = stored;
    const related = [...Object.entries(on), ...Object.entries(closure)].flat();
    return [table, ...related, ...(value === undefined ? [] : [value.column]), ...listNames(theirs)];
  });
}

/** The alias of a subquery that reads the elements of a list or the entries of a map. */
export function aliasOfItems({ dialect, table, statement }: Scope): string {
  const name = table.name.split('.').at(-1) as string;
  if (name.toLowerCase() === dialect.itemsFunction)
    throw new Refusal(name, 'a table of this name hides the function that reads lists and maps');
  return statement.alias();
}

/**
 * The name of a column in the statement.
 * @param owner the alias of its table; undefined for the table of the resource.
 * @throws for a column of a related table that is named with a table.
 */
export function columnName({ dialect, table }: Scope, column: string, owner: string | undefined): Sql {
  if (owner !== undefined && column.includes('.'))
    throw new TypeError(`a column of a related table is named without its table: ${JSON.stringify(column)}`);
  if (owner !== undefined) return { ...sql`${owner}.${identifier(column, dialect)}`, columnOf: owner };
  return { ...sql`${identifier(pathOfColumn(table, column), dialect)}`, columnOf: OF_RESOURCE };
}

/** What NULL and the JSON value null in a column are, of which `missing` makes both NULL. */
function nullsOf({ type, null: absence = 'missing', jsonNull }: SqlColumn): 'missing' | 'null' | undefined {
  if (absence === 'null') return 'null';
  return absence === 'missing' && jsonNull === 'missing' && type !== 'text[]' ? 'missing' : undefined;
}

/** A column as a value: of the table, or of a related one with an alias. */
export function columnValue(scope: Scope, column: SqlColumn, owner?: string): SqlValue {
  const { dialect } = scope;
  const written = columnName(scope, column.column, owner);
  const { null: absence = 'missing' } = column;
  const isNull = absence === 'null';
  const isThere = absence === 'never' ? { isThere: true } : {};
  switch (column.type) {
    case 'json':
      return { ...dialect.document(written, nullsOf(column)), ...isThere };
    case 'list':
      return isNull
        ? dialect.document(written, 'null')
        : ({ ...dialect.document(written, nullsOf(column)), list: written, ...isThere } satisfies Json);
    case 'text[]': {
      const array = textArray(scope, written);
      return {
        ...dialect.document(array, nullsOf(column)),
        array: written,
        ...(isNull ? {} : { list: array }),
        ...isThere,
      };
    }
    case 'timestamp':
    case 'epoch-seconds':
    case 'epoch-milliseconds':
      return scalar('timestamp', written, 'binary', {
        null: absence,
        isUnread: true,
        format: selectFormat(dialect.name, column),
      });
    case 'uuid':
    case 'integer-as-text':
      return storedText(dialect, column.type, written, absence);
    case 'decimal':
      return scalar('number', dialect.decimal(written), dialect.collation, {
        null: absence,
        mayBeNan: dialect.hasNan,
      });
    case 'text':
      if (column.values !== undefined && dialect.name === 'postgresql')
        return enumValue(dialect, written, absence, column.values);
      return scalar('text', written, column.collation ?? dialect.collation, { null: absence });
    case 'integer':
    case 'number':
    case 'boolean':
      return scalar(column.type, written, column.collation ?? dialect.collation, {
        null: absence,
        mayBeNan: column.type === 'number' && dialect.hasNan,
      });
  }
}

/** The elements of an array as JSON. */
function textArray({ dialect }: Scope, column: Sql): Sql {
  if (dialect.name !== 'postgresql') throw new Refusal('variable', 'an array, which only PostgreSQL has');
  return sql`to_jsonb(${column})`;
}

/** A column of an enum, which the database compares with its own values alone. */
function enumValue(
  dialect: Dialect,
  column: Sql,
  absence: NonNullable<SqlColumn['null']>,
  values: readonly string[],
): Scalar {
  return scalar('text', dialect.asText(column), dialect.computed, {
    null: absence,
    stored: {
      column,
      constant: (text) => (values.includes(text) ? dialect.constant(text, 'text') : undefined),
      cast: '',
    },
  });
}

/** A column whose values check receives as strings. */
function storedText(
  dialect: Dialect,
  type: 'uuid' | 'integer-as-text',
  column: Sql,
  absence: NonNullable<SqlColumn['null']>,
): Scalar {
  const isStored = type === 'uuid' ? (text: string) => UUID.test(text) : isInteger64;
  return scalar('text', dialect.asText(column), dialect.computed, {
    null: absence,
    stored: {
      column,
      constant: (text) => (isStored(text) ? dialect.stored(text, type) : undefined),
      cast: type === 'uuid' ? '::uuid' : '::bigint',
    },
  });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function isInteger64(text: string): boolean {
  return /^(0|-?[1-9]\d{0,18})$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/** A constant string that is compared with another string; undefined if the database cannot represent it. */
export function textConstant({ dialect }: Scope, operator: string, text: string): Sql | undefined {
  if (/\p{Surrogate}/u.test(text)) throw new Refusal(operator, 'a string with an unpaired surrogate');
  return !dialect.hasNul && text.includes('\0') ? undefined : dialect.constant(text, 'text');
}

/** `timestamp(...)` of a string in a JSON document. */
export function momentIn({ dialect }: Scope, json: Json): Scalar {
  const read = dialect.moment(json);
  const isOnlyForCheck = allOf(dialect.hasType(json, 'text'), dialect.mayBeMoment(json), sql`${read} IS NULL`);
  return scalar('timestamp', read, 'binary', { isUnread: false, isOnlyForCheck });
}

/** The value of a JSON document as a scalar of one type, NULL if it has another. */
export function jsonAs({ dialect }: Scope, json: Json, type: ScalarType): Scalar {
  if (type === 'timestamp')
    throw new Refusal('timestamp', 'a timestamp in a JSON document, which is a string in any format');
  const read = type === 'integer' ? 'number' : type;
  return scalar(read, dialect.as(json, read), dialect.computed);
}

/** A boolean constant in the syntax of the dialect. */
export function booleanConstant({ dialect }: Scope, value: boolean): Sql {
  return dialect.name === 'postgresql' ? given(value, '::boolean') : given(Number(value));
}

/**
 * The name of a column or a table, quoted where the dialect needs it: `contacts.owner_id`, `"Contacts"."order"`.
 * @throws for a name that no database allows: an empty one, one with a NUL, one with more than 128 characters.
 */
export function identifier(name: string, dialect: Quoting): string {
  return name
    .split('.')
    .map((part) => quoted(part, dialect))
    .join('.');
}

/** How a dialect quotes names. */
type Quoting = Pick<Dialect, 'quote' | 'quotesAll'>;

function quoted(name: string, { quote, quotesAll = false }: Quoting): string {
  if (name === '' || name.length > 128 || /[\u0000-\u001f]/.test(name))
    throw new TypeError(`not the name of a column or a table: ${JSON.stringify(name)}`);
  if (!quotesAll && /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name)) return name;
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
}

/** Words that some dialect does not allow as a name. A superfluous word is only quoted needlessly. */
const RESERVED: ReadonlySet<string> = new Set(
  `abort accessible action add after all alter always analyse analyze and any array as asc asensitive asymmetric attach authorization autoincrement before begin
  between bigint binary blob both by call cascade case cast change char character check collate collation column commit concurrently condition conflict
  constraint continue convert create cross cube cume_dist current current_catalog current_date current_role current_schema current_time current_timestamp
  current_user cursor database databases day_hour day_microsecond day_minute day_second dec decimal declare default deferrable deferred delayed delete
  dense_rank desc describe detach deterministic distinct distinctrow div do double drop dual each else elseif empty enclosed end escape escaped every except
  exclude exclusive exists exit explain fail false fetch filter first first_value float float4 float8 following for force foreign freeze from full fulltext
  function generated get glob grant group grouping groups having high_priority hour_microsecond hour_minute hour_second if ignore ilike immediate in index
  indexed infile initially inner inout insensitive insert instead int int1 int2 int3 int4 int8 integer intersect interval into is isnull iterate join json_table
  key keys kill lag last last_value lateral lead leading leave left like limit linear lines load localtime localtimestamp lock long longblob longtext loop
  low_priority match materialized maxvalue mediumblob mediumint mediumtext middleint minute_microsecond minute_second mod modifies natural no not nothing
  notnull nth_value ntile null nulls numeric of offset on only optimize optimizer_costs option optionally or order others out outer outfile over overlaps
  partition percent_rank placing plan pragma preceding precision primary procedure purge query raise range rank read reads read_write real recursive
  references regexp reindex release rename repeat replace require resignal restrict return returning revoke right rlike rollback row row_number rows
  savepoint schema schemas second_microsecond select sensitive separator session_user set show signal similar smallint some spatial specific sql
  sqlexception sqlstate sqlwarning ssl starting stored straight_join symmetric system system_user table tablesample temp temporary terminated then ties
  tinyblob tinyint tinytext to trailing transaction trigger true unbounded undo union unique unlock unsigned update usage use user using utc_date utc_time
  utc_timestamp vacuum values varbinary varchar varcharacter variadic varying verbose view virtual when where while window with without write xor
  year_month zerofill`.split(/\s+/),
);
