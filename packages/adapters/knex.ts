/** Plans as conditions of Knex. */
import type { Knex } from 'knex';
import { type ConditionOptions, conditionOf, type Mapping, type PlannedFilter, tableNamed } from './condition.js';

export {
  type ConditionOptions,
  type MappedColumn,
  type MappedRelation,
  type Mapping,
  type PlannedFilter,
  UnsupportedPlanError,
} from './condition.js';

/** The columns of tables, by the rows of each. */
export type KnexTables<Rows> = { readonly [Name in keyof Rows]: keyof Rows[Name] & string };

/**
 * Creates the function that turns a plan into a callback for `where`: `knexAdapter<AlbumRow>('albums', ...)`. The rows of
 * related tables type the relations: `knexAdapter<AlbumRow, { users: UserRow }>('albums', ...)`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function knexAdapter<
  Row extends object,
  Related extends object = { [table: string]: { [column: string]: unknown } },
>(
  table: string,
  mapping: Mapping<keyof Row & string, KnexTables<Related>>,
): (plan: PlannedFilter, options?: ConditionOptions) => (query: Knex.QueryBuilder) => void {
  return (plan, options) => {
    const { parts, parameters } = conditionOf(plan, tableNamed(table), mapping, options);
    // Knex reads `?` as a placeholder, and only its dialect of PostgreSQL has an escape.
    if (mapping.dialect !== 'postgresql' && parts.some((part) => part.includes('?')))
      throw new TypeError(
        `a column of \`${table}\` has \`?\` in its name, which Knex reads as a placeholder: rename it`,
      );
    const condition = parts.map((part) => part.replaceAll('?', '\\?')).join('?');
    return (query) => {
      query.whereRaw(condition, parameters);
    };
  };
}
