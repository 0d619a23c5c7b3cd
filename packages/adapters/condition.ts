/** What the adapters for query builders share: a mapping that names columns of a schema, and the condition of a plan. */
import {
  renderSql,
  type RuleFilter,
  type SqlColumn,
  type SqlColumns,
  type SqlDialect,
  type SqlParameter,
  type SqlRelation,
} from '../../runtime/residual/sql/index.js';
import type { Filter } from '../../runtime/residual/filters.js';
import { UnsupportedPlanError } from './unsupported-plan.js';

export { UnsupportedPlanError };

/** A column of a schema, and how its values become attributes for check. */
export type MappedColumn<Column extends string> = Omit<SqlColumn, 'column'> & { readonly column: Column };

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
    /** The fields of the object, or of each element. */
    readonly columns?: MappedColumns<Tables[Name] & string, Tables>;
    /** `many`: instead of `columns`, the column of the elements. Where it is NULL and `missing`, there is no element. */
    readonly value?: MappedColumn<Tables[Name] & string>;
  };
}[keyof Tables & string];

/** By attribute: `owner`; `address.city` for a field of one. */
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
  /** With its schema, if it has one: `auth.users`. */
  readonly name: string;
  /** @throws {TypeError} if there is no such column. */
  columnName(column: string): string;
}

/** A table whose names in the mapping are those of the database. */
export function tableNamed(name: string): StoredTable {
  return { name, columnName: (column) => column };
}

/** Finds the tables that relations name, among those that the adapter was created with. */
export function relatedIn<T>(
  tables: { readonly [name: string]: T },
  storedTable: (table: T) => StoredTable,
): (name: string) => StoredTable {
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
  /**
   * Whether it selects the rows that the plan does not allow. NOT around a condition leaves out the rows for which it is
   * NULL.
   */
  readonly negated?: boolean;
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
export function conditionOf<Column extends string, Tables extends object>(
  plan: PlannedFilter,
  table: StoredTable,
  mapping: Mapping<Column, Tables>,
  options: ConditionOptions = {},
  relatedTable: (name: string) => StoredTable = tableNamed,
): ConditionParts {
  const { alias, negated, rules } = options;
  const { dialect, id, attributes } = mapping as Mapping<string>;
  const condition = renderSql(
    plan.filter,
    {
      name: table.name,
      ...(alias !== undefined && { alias }),
      ...(id && { id: storedColumn(id, table) }),
      columns: storedColumns(attributes, table, relatedTable),
    },
    { dialect, ...(rules && { rules }) },
  );
  if (condition.kind === 'refused') throw new UnsupportedPlanError(`the table \`${table.name}\``, condition.problems);
  const { parts, parameters } = condition;
  return { parts: negated === true ? around(parts, '((', ') IS NOT TRUE)') : around(parts, '(', ')'), parameters };
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
  table: StoredTable,
  relatedTable: (name: string) => StoredTable,
): SqlColumns {
  return Object.fromEntries(
    Object.entries(attributes).map(([path, stored]) => [
      path,
      'relation' in stored ? storedRelation(stored, table, relatedTable) : storedColumn(stored, table),
    ]),
  );
}

function storedColumn(mapped: MappedColumn<string>, table: StoredTable): SqlColumn {
  return { ...mapped, column: plainName(mapped.column, table) };
}

function storedRelation(
  { columns, value, ...relation }: MappedRelation<string>,
  table: StoredTable,
  relatedTable: (name: string) => StoredTable,
): SqlRelation {
  const other = relatedTable(relation.table);
  const on = Object.entries(relation.on).flatMap(([theirs, ours]) =>
    ours === undefined ? [] : [[plainName(theirs, other), plainName(ours, table)]],
  );
  return {
    ...relation,
    table: other.name,
    on: Object.fromEntries(on),
    ...(columns && { columns: storedColumns(columns, other, relatedTable) }),
    ...(value && { value: storedColumn(value, other) }),
  };
}

/** The name of a column in the database. With a dot, SQL would take it for a column of another table of the query. */
function plainName(column: string, table: StoredTable): string {
  const name = table.columnName(column);
  if (name.includes('.'))
    throw new TypeError(`the column \`${name}\` of \`${table.name}\` has a dot in its name: it cannot be mapped`);
  return name;
}
