import type { SchemaReference } from '../policy/index.js';
import { type Condition, decided, unplannableReason } from '../residual/index.js';
import type { PlanQuery } from './plan-query.js';
import type { UnplannedRule } from './plan-request.js';

/**
 * The rows that satisfy the resource schema, given what selected rows satisfy anyway; what no filter can say is
 * unplannable.
 */
export type SchemaOfRows = (facts: Condition) => Condition;

/**
 * The part of every plan under `schema.enforcement: reject`, as check denies the rows that violate the schema. One
 * action that is not exempt by `ignoreWhen` is enough for all to be held to it.
 */
export function schemaOfRows(
  schema: SchemaReference | undefined,
  query: PlanQuery,
  actions: readonly string[],
): SchemaOfRows {
  if (schema === undefined || actions.every((action) => schema.ignores(action))) return () => true;
  return (facts) => schema.where?.(query.row, facts) ?? NOT_COMPILED;
}

/** What reports name in place of a rule. */
export const RESOURCE_SCHEMA = 'resourceSchema';

/** Without what no filter can say, which is reported and selects nothing. */
export function settledSchema(condition: Condition, policy: string, unplanned: UnplannedRule[]): Condition {
  const reason = unplannableReason(condition);
  if (reason === undefined) return condition;
  unplanned.push({ policy, rule: RESOURCE_SCHEMA, reason });
  return decided(condition, false);
}

const NOT_COMPILED: Condition = { kind: 'unplannable', reason: 'a schema that the bundle has for checks only' };
