/** The roles of users, as rows of a table have them. */
import type { SqlDialect, SqlUsers } from '../../runtime/residual/sql/index.js';
import { pathOfRole } from '../../runtime/residual/sql/subjects.js';
import { isRelation } from '../../runtime/residual/sql/table.js';

/** The roles of a row, or what it has in place of them. */
export function listRoles(stored: unknown, roles: SqlUsers['roles'], dialect: SqlDialect): readonly unknown[] {
  if (stored === undefined || stored === null) return [];
  if (!isRelation(roles)) {
    if (roles.type !== 'list' && roles.type !== 'json' && roles.type !== 'text[]') return [stored];
    const list = dialect === 'mysql' && typeof stored === 'string' ? parseList(stored) : stored;
    return Array.isArray(list) ? list : [];
  }
  const path = pathOfRole(roles) ?? [];
  // A row that leads to no role is none.
  return (stored as readonly unknown[])
    .map((row) =>
      path.reduce<unknown>((one, name) => (one as { readonly [field: string]: unknown } | undefined)?.[name], row),
    )
    .filter((role) => role !== undefined && role !== null);
}

/** A list that a driver returns as the text of its column, as that of MariaDB does. Other strings are no lists to a query. */
function parseList(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
