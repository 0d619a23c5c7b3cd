import type { Dialect } from './dialect.js';
import { allOf, given, sql, type Sql } from './fragment.js';
import { Refusal } from './refusal.js';
import { isRelation, type SqlColumn, type SqlColumns, type SqlRelation, type SqlTable } from './table.js';
import { type Json, type Scalar, scalar, type ScalarType, type SqlValue } from './value.js';

/** The context in which a part of a filter is rendered. */
export interface Scope {
  readonly dialect: Dialect;
  readonly table: SqlTable;
  /** The variables of the enclosing lambdas. */
  readonly bound: ReadonlyMap<string, SqlValue>;
  /** Whether a row is selected where this part is not true. */
  readonly isNegated?: boolean;
  readonly joins?: Joins;
  readonly statement: Statement;
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
  private aliases = 0;
  private steps = 0;
  /** The number of conditions that are also true where SQL cannot tell whether they hold. */
  guesses = 0;

  constructor(table: SqlTable) {
    this.prefix = aliasPrefix(table);
  }

  /** A name that no other subquery has, nor a table or a column of the query. */
  alias(): string {
    this.aliases += 1;
    return `${this.prefix}${this.aliases}`;
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
  const given = [name, alias, ...(id === undefined ? [] : [id.column]), ...namesOf(columns)];
  const names = given.flatMap((one) => one.toLowerCase().split('.'));
  let prefix = 'authz_';
  while (names.some((one) => one.startsWith(prefix))) prefix += '_';
  return prefix;
}

/** The names of columns and of related tables. */
function namesOf(columns: SqlColumns): readonly string[] {
  return Object.values(columns).flatMap((stored) => {
    if (!isRelation(stored)) return [stored.column];
    const { table, on, columns: theirs = {}, value } = stored;
    return [table, ...Object.entries(on).flat(), ...(value === undefined ? [] : [value.column]), ...namesOf(theirs)];
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
  const isWhole = owner === undefined && column.includes('.');
  return sql`${identifier(isWhole ? column : `${owner ?? table.alias ?? table.name}.${column}`, dialect.quote)}`;
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
      return { ...dialect.document(written, isNull), ...isThere };
    case 'list':
      return isNull
        ? dialect.document(written, true)
        : ({ ...dialect.document(written, false), list: written, ...isThere } satisfies Json);
    case 'timestamp':
      return scalar('timestamp', written, 'binary', { null: absence, isUnread: true });
    case 'text':
    case 'integer':
    case 'number':
    case 'boolean':
      return scalar(column.type, written, column.collation ?? dialect.collation, {
        null: absence,
        mayBeNan: column.type === 'number' && dialect.hasNan,
      });
  }
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
export function booleanOf({ dialect }: Scope, value: boolean): Sql {
  return dialect.name === 'postgresql' ? given(value, '::boolean') : given(Number(value));
}

/**
 * The name of a column or a table, quoted if necessary: `contacts.owner_id`, `"Contacts"."order"`.
 * @throws for a name that no database allows: an empty one, one with a NUL, one with more than 128 characters.
 */
export function identifier(name: string, quote: '"' | '`'): string {
  return name
    .split('.')
    .map((part) => quoted(part, quote))
    .join('.');
}

function quoted(name: string, quote: '"' | '`'): string {
  if (name === '' || name.length > 128 || /[\u0000-\u001f]/.test(name))
    throw new TypeError(`not the name of a column or a table: ${JSON.stringify(name)}`);
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name)) return name;
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
