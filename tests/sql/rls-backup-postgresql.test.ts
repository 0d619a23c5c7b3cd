import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { fold } from '../../compiler/optimise/index.js';
import { readTables } from '../../compiler/tables/read-tables.js';
import { protectTables } from '../../packages/analysis/rls/protect.js';
import { securityScript } from '../../packages/analysis/rls/script.js';
import { compileTexts } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

const test = suite('backups of tables with row level security, and names of roles');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "R.attr.owner == P.id"}}}
`;

/** A role whose name ends a string, an identifier and a statement. */
const ROLE = `o'brien "x"; DROP TABLE docs; --`;

test('the owner cannot dump the table, a role with BYPASSRLS can, and a dump with policies is empty', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client, connection } = cluster;
  try {
    const { lowered } = compileTexts({ 'doc.yaml': POLICY });
    const file = readTables(
      new Source(
        'tables.yaml',
        JSON.stringify({
          tables: {
            doc: {
              name: 'public.docs',
              columns: { owner: { column: 'owner', type: 'text', nulls: 'never' } },
              rls: { select: 'view', to: [ROLE] },
            },
          },
        }),
      ),
    );
    if ('problems' in file) throw new Error(file.problems[0]?.message);
    const made = protectTables(fold(lowered ?? invariant('no program')), {}, file, new Diagnostics());
    const script = securityScript(made ?? invariant('nothing to protect'));
    const quoted = `"${ROLE.replaceAll('"', '""')}"`;
    await client.query(`CREATE ROLE ${quoted} LOGIN; CREATE ROLE keeper LOGIN; CREATE ROLE backup LOGIN BYPASSRLS;
      GRANT pg_read_all_data TO backup; CREATE TABLE docs (owner text NOT NULL);
      INSERT INTO docs VALUES ('ann'), ('bob'); ALTER TABLE docs OWNER TO keeper`);
    await client.query(script);
    await client.query(script);

    await client.query('BEGIN');
    await client.query("SELECT set_config('role', $1, true), set_config('authz.principal', $2, true)", [
      ROLE,
      JSON.stringify({ id: 'ann', roles: ['user'] }),
    ]);
    assert.equal((await client.query('SELECT owner FROM docs')).rows, [{ owner: 'ann' }]);
    await client.query('ROLLBACK');

    const dump = (user: string, ...more: readonly string[]): string => {
      const words = ['-h', connection.host, '-U', user, '--data-only', '-t', 'public.docs', ...more, 'postgres'];
      try {
        return execFileSync('pg_dump', words, { stdio: 'pipe' }).toString();
      } catch (error) {
        const { code, stderr } = error as { readonly code?: string; readonly stderr?: unknown };
        return code === 'ENOENT' ? code : String(stderr);
      }
    };
    if (dump('backup') === 'ENOENT') return skip(import.meta.url, 'pg_dump is not installed');
    assert.match(dump('keeper'), 'query would be affected by row-level security policy for table "docs"');
    assert.match(dump('backup'), /ann\nbob\n/);
    assert.not.match(dump('keeper', '--enable-row-security'), /ann|bob/);
  } finally {
    await cluster.stop();
  }
});

test.run();
