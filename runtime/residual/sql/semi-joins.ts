import { allOf, flatParts, NEVER, type Sql } from './fragment.js';
import type { Scope } from './scope.js';

/** Rows of another table. */
export interface KeyedRows {
  readonly from: Sql;
  /** If one column relates them to the resource: both columns, and which rows count. */
  readonly key?: { readonly alias: string; readonly theirs: Sql; readonly ours: Sql; readonly where: Sql };
}

/**
 * Where a related row passes, by the keys of those that do: the database reads them once, and finds the rows of the
 * resource by an index. Undefined if the condition reads the resource, may pass for many rows, or is negated: a set of keys
 * may contain NULL.
 *
 * @param passes renders the condition of a related row.
 */
export function byKeys(scope: Scope, items: KeyedRows, passes: () => Sql): Sql | undefined {
  const { key } = items;
  const { dialect, statement } = scope;
  if (key === undefined || dialect.semiJoin === undefined || scope.keySet !== undefined) return undefined;
  if (scope.isNegated !== undefined || scope.bound.size > 0) return undefined;
  const condition = passes();
  if (condition === NEVER) return NEVER;
  if (!statement.readsOnly(key.alias, condition) || !findsFew(condition)) return undefined;
  return dialect.semiJoin({ ...key, from: items.from, where: allOf(key.where, condition) }, scope.isChoice === true);
}

/** Whether one part of a condition compares a column with a constant. */
function findsFew(condition: Sql): boolean {
  if (condition.top === 'or') return false;
  const parts = condition.top === 'and' ? condition.parts.filter((part) => typeof part === 'object') : [condition];
  return parts.some((part) => {
    if (!('parts' in part)) return false;
    const text = flatParts(part.parts)
      .map((one) => (typeof one === 'string' ? one : '?'))
      .join('');
    return /^[\w."`]+(::text)? (= \?|IN \(\?|= ANY \()/.test(text);
  });
}
