/** Plans as conditions of Drizzle ORM. */
import { getTableColumns, getTableName, type SQL, sql, type Table } from 'drizzle-orm';
import { type ConditionOptions, conditionOf, type Mapping, type PlannedFilter } from './condition.js';

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

/**
 * Creates the function that turns a plan into a condition for `where`.
 * @param mapping names columns as the properties of the table do: `authorId`, not `author_id`. Columns of related
 * tables have their names in the database.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function drizzleAdapter<T extends Table>(
  table: T,
  mapping: Mapping<DrizzleColumn<T>>,
): (plan: PlannedFilter, options?: ConditionOptions) => SQL<boolean> {
  const columns: { readonly [property: string]: { readonly name: string } } = getTableColumns(table);
  const nameOf = (property: string) => {
    const name = Object.hasOwn(columns, property) ? columns[property]?.name : undefined;
    if (name === undefined) throw new TypeError(`the table \`${getTableName(table)}\` has no column \`${property}\``);
    return name;
  };
  return (plan, options) => {
    const { parts, parameters } = conditionOf(plan, getTableName(table), mapping, options, nameOf);
    return sql<boolean>(parts, ...parameters);
  };
}
