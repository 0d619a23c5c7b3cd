import { allOf, listed, NEVER, sql, type Sql } from './fragment.js';
import { Refusal } from './refusal.js';
import type { Scope } from './scope.js';
import { isRelation, type SqlRelation } from './table.js';

/** The rows of another table that are related to the resource. */
export interface RelatedRange {
  readonly relation: SqlRelation;
  readonly alias: string;
  readonly from: Sql;
  /** The columns that relate them, of both tables. */
  readonly pairs: readonly { readonly theirs: Sql; readonly ours: Sql }[];
  /** Which rows count. */
  readonly counting: Sql;
}

/**
 * Where a related row passes, by the keys of those that do: a function of the database returns them, as whoever runs the
 * statement may not see these rows. Refuses a condition that reads more than the related row.
 */
export function readKeys(scope: Scope, range: RelatedRange, condition: Sql): Sql {
  const { keySet, statement } = scope;
  if (keySet === undefined) throw new TypeError('the statement has no sets of keys');
  if (condition === NEVER) return NEVER;
  const { relation, alias, from, pairs, counting } = range;
  if (!statement.readsOnly(alias, condition))
    throw new Refusal('relation', `a row of ${relation.table} together with other columns of the resource`);
  const theirs = pairs.map((pair) => pair.theirs);
  const areThere = theirs.map((column) => sql`${column} IS NOT NULL`);
  const keys = keySet({ relation, theirs, from, where: allOf(...areThere, counting, condition) });
  const [only, ...others] = pairs.map(({ ours }) => ours);
  const row = only !== undefined && others.length === 0 ? only : sql`(${listed(pairs.map(({ ours }) => ours))})`;
  return sql`${row} IN (${keys})`;
}

/**
 * Whether rows that are related to the resource are read by their keys alone, as whoever runs the statement may not see them.
 *
 * @param owner the alias of the table that they are related to; undefined for that of the resource.
 */
export function isReadByKeys(scope: Scope, relation: SqlRelation, owner: string | undefined): boolean {
  return scope.keySet !== undefined && owner === undefined && !isPlain(relation);
}

/** Whether whoever runs a statement sees all rows of a relation, and of those within it. */
export function isPlain({ trust, columns = {} }: SqlRelation): boolean {
  return trust === 'plain' && Object.values(columns).every((stored) => !isRelation(stored) || isPlain(stored));
}

/**
 * Refuses to count related rows, or to follow a chain of them, where whoever runs the statement may not see all of them.
 *
 * @param what of the table is read.
 */
export function requireAllRows(
  scope: Scope,
  { relation, owner }: { readonly relation: SqlRelation; readonly owner?: string | undefined },
  what: 'the number of rows' | 'the closure',
): void {
  if (isReadByKeys(scope, relation, owner))
    throw new Refusal('relation', `${what} of ${relation.table}, of which a policy sees only some rows`);
}
