import { Pool } from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { fold } from '../../compiler/optimise/index.js';
import type { Program } from '../../compiler/ir/program.js';
import { readTables, type TableFile } from '../../compiler/tables/read-tables.js';
import { protectTables } from '../../packages/analysis/rls/protect.js';
import type { Protection } from '../../packages/analysis/rls/protection.js';
import { securityScript } from '../../packages/analysis/rls/script.js';
import { type PgClient, withPrincipal } from '../../packages/rls/pg.js';
import { compileTexts } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

/*
 * What applications do with one connection of a pool and several principals, and how tables of applications are made:
 * prepared statements, cursors, views, partitions, generated columns, enums and domains, keys of several columns, rows
 * that are deleted softly.
 */

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  rules:
    - {name: own, actions: [view, edit, create], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "R.attr.owner == P.id"}}}
    - name: shared-in-its-mood
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: "R.attr.shares.exists(s, s.user == P.id && s.mood == R.attr.mood)"}}
    - {name: loud, actions: [edit], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: "R.attr.size > 8.0"}}}
    - {name: often-shared, actions: [edit], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: "size(R.attr.shares) > 1"}}}
`;

const TABLES = `tables:
  note:
    name: public.notes
    id: {column: id, type: integer-as-text, nulls: never}
    columns:
      owner: {column: owner, type: text, nulls: never}
      mood: {column: mood, type: text, nulls: never}
      size: {column: size, type: integer}
      shares:
        relation: many
        table: public.shares
        on: {tenant: tenant, note: id}
        where: {deleted_at: null}
        columns:
          user: {column: user_id, type: text, nulls: never}
          mood: {column: mood, type: text, nulls: never}
    rls: {select: view, insert: create, update: edit, delete: edit, to: [app]}
`;

/** Notes in partitions, with a key of two columns, an enum, a domain and a generated column. */
const DATABASE = `CREATE TYPE mood AS ENUM ('calm', 'loud');
CREATE DOMAIN person AS text CHECK (value <> '');
CREATE TABLE notes (
  tenant text NOT NULL, id integer NOT NULL, owner person NOT NULL, mood mood NOT NULL, body text NOT NULL DEFAULT '',
  size integer GENERATED ALWAYS AS (length(body)) STORED, PRIMARY KEY (tenant, id)
) PARTITION BY LIST (tenant);
CREATE TABLE notes_a PARTITION OF notes FOR VALUES IN ('a');
CREATE TABLE notes_b PARTITION OF notes FOR VALUES IN ('b');
CREATE TABLE shares (tenant text NOT NULL, note integer NOT NULL, user_id person NOT NULL, mood mood NOT NULL, deleted_at timestamptz);
ALTER TABLE shares ENABLE ROW LEVEL SECURITY;
INSERT INTO notes VALUES ('a', 1, 'ann', 'calm'), ('a', 2, 'bob', 'calm'), ('b', 1, 'bob', 'loud'), ('b', 2, 'bob', 'calm'), ('b', 3, 'eve', 'calm');
INSERT INTO shares VALUES
  ('a', 2, 'ann', 'calm', NULL), ('b', 1, 'ann', 'calm', NULL), ('b', 2, 'ann', 'calm', now()), ('b', 3, 'bob', 'calm', NULL), ('b', 3, 'ann', 'loud', NULL);
CREATE ROLE app; CREATE ROLE login LOGIN; GRANT app TO login;
CREATE VIEW mine WITH (security_invoker = true) AS SELECT * FROM notes;
CREATE VIEW theirs AS SELECT * FROM notes;
GRANT SELECT ON mine TO app;`;

const [ANN, BOB] = ['ann', 'bob'].map((id) => ({ id, roles: ['user'] })) as [
  { id: string; roles: string[] },
  { id: string; roles: string[] },
];

/** What each sees: their own, and what is shared with them in its mood, by a share that is not deleted. */
const SEEN = { ann: ['a1', 'a2'], bob: ['a2', 'b1', 'b2', 'b3'] };

const test = suite('sessions under row level security');

test('a connection that several principals use shows each of them their rows, whatever it keeps', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const pool = new Pool({ ...cluster.connection, user: 'login', max: 1 });
  try {
    await cluster.client.query(DATABASE);
    await cluster.client.query(securityScript(protection()));
    const as = <Result>(principal: typeof ANN, callback: (client: PgClient) => Promise<Result>): Promise<Result> =>
      withPrincipal(pool, principal, callback, { role: 'app' });
    const NOTES = 'SELECT tenant || id AS id FROM notes ORDER BY 1';
    const ids = (rows: readonly unknown[]): readonly string[] => rows.map((row) => (row as { id: string }).id);

    // A plan that is kept after five executions is for all principals.
    for (let round = 0; round < 8; round += 1)
      for (const principal of [ANN, BOB])
        assert.equal(
          await as(principal, async (client) =>
            ids((await client.query({ name: 'notes', text: NOTES } as never)).rows),
          ),
          SEEN[principal.id as 'ann' | 'bob'],
        );
    await as(ANN, (client) => client.query('PREPARE seen AS SELECT tenant || id AS id FROM notes ORDER BY 1'));
    for (const principal of [BOB, ANN, BOB])
      assert.equal(
        await as(principal, async (client) => ids((await client.query('EXECUTE seen')).rows)),
        SEEN[principal.id as 'ann' | 'bob'],
      );

    // A cursor ends with its transaction.
    await as(ANN, async (client) => {
      await client.query(`DECLARE each CURSOR FOR ${NOTES}`);
      assert.equal(ids((await client.query('FETCH 1 FROM each')).rows), ['a1']);
    });
    const failure = await as(BOB, (client) => client.query('FETCH ALL FROM each')).catch((error: unknown) => error);
    assert.is((failure as { readonly code?: string }).code, '34000');
    // One that is held shows the rows of its principal to the next one (docs/row-level-security.md#connections).
    await as(ANN, (client) => client.query(`DECLARE kept CURSOR WITH HOLD FOR ${NOTES}`));
    assert.equal(await as(BOB, async (client) => ids((await client.query('FETCH ALL FROM kept')).rows)), SEEN.ann);
    await as(BOB, (client) => client.query('CLOSE ALL'));

    // Statements of applications.
    await as(BOB, async (client) => {
      assert.equal(ids((await client.query(NOTES.replace('notes', 'mine'))).rows), SEEN.bob);
      assert.equal(ids((await client.query(NOTES.replace('notes', 'notes TABLESAMPLE SYSTEM (100)'))).rows), SEEN.bob);
      const { rows } = await client.query('SELECT count(*) FILTER (WHERE true)::integer AS n FROM notes');
      assert.equal(rows, [{ n: 4 }]);
    });
    for (const [principal, statement, expected] of [
      // The stored row is another's, so it cannot be updated by an upsert.
      [
        ANN,
        "INSERT INTO notes VALUES ('a', 2, 'ann', 'calm') ON CONFLICT (tenant, id) DO UPDATE SET owner = 'ann'",
        '42501',
      ],
      [ANN, "INSERT INTO notes VALUES ('a', 1, 'ann', 'calm') ON CONFLICT (tenant, id) DO UPDATE SET body = 'x'", 1],
      [ANN, "INSERT INTO notes VALUES ('a', 3, 'bob', 'calm')", '42501'],
      [ANN, "UPDATE notes SET owner = 'bob' WHERE id = 1", '42501'],
      // What is generated from the new row is tested as well.
      [ANN, "UPDATE notes SET body = 'a long text' WHERE id = 1", '42501'],
      [ANN, "UPDATE notes SET body = 'text' WHERE id = 1", 1],
      // A row does not leave its partition for one that its principal may not write.
      [ANN, "UPDATE notes SET tenant = 'b', id = 9 WHERE id = 1 AND tenant = 'a'", 1],
      [
        ANN,
        "MERGE INTO notes USING (SELECT 'b' AS t, 3 AS i) AS s ON tenant = t AND id = i WHEN MATCHED THEN DELETE",
        0,
      ],
      // Shared twice: nobody edits it.
      [{ id: 'eve', roles: ['user'] }, "UPDATE notes SET body = 'y' WHERE id = 3", 0],
      [BOB, "DELETE FROM notes WHERE tenant = 'b' AND id = 3", 0],
      [ANN, "UPDATE notes_b SET body = 'z'", '42501'],
      [ANN, 'SELECT * FROM notes_b', '42501'],
      [ANN, 'SELECT * FROM theirs', '42501'],
      [ANN, 'SELECT * FROM shares', '42501'],
    ] as const) {
      const found = await as(
        principal as typeof ANN,
        async (client) => ((await client.query(statement)) as { readonly rowCount?: number }).rowCount,
      ).catch((error: { readonly code?: string }) => error.code);
      assert.is(found, expected, statement);
    }
  } finally {
    await pool.end();
    await cluster.stop();
  }
});

test.run();

function protection(): Protection {
  const report = new Diagnostics();
  const file = readTables(new Source('tables.yaml', TABLES)) as TableFile;
  const { lowered } = compileTexts({ 'note.yaml': POLICY });
  const found = protectTables(fold(lowered as Program), {}, file, report);
  if (found === undefined)
    throw new Error(
      report
        .sorted()
        .map(({ message }) => message)
        .join('\n'),
    );
  return found;
}
