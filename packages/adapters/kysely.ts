/** Plans as conditions of Kysely. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type ConditionOptions, conditionOf, type Mapping, type PlannedFilter, tableNamed } from './condition.js';

export {
  type ConditionOptions,
  type MappedColumn,
  type MappedRelation,
  type Mapping,
  type PlannedFilter,
  UnsupportedPlanError,
} from './condition.js';

/** The columns of each table of a database. */
export type KyselyTables<Database> = { readonly [Name in keyof Database]: keyof Database[Name] & string };

/**
 * Creates the function that turns a plan into a condition for `where`: `kyselyAdapter<Database, 'albums'>('albums', ...)`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function kyselyAdapter<Database, Name extends keyof Database & string>(
  table: Name,
  mapping: Mapping<keyof Database[Name] & string, KyselyTables<Database>>,
): (plan: PlannedFilter, options?: ConditionOptions) => RawBuilder<SqlBool> {
  return (plan, options) => {
    const { parts, parameters } = conditionOf(plan, tableNamed(table), mapping, options);
    return sql<SqlBool>(parts, ...parameters);
  };
}
