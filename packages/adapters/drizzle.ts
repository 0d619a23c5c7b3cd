/** Plans as conditions of Drizzle ORM. */
import { getTableColumns, getTableName, getTableUniqueName, type SQL, sql, type Table } from 'drizzle-orm';
import {
  type ConditionOptions,
  conditionOf,
  type Mapping,
  type PlannedFilter,
  relatedIn,
  type StoredTable,
} from './condition.js';

export {
  type ConditionOptions,
  type MappedColumn,
  type MappedRelation,
  type Mapping,
  type PlannedFilter,
  UnsupportedPlanError,
} from './condition.js';

/** The names of the properties that a table of Drizzle has for its columns. */
export type DrizzleColumn<T extends Table> = keyof T['_']['columns'] & string;

/** The columns of each of several tables. */
export type DrizzleTables<Tables extends { readonly [name: string]: Table }> = {
  readonly [Name in keyof Tables]: DrizzleColumn<Tables[Name]>;
};

/**
 * Creates the function that turns a plan into a condition for `where`.
 * @param mapping names columns as the properties of the tables do: `authorId`, not `author_id`.
 * @param related the tables that relations of the mapping name, by these names: `{ users, shares }`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function drizzleAdapter<
  T extends Table,
  Related extends { readonly [name: string]: Table } = Record<never, never>,
>(
  table: T,
  mapping: NoInfer<Mapping<DrizzleColumn<T>, DrizzleTables<Related>>>,
  related?: Related,
): (plan: PlannedFilter, options?: ConditionOptions) => SQL<boolean> {
  const relatedTable = relatedIn<Table>(related ?? {}, (other) => ({
    ...storedTable(other),
    name: nameWithSchema(other),
  }));
  return (plan, options) => {
    const { parts, parameters } = conditionOf(plan, storedTable(table), mapping, options, relatedTable);
    return sql<boolean>(parts, ...parameters);
  };
}

function storedTable(table: Table): StoredTable {
  const name = getTableName(table);
  const columns: { readonly [property: string]: { readonly name: string } } = getTableColumns(table);
  return {
    name,
    columnName(property) {
      const column = Object.hasOwn(columns, property) ? columns[property]?.name : undefined;
      if (column === undefined) throw new TypeError(`the table \`${name}\` has no column \`${property}\``);
      return column;
    },
  };
}

/** Drizzle selects from a table without a schema by its name alone. */
function nameWithSchema(table: Table): string {
  const [name, unique] = [getTableName(table), getTableUniqueName(table)];
  return unique === `public.${name}` ? name : unique;
}
