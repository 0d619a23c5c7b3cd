import { createHash } from 'node:crypto';
import type { PrincipalInput, ResourceInput } from '../../../runtime/engine/index.js';
import type { Attributes } from '../../../runtime/policy/index.js';
import type { SqlDialect, SqlTable, SqlUsers } from '../../../runtime/residual/sql/index.js';
import { renderRowFilter } from '../../../runtime/residual/sql/render.js';
import type { RowScope } from '../../../compiler/tables/row-security.js';
import { listRoles } from '../../adapters/user-roles.js';
import { canonicalJson } from '../../bundle/index.js';
import { filterOfRow, type ReadRow, readRows } from '../tables/read-rows.js';
import type { SelectRows } from '../tables/stored-table.js';

/** A user as a table or a file has it. */
export interface ReviewedUser {
  /** Null for a row without one. */
  readonly id: string | null;
  /** The principal; undefined for a row that a check refuses. */
  readonly principal: PrincipalInput | undefined;
  /** Why it is no principal. */
  readonly problem?: string;
}

/** Who and what is reviewed. */
export interface Population {
  readonly users: readonly ReviewedUser[];
  readonly resources: readonly ResourceInput[];
  /** Rows that could not be read: a review of the others would say that they have no access. */
  readonly unread: readonly string[];
}

/** A population as a review remembers it. */
export interface PopulationDigest {
  readonly users: Digest;
  readonly resources: Digest;
}

interface Digest {
  readonly count: number;
  /** SHA-256 of the sorted entries, in hexadecimal. */
  readonly hash: string;
}

/** What two populations have in common, if equal. */
export function digestPopulation({ users, resources }: Population): PopulationDigest {
  return { users: digest(users), resources: digest(resources) };
}

function digest(entries: readonly unknown[]): Digest {
  const texts = entries.map(canonicalJson).sort();
  return { count: entries.length, hash: createHash('sha256').update(texts.join('\n')).digest('hex') };
}

/**
 * Reads the users of a table.
 *
 * @param id that of the only user to read; all of them without it.
 */
export async function readUsers(
  select: SelectRows,
  users: SqlUsers,
  dialect: SqlDialect,
  id?: string,
): Promise<{ readonly users: readonly ReviewedUser[]; readonly unread: readonly string[] }> {
  const scope = typeof users.scope === 'object' ? { [SCOPE]: users.scope } : {};
  const more = { [ROLES]: users.roles, ...scope };
  const filter =
    id === undefined ? renderRowFilter(users, users.where, dialect) : filterOfRow(users, id, dialect, users.where);
  const rows = await readRows(select, users, dialect, more, filter);
  return {
    users: rows.flatMap((row) => (row.kind === 'row' ? [readUser(row, users, dialect)] : [])),
    unread: rows.flatMap((row) => (row.kind === 'unreadable' ? [row.problem] : [])),
  };
}

/** No attribute has such a name. */
const ROLES = ' roles';
const SCOPE = ' scope';

function readUser(
  row: ReadRow & { readonly kind: 'row' },
  { roles, scope: declared }: SqlUsers,
  dialect: SqlDialect,
): ReviewedUser {
  const { [ROLES]: stored, [SCOPE]: ownScope, ...attr } = row.attr;
  const listed = listRoles(stored, roles, dialect);
  const refused = (problem: string): ReviewedUser => ({ id: row.id, principal: undefined, problem });
  if (row.id === null || row.id === '') return refused('it has no id');
  if (listed.length === 0) return refused('it has no role');
  if (!listed.every((role) => typeof role === 'string' && role !== '')) return refused('a role is not a string');
  const scope = typeof declared === 'object' ? (ownScope as string | undefined) : declared;
  return {
    id: row.id,
    principal: {
      id: row.id,
      roles: [...new Set(listed as readonly string[])],
      attr: attr as Attributes,
      ...(scope !== undefined && scope !== null && { scope }),
    },
  };
}

/**
 * Reads the resources of a table.
 *
 * @param scope the scope of all rows, or the column with that of each.
 * @param id that of the only row to read; all of them without it.
 */
export async function readResources(
  select: SelectRows,
  kind: string,
  table: SqlTable,
  dialect: SqlDialect,
  scope: RowScope = '',
  id?: string,
): Promise<{ readonly resources: readonly ResourceInput[]; readonly unread: readonly string[] }> {
  const more = typeof scope === 'string' ? {} : { [SCOPE]: { column: scope.column, type: 'text' } as const };
  const rows = await readRows(
    select,
    table,
    dialect,
    more,
    id === undefined ? undefined : filterOfRow(table, id, dialect),
  );
  return {
    resources: rows.flatMap((row) => {
      if (row.kind !== 'row' || row.id === null) return [];
      const { [SCOPE]: ownScope, ...attr } = row.attr;
      const own = typeof scope === 'string' ? scope : ((ownScope as string | undefined) ?? '');
      return [{ kind, id: row.id, attr: attr as Attributes, ...(own !== '' && { scope: own }) }];
    }),
    unread: rows.flatMap((row) =>
      row.kind === 'unreadable' ? [row.problem] : row.id === null ? [`a row of \`${table.name}\` has no id`] : [],
    ),
  };
}
