/** What the adapters for query builders share: a mapping that names columns of a schema, and the condition of a plan. */
import {
  renderSql,
  type RuleFilter,
  type SqlColumn,
  type SqlColumns,
  type SqlDialect,
  type SqlParameter,
  type SqlRelation,
  type SqlTable,
} from '../../runtime/residual/sql/index.js';
import { findClosureProblem } from '../../runtime/residual/sql/table.js';
import type { Filter } from '../../runtime/residual/filters.js';
import { requireAbsence } from './absence.js';
import { ColumnTypeError, type DeclaredColumn, requireFit } from './column-types.js';
import { refuseOverlaps } from './overlaps.js';
import { UnsupportedPlanError } from '../../runtime/residual/sql/unsupported-plan.js';

export { UnsupportedPlanError };

/** A column of a schema, and how its values become attributes for check. */
export type MappedColumn<Column extends string> = Omit<SqlColumn, 'column'> & {
  readonly column: Column;
  /**
   * The type of the column in the database, such as `varchar(20)`, where the schema does not say it: for domains and
   * other types that an adapter does not know, and for libraries without types at run time.
   */
  readonly sqlType?: string;
};

/** The tables that a relation can name: the columns of each. These are any tables, of which no type knows the columns. */
export interface AnyTables {
  readonly [table: string]: string;
}

/** An attribute that is stored in another table, related by columns that both tables have in the schema. */
export type MappedRelation<Column extends string, Tables extends object = AnyTables> = {
  readonly [Name in keyof Tables & string]: Pick<SqlRelation, 'relation' | 'unique'> & {
    readonly table: Name;
    /** The columns of the other table, each with the column here that it equals: `{ id: 'owner_id' }`. */
    readonly on: { readonly [Other in Tables[Name] & string]?: Column };
    /**
     * `many`: also the rows that these are related to, and so on: the columns of `on`, each with the column of a found row
     * that it equals: `{ id: 'parentId' }`.
     */
    readonly closure?: { readonly [Other in Tables[Name] & string]?: Tables[Name] & string };
    /** Which rows count, by column of the other table, beside those that its model hides: `{ deletedAt: null }`. */
    readonly where?: { readonly [Other in Tables[Name] & string]?: string | number | boolean | null };
    /** The property of a row in which the library returns the related rows; by default the name of the attribute. */
    readonly property?: string;
    /** The fields of the object, or of each element. */
    readonly columns?: MappedColumns<Tables[Name] & string, Tables>;
    /** `many`: instead of `columns`, the column of the elements. Where it is NULL and `missing`, there is no element. */
    readonly value?: MappedColumn<Tables[Name] & string>;
  };
}[keyof Tables & string];

/** Columns and relations by attribute: `owner`; `address.city` for a field of one. */
export interface MappedColumns<Column extends string, Tables extends object = AnyTables> {
  readonly [attributePath: string]: MappedColumn<Column> | MappedRelation<Column, Tables>;
}

/** Where the attributes of a resource are stored, by names of tables and columns that the schema has. */
export interface Mapping<Column extends string, Tables extends object = AnyTables> {
  readonly dialect: SqlDialect;
  /** The id of the resource as check receives it; a string. */
  readonly id?: MappedColumn<Column>;
  /** Plans that read other attributes are refused. */
  readonly attributes: MappedColumns<Column, Tables>;
}

/** A table of a mapping, with the names that the database has. */
export interface StoredTable {
  /** Its name, with the schema if it has one: `auth.users`; `*.users` if each query has to say it. */
  readonly name: string;
  /** The library, as messages name it. */
  readonly library: string;
  /** The name in the condition of a query that may have a schema of its own, where the library writes the name. */
  readonly standIn?: string;
  /** Whether conditions have each name in quotes, as the library replaces words that are not. */
  readonly quoteNames?: boolean | undefined;
  /** @throws {TypeError} if there is no such column. */
  columnName(column: string): string;
  /** What the schema declares of a column; undefined if it has no types at run time. */
  typeOf?(column: string): DeclaredColumn;
  /** Which rows the library does not return, if it hides some. */
  readonly hidden?: HiddenRows;
  /** The value of a column in a row that the library returned; by default the property of its name. */
  valueIn?(row: object, column: string): unknown;
}

/** The rows of a table that a library does not return: all but those with these values, or that it cannot say why. */
export type HiddenRows = { readonly where: ShownValues } | { readonly why: string };

interface ShownValues {
  readonly [column: string]: string | number | boolean | null;
}

/** The values that all rows have that a library returns; none if it hides no rows, or cannot say which. */
export function shownWhere(hidden: HiddenRows | undefined): ShownValues {
  return hidden !== undefined && 'where' in hidden ? hidden.where : {};
}

/** A table whose names in the mapping are those of the database. */
export function tableNamed(name: string, library: string): StoredTable {
  return { name, library, columnName: (column) => column };
}

/** Finds the tables that relations name, among those that the adapter was created with. */
export function relatedIn<T, Found = StoredTable>(
  tables: { readonly [name: string]: T },
  storedTable: (table: T) => Found,
): (name: string) => Found {
  return (name) => {
    const table = Object.hasOwn(tables, name) ? tables[name] : undefined;
    if (table === undefined)
      throw new TypeError(`the mapping names the table \`${name}\`: pass it with the related tables`);
    return storedTable(table);
  };
}

/** A plan, as `engine.plan` returns it. */
export interface PlannedFilter {
  readonly filter: Filter;
}

/** How a condition is written for one query. */
export interface ConditionOptions {
  /** The alias of the table in the query, if it has one. */
  readonly alias?: string;
  /** The schema of the query: that of related tables which have none of their own. */
  readonly schema?: string;
  /**
   * Whether it selects the rows that the plan does not allow. NOT around a condition leaves out the rows for which it is
   * NULL.
   */
  readonly negated?: boolean;
  /** How closures of related tables are found: by a `set`, the default, or for each `row`. */
  readonly closures?: 'set' | 'row';
  /** The filter of each rule of the plan, as `ruleFilters` returns them; a refusal then names its rule. */
  readonly rules?: () => readonly RuleFilter[];
}

/** The pieces of SQL between the parameters, one more than there are parameters. */
export interface ConditionParts {
  readonly parts: TemplateStringsArray;
  readonly parameters: readonly SqlParameter[];
}

/**
 * The condition that is true exactly for the rows that check allows; in parentheses, as not all libraries add them where
 * an application combines it.
 * @param relatedTable finds a table that a relation names.
 * @throws {UnsupportedPlanError} if the plan cannot be translated exactly.
 */
export function renderCondition<Column extends string, Tables extends object>(
  plan: PlannedFilter,
  table: StoredTable,
  mapping: Mapping<Column, Tables>,
  options: ConditionOptions = {},
  relatedTable: (name: string) => StoredTable,
): ConditionParts {
  const { alias, schema, negated, rules, closures } = options;
  const named = withSchema(relatedTable, schema);
  const condition = renderSql(plan.filter, resolveSqlTable(table, mapping, alias, named), {
    dialect: mapping.dialect,
    closures,
    quoteNames: table.quoteNames,
    ...(rules && { rules }),
  });
  if (condition.kind === 'refused') throw new UnsupportedPlanError(`the table \`${table.name}\``, condition.problems);
  const { parts, parameters } = condition;
  return { parts: negated === true ? around(parts, '((', ') IS NOT TRUE)') : around(parts, '(', ')'), parameters };
}

/** Finds related tables in the schema of a query. */
export function withSchema(
  relatedTable: (name: string) => StoredTable,
  schema: string | undefined,
): (name: string) => StoredTable {
  return (name) => {
    const table = relatedTable(name);
    if (schema === undefined) return table.standIn === undefined ? table : { ...table, name: table.standIn };
    if (table.name.startsWith('*.')) return { ...table, name: `${schema}${table.name.slice(1)}` };
    return table.name.includes('.') ? table : { ...table, name: `${schema}.${table.name}` };
  };
}

/**
 * Checks a mapping against the schema, when an adapter is created.
 * @throws {ColumnTypeError} if a word is not right for the type of its column.
 */
export function requireMapping<Column extends string, Tables extends object>(
  table: StoredTable,
  mapping: Mapping<Column, Tables>,
  relatedTable: (name: string) => StoredTable,
): void {
  resolveSqlTable(table, mapping, undefined, relatedTable);
}

/** The table of a mapping, with the names of the database. */
export function resolveSqlTable<Column extends string, Tables extends object>(
  table: StoredTable,
  mapping: Mapping<Column, Tables>,
  alias: string | undefined,
  relatedTable: (name: string) => StoredTable,
): SqlTable {
  const { id, attributes, dialect } = mapping as Mapping<string>;
  const place = { dialect, relatedTable };
  return {
    name: table.name,
    ...(alias !== undefined && { alias }),
    ...(id && { id: storedColumn(id, 'R.id', table, place) }),
    columns: storedColumns(attributes, 'R.attr.', table, place),
  };
}

/** What columns are read with. */
interface Place {
  readonly dialect: SqlDialect;
  readonly relatedTable: (name: string) => StoredTable;
}

/** The pieces of a template with text before the first and after the last one. */
function around(parts: readonly string[], before: string, after: string): TemplateStringsArray {
  const pieces = [...parts];
  pieces[0] = before + pieces[0];
  pieces[pieces.length - 1] += after;
  return Object.assign(pieces, { raw: pieces });
}

function storedColumns(
  attributes: MappedColumns<string>,
  before: string,
  table: StoredTable,
  place: Place,
): SqlColumns {
  refuseOverlaps(attributes, before);
  return Object.fromEntries(
    Object.entries(attributes).map(([path, stored]) => [
      path,
      'relation' in stored
        ? storedRelation(stored, before + path, table, place)
        : storedColumn(stored, before + path, table, place),
    ]),
  );
}

/** A column with the name that it has in the database, if its word is right for its type. */
export function storedColumn(
  { sqlType, ...mapped }: MappedColumn<string>,
  attribute: string,
  table: StoredTable,
  { dialect }: Pick<Place, 'dialect'>,
): SqlColumn {
  requireAbsence(mapped, attribute);
  const column = plainName(mapped.column, table);
  const declared = table.typeOf?.(mapped.column);
  const named = sqlType === undefined ? declared : { ...declared, type: sqlType };
  const fit = requireFit(mapped, named, { dialect, library: table.library, attribute, table: table.name });
  // Libraries read the JSON value null as they read NULL.
  const isDocument = (fit.type === 'json' || fit.type === 'list') && (fit.null ?? 'missing') === 'missing';
  const isParsedTwice = sqlType === undefined && declared?.isParsedTwice === true;
  return {
    ...fit,
    column,
    ...(isDocument && { jsonNull: 'missing' }),
    ...(isParsedTwice && { jsonStrings: 'parsed' }),
  };
}

function storedRelation(
  { columns, value, property: _, where: given, closure, ...relation }: MappedRelation<string>,
  attribute: string,
  table: StoredTable,
  place: Place,
): SqlRelation {
  requireAbsence(relation, attribute);
  const other = place.relatedTable(relation.table);
  const on = renamePairs(relation.on, other, table);
  const further = closure && renamePairs(closure, other, other);
  const problem = further && findClosureProblem({ relation: relation.relation, on, closure: further });
  if (problem !== undefined) throw new TypeError(`\`closure\` of \`${attribute}\`: ${problem}`);
  const where = countingRows(given, attribute, other);
  return {
    ...relation,
    table: other.name,
    on,
    ...(further && { closure: further }),
    ...(where && { where }),
    ...(columns && { columns: requireParsedOnce(storedColumns(columns, `${attribute}.`, other, place), attribute) }),
    ...(value && {
      value: requireParsedOnce({ value: storedColumn(value, attribute, other, place) }, attribute).value,
    }),
  };
}

/** Conditions leave out rows of their own table alone. */
function requireParsedOnce<Columns extends { readonly [path: string]: SqlColumn | SqlRelation }>(
  columns: Columns,
  attribute: string,
): Columns {
  for (const column of Object.values(columns))
    if ('type' in column && column.jsonStrings === 'parsed')
      throw new ColumnTypeError(
        `\`${attribute}\`: the column \`${column.column}\` of a related table is read twice as JSON, so check may receive another value than the database compares. Add \`CHECK (jsonb_typeof(${column.column}) <> 'string')\`, and set \`sqlType: 'jsonb'\``,
      );
  return columns;
}

/** Columns of another table, each with the one that it equals, by the names of the database. */
function renamePairs(
  pairs: { readonly [column: string]: string | undefined },
  other: StoredTable,
  table: StoredTable,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(pairs).flatMap(([theirs, ours]) =>
      ours === undefined ? [] : [[plainName(theirs, other), plainName(ours, table)]],
    ),
  );
}

/** The rows of a related table that count: those that the library returns and the mapping asks for. */
function countingRows(
  given: { readonly [column: string]: string | number | boolean | null | undefined } = {},
  attribute: string,
  { hidden, ...other }: StoredTable,
): SqlRelation['where'] {
  const asked = Object.entries(given).filter(
    (pair): pair is [string, string | number | boolean | null] => pair[1] !== undefined,
  );
  if (hidden !== undefined && 'why' in hidden && asked.length === 0)
    throw new TypeError(
      `\`${attribute}\`: ${hidden.why}. Say which rows count, as \`where\` of the relation: \`where: { deleted: false }\``,
    );
  const all = [...Object.entries(shownWhere(hidden)), ...asked].map(
    ([column, value]) => [plainName(column, other), value] as const,
  );
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** The name of a column in the database. With a dot, SQL would take it for a column of another table of the query. */
function plainName(column: string, table: Pick<StoredTable, 'name' | 'columnName'>): string {
  const name = table.columnName(column);
  if (name.includes('.'))
    throw new TypeError(`the column \`${name}\` of \`${table.name}\` has a dot in its name: it cannot be mapped`);
  // Drivers and libraries make objects of rows, in which this is no property: its value would be that of another one.
  if (name === '__proto__' || column === '__proto__')
    throw new TypeError(
      `the column \`__proto__\` of \`${table.name}\` cannot be mapped: objects of JavaScript, which libraries make of rows, have another value under this name`,
    );
  return name;
}
