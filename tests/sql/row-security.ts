import { NO_SESSION } from '../../compiler/tables/session.js';
import { helpers } from '../../packages/analysis/rls/helpers.js';
import { helperStatement } from '../../packages/analysis/rls/script.js';
import type { SqlConnection } from '../support/sql/pglite.js';
import type { SessionTypes } from '../../packages/analysis/rls/session.js';

/** Creates a role `app` that sees of a table what policies say: nothing yet. */
export async function protect(client: SqlConnection, table: string, types: SessionTypes): Promise<void> {
  await client.query('CREATE SCHEMA authz');
  const { rows } = await client.query("SELECT FROM pg_roles WHERE rolname = 'app'");
  if (rows.length === 0) await client.query('CREATE ROLE app');
  await client.query('GRANT USAGE ON SCHEMA authz TO app');
  for (const helper of helpers({ ...NO_SESSION, attributes: types })) await client.query(helperStatement(helper));
  await client.query(`GRANT SELECT ON ${table} TO app; ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
}

/** Values of a session that describe no principal. */
export const NOBODY: readonly string[] = [
  '',
  '{}',
  '[]',
  'null',
  '"u1"',
  '{"id":"u1"}',
  '{"id":"","roles":["user"]}',
  '{"id":1,"roles":["user"]}',
  '{"id":"u1","roles":[]}',
  '{"id":"u1","roles":"user"}',
  '{"id":"u1","roles":{"user":1}}',
  '{"id":"u1","roles":["user",1]}',
  '{"id":"u1","roles":["user",""]}',
  '{"id":"u1","roles":["user"],"attr":[]}',
  '{"id":"u1","roles":["user"],"attr":{"k":1}}',
  '{"id":"u1","roles":["user"],"attr":{"k":null}}',
];

/** The positions of the rows that the principal of a session sees. */
export async function visibleRows(client: SqlConnection, table: string, session: string): Promise<ReadonlySet<number>> {
  await client.query('BEGIN');
  try {
    await client.query("SELECT set_config('role', 'app', true), set_config('authz.principal', $1, true)", [session]);
    const { rows } = await client.query(`SELECT position FROM ${table}`);
    return new Set((rows as readonly { readonly position: unknown }[]).map(({ position }) => Number(position)));
  } finally {
    await client.query('ROLLBACK');
  }
}
