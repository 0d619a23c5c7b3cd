/** Plans as conditions of Knex. */
import type { Knex } from 'knex';
import { type ConditionOptions, conditionOf, type Mapping, type PlannedFilter } from './condition.js';

export {
  type ConditionOptions,
  type MappedColumn,
  type MappedRelation,
  type Mapping,
  type PlannedFilter,
  UnsupportedPlanError,
} from './condition.js';

/**
 * Creates the function that turns a plan into a callback for `where`: `knexAdapter<AlbumRow>('albums', ...)`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function knexAdapter<Row extends object>(
  table: string,
  mapping: Mapping<keyof Row & string>,
): (plan: PlannedFilter, options?: ConditionOptions) => (query: Knex.QueryBuilder) => void {
  return (plan, options) => {
    const { parts, parameters } = conditionOf(plan, table, mapping, options);
    // Knex reads `?` as a placeholder, and PostgreSQL has operators with that name.
    const condition = parts.map((part) => part.replaceAll('?', '\\?')).join('?');
    return (query) => {
      query.whereRaw(condition, parameters);
    };
  };
}
