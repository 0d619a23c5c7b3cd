/** What the adapters share for columns that say which actions are allowed on each row. */
import {
  type CapabilityName,
  type PlannedCapabilities,
  type RefusedCapability,
  renderCapabilities,
  type RuleFilter,
  type SqlCapabilities,
} from '../../runtime/residual/sql/index.js';
import { type Mapping, resolveSqlTable, type StoredTable, withSchema } from './condition.js';

export type {
  CapabilityName,
  PlannedCapabilities,
  RefusedCapability,
  SqlCapability,
} from '../../runtime/residual/sql/index.js';

/** How the columns of a table are named. */
export interface CanNames {
  /** Names the column of an action. Default: `canEdit` for `edit`, `canCommentAdd` for `comment:add`. */
  readonly names?: ((action: string) => string) | undefined;
}

/** What a database without booleans returns for one. */
export type Bit = 0 | 1;

/** How columns are written for one query. */
export interface CanOptions {
  /** The alias of the table in the query, if it has one. */
  readonly alias?: string;
  /** The schema of the query: that of related tables which have none of their own. */
  readonly schema?: string;
  /**
   * What becomes of an action whose plan has no exact form in SQL: `throw` (the default), or a column that is NULL for
   * every row, about which `engine.capabilities` decides.
   */
  readonly onRefused?: 'throw' | 'null';
  /** Receives the actions of which a column is NULL, or true for too few rows, with the reasons. */
  readonly refused?: (refused: readonly RefusedCapability[]) => void;
  /** The filter of each rule of an action's plan; a refusal then names its rule. */
  readonly rules?: (action: string) => readonly RuleFilter[];
}

/** The options of columns that are never NULL. */
export interface StrictCanOptions extends CanOptions {
  readonly onRefused?: 'throw';
}

/** The columns of several actions as fields of a row. */
export type CanFields<Action extends string, Value = boolean> = {
  readonly [A in Action as CapabilityName<A>]: Value;
};

/** The columns of a query that say which actions are allowed on each row. */
export function selectCanColumns<Action extends string, Column extends string, Tables extends object>(
  plans: PlannedCapabilities<Action>,
  table: StoredTable,
  mapping: Mapping<Column, Tables>,
  options: CanOptions & CanNames & { readonly taken?: readonly string[] },
  relatedTable: (name: string) => StoredTable,
): SqlCapabilities<Action> {
  const { alias, schema, onRefused, refused, rules, names, taken } = options;
  const rendered = renderCapabilities(plans, resolveSqlTable(table, mapping, alias, withSchema(relatedTable, schema)), {
    dialect: mapping.dialect,
    quoteNames: table.quoteNames,
    ...(onRefused && { onRefused }),
    ...(rules && { rules }),
    ...(names && { names }),
    ...(taken && { taken }),
  });
  if (rendered.refused.length > 0) refused?.(rendered.refused);
  return rendered;
}
