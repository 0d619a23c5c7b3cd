import { Client, Pool, Query } from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { fold } from '../../compiler/optimise/index.js';
import { readTables } from '../../compiler/tables/read-tables.js';
import { protectTables } from '../../packages/analysis/rls/protect.js';
import { securityScript } from '../../packages/analysis/rls/script.js';
import { type PgClient, type PgPool, withPrincipal } from '../../packages/rls/pg.js';
import { signedValue } from '../../packages/rls/sign.js';
import { compileTexts } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';
import { until } from '../support/timeout.js';

const test = suite('row level security against a role that runs any SQL');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "R.attr.owner == P.id || R.attr.shares.exists(s, s.who == P.id)"}}}
    - {actions: [view], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: "R.attr.shares.exists(s, s.who == P.id && s.kind == 'blo\\\\\\\\cked')"}}}
    - {actions: [view], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: "R.attr.late && R.attr.tenant != P.attr.tenant"}}}
    - {actions: [view], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: "R.attr.late && R.attr.tenant != P.attr.other"}}}
    - {actions: [view], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: "R.attr.blocks.exists(b, P.id in b.whom)"}}}
    - {actions: [view], effect: EFFECT_DENY, roles: [banned], condition: {match: {expr: "R.attr.late"}}}
`;

const TABLES = `tables:
  doc:
    name: public.docs
    id: {column: id, type: text, nulls: never}
    columns:
      owner: {column: owner, type: text, nulls: never}
      tenant: {column: tenant, type: text, nulls: never}
      late: {column: late, type: boolean, nulls: never}
      shares: {relation: many, table: public.shares, on: {doc: id}, columns: {who: {column: who, type: text, nulls: never}, kind: {column: kind, type: text, nulls: never}}}
      blocks: {relation: many, table: public.blocks, on: {doc: id}, columns: {whom: {column: whom, type: list, nulls: never}}}
    rls: {select: view, insert: view, update: view, delete: view, to: [app]}
rls: {principal: signed, attributes: {tenant: text}}
`;

/** The rows of `u1` are d1 and d2; each other one is denied to it. */
const DATABASE = `
CREATE ROLE app LOGIN;
CREATE TABLE docs (id text PRIMARY KEY, owner text NOT NULL, tenant text NOT NULL DEFAULT 't1', late boolean NOT NULL DEFAULT false);
CREATE TABLE shares (doc text NOT NULL, who text NOT NULL, kind text NOT NULL);
INSERT INTO docs VALUES ('d1', 'u1', 't1', false), ('d2', 'u2', 't1', false), ('d3', 'u1', 't1', false), ('d4', 'u2', 't1', false), ('d5', 'u1', 't2', true), ('d6', 'u1', 't1', true), ('d7', 'u1', 't1', false);
INSERT INTO shares VALUES ('d2', 'u1', 'read'), ('d3', 'u1', 'blo\\cked');
CREATE TABLE blocks (doc text NOT NULL, whom jsonb NOT NULL);
INSERT INTO blocks SELECT CASE n WHEN 1 THEN 'd7' ELSE 'other' END, '["u1"]' FROM generate_series(1, 9999) AS n;
CREATE INDEX ON blocks USING gin (whom);
ANALYZE blocks;
`;

const SECRET = new TextEncoder().encode('0123456789abcdef0123456789abcdef');
const KEY = { kid: 'k1', secret: SECRET, database: 'postgres' };
const PRINCIPAL = JSON.stringify({ id: 'u1', roles: ['user', 'banned'], attr: { tenant: 't1', other: 't2' } });
const ROWS = ['d1', 'd2'];

/** What a role does to its session before it reads. */
const SESSIONS: readonly (readonly [name: string, statements: readonly string[]])[] = [
  ['nothing', []],
  [
    'a domain of the session has the name of a type, and its CHECK reads keys as the owner of a function',
    [
      'CREATE TEMP TABLE spied (kid pg_catalog.text)',
      'GRANT ALL ON spied TO PUBLIC',
      'CREATE FUNCTION pg_temp.spy(pg_catalog.text) RETURNS pg_catalog.bool LANGUAGE plpgsql AS $$ BEGIN INSERT INTO pg_temp.spied SELECT kid FROM authz_keys.key; RETURN true; EXCEPTION WHEN insufficient_privilege THEN RETURN true; END $$',
      'CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (pg_temp.spy(VALUE))',
    ],
  ],
  [
    'a type of the session has the name of another, with casts',
    [
      'CREATE TYPE pg_temp.jsonb AS (own pg_catalog.jsonb)',
      `CREATE FUNCTION pg_temp.forge(pg_catalog.jsonb) RETURNS pg_temp.jsonb LANGUAGE sql AS $$ SELECT ROW('{"id": "u2", "roles": ["user"]}'::pg_catalog.jsonb)::pg_temp.jsonb $$`,
      'CREATE FUNCTION pg_temp.back(pg_temp.jsonb) RETURNS pg_catalog.jsonb LANGUAGE sql AS $$ SELECT $1.own $$',
      'CREATE CAST (pg_catalog.jsonb AS pg_temp.jsonb) WITH FUNCTION pg_temp.forge(pg_catalog.jsonb) AS ASSIGNMENT',
      'CREATE CAST (pg_temp.jsonb AS pg_catalog.jsonb) WITH FUNCTION pg_temp.back(pg_temp.jsonb) AS IMPLICIT',
    ],
  ],
  [
    'tables and functions of the session have the names of those that policies read',
    [
      'CREATE TEMP TABLE docs (id pg_catalog.text)',
      'CREATE TEMP TABLE shares (doc pg_catalog.text, who pg_catalog.text, kind pg_catalog.text)',
      "CREATE FUNCTION pg_temp.current_setting(pg_catalog.text, pg_catalog.bool) RETURNS pg_catalog.text LANGUAGE sql AS $$ SELECT 'forged' $$",
      'SET search_path = pg_temp, public, pg_catalog',
    ],
  ],
  ['a backslash is another sign', ['SET standard_conforming_strings = off', 'SET backslash_quote = on']],
  ['a comparison with NULL is another one', ['SET transform_null_equals = on']],
  [
    'numbers and times are written otherwise',
    [
      'SET extra_float_digits = -15',
      "SET DateStyle = 'SQL, DMY'",
      "SET TimeZone = 'Pacific/Auckland'",
      'SET IntervalStyle = sql_standard',
    ],
  ],
  ['an index returns some rows', ['SET enable_seqscan = off', 'SET gin_fuzzy_search_limit = 1']],
  ['plans are kept', ['SET plan_cache_mode = force_generic_plan', 'SET enable_seqscan = off']],
];

/** What a role reads; each row has an id. */
const READS: readonly string[] = [
  'SELECT id FROM public.docs',
  // Values that a policy has not read yet when the setting changes.
  "SELECT id, set_config('authz.principal', '', false) FROM public.docs",
  `SELECT id, set_config('authz.principal', '{"id": "u1", "roles": ["user"]}', false) FROM public.docs`,
  "SELECT id FROM public.docs WHERE set_config('authz.principal', '', false) IS NOT NULL",
  "SELECT d.id FROM generate_series(1, 2) AS n, LATERAL (SELECT id, set_config('authz.principal', '', false) FROM public.docs OFFSET 0) AS d",
  'BEGIN; DECLARE c CURSOR FOR SELECT id FROM public.docs; FETCH 1 FROM c; SET authz.principal TO DEFAULT; FETCH ALL FROM c; COMMIT',
  `BEGIN; DECLARE c CURSOR FOR SELECT id FROM public.docs; FETCH 1 FROM c; SELECT set_config('authz.principal', '', true); FETCH ALL FROM c; COMMIT`,
];

let cluster: Cluster | string;
test.before(async () => {
  cluster = await startCluster();
  if (typeof cluster === 'string') return;
  const { client } = cluster;
  await client.query(DATABASE);
  await client.query(scriptOf());
  await client.query('SELECT authz_keys.add($1, $2)', [KEY.kid, Buffer.from(SECRET)]);
});
test.after(async () => {
  if (typeof cluster !== 'string') await cluster.stop();
});

for (const [name, statements] of SESSIONS)
  test(`a role sees its own rows: ${name}`, async () => {
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    const { connection } = cluster;
    const wrong: string[] = [];
    for (const [at, read] of (statements.length === 0 ? READS : READS.slice(0, 2)).entries()) {
      const client = new Client({ ...connection, user: 'app' });
      await client.connect();
      try {
        for (const statement of statements) await client.query(statement);
        const use = async (value: string): Promise<void> => {
          await client.query('SELECT set_config($1, $2, false)', ['authz.principal', value]);
        };
        await use(await signedValue(PRINCIPAL, KEY, Date.now()));
        const seen = await idsOf(client, read);
        if (typeof seen === 'string' ? !seen.includes(NO_PRINCIPAL) : seen.some((id) => !ROWS.includes(id)))
          wrong.push(`${read}: ${String(seen)}`);
        if (at === 0 && String(seen) !== String(ROWS)) wrong.push(`${read}: not ${String(ROWS)}, but ${String(seen)}`);
        const spied = await client.query('SELECT * FROM pg_temp.spied').then(
          ({ rows }) => rows.length,
          () => 0,
        );
        if (spied > 0) wrong.push('the keys were read');
        for (const nobody of [PRINCIPAL, '', 'k1.e30=.00']) {
          await use(nobody);
          const found = await idsOf(client, 'SELECT id FROM public.docs');
          if (typeof found === 'string' ? !found.includes(NO_PRINCIPAL) : found.length > 0)
            wrong.push(`${nobody} sees ${String(found)}`);
        }
      } finally {
        await client.end();
      }
    }
    assert.is(wrong.length, 0, wrong.join('\n'));
  });

/** Principals of one pool: u1 sees d1 and d2, u2 sees d2 and d4. */
const USERS = { u1: ['d1', 'd2'], u2: ['d2', 'd4'] } as const;
type User = keyof typeof USERS;

type Transact = <Result>(user: User, callback: (client: Connection) => Promise<Result>) => Promise<Result>;
type Connection = Client & PgClient;

/** Runs a test with transactions of principals on one pool, whose connections they share. */
async function withUsers(
  max: number,
  use: (transact: Transact, pool: InstanceType<typeof Pool>) => Promise<void>,
): Promise<void> {
  const { connection } = cluster as Cluster;
  const pool = new Pool({ ...connection, user: 'app', max });
  try {
    await use(
      (id, callback) =>
        withPrincipal(
          pool as unknown as PgPool<Connection>,
          { id, roles: ['user', 'banned'], attr: { tenant: 't1', other: 't2' } },
          callback,
          { role: 'app', sign: KEY },
        ),
      pool,
    );
  } finally {
    await pool.end();
  }
}

/** The rows of a statement `COPY … TO STDOUT`, as PostgreSQL sends them. */
function copied(client: Client, statement: string): Promise<string> {
  const chunks: Buffer[] = [];
  const query = Object.assign(new Query(statement), {
    handleCopyData: ({ chunk }: { readonly chunk: Buffer }) => chunks.push(chunk),
  });
  return new Promise((resolve, reject) => {
    query.on('end', () => resolve(Buffer.concat(chunks).toString('latin1')));
    query.on('error', reject);
    client.query(query);
  });
}

const idsIn = (text: string): readonly string[] => [...new Set(text.match(/\bd\d\b/g))].sort();

const codeOf = (error: { readonly code?: string }): string => error.code ?? String(error);

test('COPY TO sends the rows of its principal, to no file and no program', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  await withUsers(2, async (transact) => {
    for (const [user, ids] of Object.entries(USERS) as [User, readonly string[]][])
      for (const statement of [
        'COPY public.docs TO STDOUT',
        'COPY public.docs (id) TO STDOUT WITH (FORMAT csv, HEADER)',
        'COPY public.docs (id) TO STDOUT WITH (FORMAT binary)',
        'COPY (TABLE public.docs) TO STDOUT',
        "COPY (UPDATE public.docs SET tenant = tenant WHERE id <> '' RETURNING id) TO STDOUT",
        "COPY (WITH gone AS (DELETE FROM public.docs WHERE id <> '' RETURNING id) TABLE gone) TO STDOUT",
      ]) {
        const sent = await transact(user, async (client) => {
          const text = await copied(client, statement);
          await client.query('ROLLBACK');
          return text;
        });
        assert.equal(idsIn(sent.replaceAll('\0', ' ')), ids, `${user}: ${statement}`);
      }
    for (const statement of [
      "COPY public.docs TO '/tmp/docs'",
      "COPY public.docs TO PROGRAM 'cat'",
      'COPY public.shares TO STDOUT',
      'COPY authz_keys.key TO STDOUT',
      'COPY (SELECT * FROM authz_keys.key) TO STDOUT',
    ])
      assert.is(await transact('u1', (client) => copied(client, statement)).catch(codeOf), '42501', statement);
  });
});

test('TRUNCATE, and locks of tables without a privilege, are refused', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  await withUsers(2, async (transact) => {
    for (const statement of [
      'TRUNCATE public.docs',
      'TRUNCATE ONLY public.docs RESTART IDENTITY CASCADE',
      'TRUNCATE public.docs, public.shares',
      'TRUNCATE authz_keys.key',
      'LOCK TABLE public.shares IN ACCESS SHARE MODE',
      'LOCK TABLE authz_keys.key IN ACCESS SHARE MODE',
    ])
      assert.is(await transact('u1', (client) => client.query(statement)).then(String, codeOf), '42501', statement);
  });
  const { rows } = await cluster.client.query('SELECT count(*)::integer AS n FROM docs');
  assert.equal(rows, [{ n: 7 }]);
});

test('locks say nothing about rows of another principal', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  await withUsers(2, async (transact) => {
    await transact('u2', async (other) => {
      const locked = await other.query("SELECT id FROM public.docs WHERE id <> '' FOR UPDATE");
      assert.equal(idsIn(JSON.stringify(locked.rows)), USERS.u2);
      await transact('u1', async (client) => {
        // d2 is locked, and d4 is not there: a row of its own is as free as without the other.
        for (const [statement, ids] of [
          ['SELECT id FROM public.docs FOR UPDATE SKIP LOCKED', ['d1']],
          ["SELECT id FROM public.docs WHERE id = 'd4' FOR UPDATE NOWAIT", []],
          ["SELECT id FROM public.docs WHERE id = 'd4' FOR KEY SHARE NOWAIT", []],
          ["UPDATE public.docs SET tenant = 't1' WHERE id = 'd4' RETURNING id", []],
          ["DELETE FROM public.docs WHERE id = 'd4' RETURNING id", []],
        ] as const)
          assert.equal(idsIn(JSON.stringify((await client.query(statement)).rows)), ids, statement);
        // What others are doing has no values of theirs: the principal is a parameter.
        const { rows } = await client.query(
          'SELECT l::text, a::text FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a USING (pid)',
        );
        const text = JSON.stringify(rows);
        assert.match(text, 'FOR UPDATE');
        assert.not.match(text, /\bd4\b|\bk1\.|"u2\b|\bt1\b/);
      });
    });
  });
});

test('rules and views that a role makes show each principal its own rows', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  await withUsers(1, async (transact, pool) => {
    await transact('u1', async (client) => {
      await client.query('CREATE TEMP TABLE asked (n integer)');
      await client.query('CREATE TEMP TABLE found (n integer, id pg_catalog.text)');
      await client.query('GRANT ALL ON asked, found TO PUBLIC');
      await client.query(
        'CREATE RULE tell AS ON INSERT TO asked DO ALSO INSERT INTO found SELECT new.n, id FROM public.docs',
      );
      await client.query('CREATE RULE change AS ON DELETE TO asked DO INSTEAD DELETE FROM public.docs RETURNING 1');
      await client.query('CREATE TEMP VIEW seen AS SELECT id FROM public.docs');
      await client.query('CREATE TEMP VIEW barred WITH (security_barrier) AS SELECT id FROM public.docs');
      await client.query(
        'CREATE RULE further AS ON UPDATE TO barred DO INSTEAD UPDATE public.docs SET id = id RETURNING id',
      );
    });
    for (const [n, user] of (['u2', 'u1', 'u2'] as const).entries())
      await transact(user, async (client) => {
        await client.query(`INSERT INTO asked VALUES (${n})`);
        for (const statement of [
          `SELECT id FROM found WHERE n = ${n}`,
          'TABLE seen',
          'TABLE barred',
          "UPDATE barred SET id = 'x' WHERE id <> '' RETURNING id",
        ])
          assert.equal(idsIn(JSON.stringify((await client.query(statement)).rows)), USERS[user], statement);
        assert.is((await client.query('DELETE FROM asked')).rowCount, USERS[user].length);
        await client.query('ROLLBACK');
      });
    // A rule finds nothing for nobody.
    await pool.query('INSERT INTO pg_temp.asked VALUES (9)');
    assert.equal((await pool.query('SELECT * FROM pg_temp.found WHERE n = 9')).rows, []);

    for (const statement of [
      'CREATE RULE spy AS ON SELECT TO public.docs DO INSTEAD SELECT * FROM public.docs',
      'CREATE RULE spy AS ON INSERT TO public.docs DO ALSO NOTIFY spied',
      'CREATE RULE authz_select AS ON DELETE TO public.docs DO INSTEAD NOTHING',
      'CREATE RULE spy AS ON INSERT TO public.shares DO INSTEAD NOTHING',
      'CREATE VIEW public.spied AS TABLE public.docs',
    ])
      assert.is(await transact('u1', (client) => client.query(statement)).then(String, codeOf), '42501', statement);
  });
});

test('notifications have the rows of their sender, and none of a transaction that fails', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  await withUsers(1, async (transact) => {
    const { connection } = cluster as Cluster;
    const listener = new Client({ ...connection, user: 'app' });
    await listener.connect();
    try {
      const heard: string[] = [];
      listener.on('notification', ({ payload = '' }) => heard.push(payload));
      await listener.query('LISTEN docs');
      await transact('u1', (client) => client.query("SELECT pg_notify('docs', id) FROM public.docs"));
      await transact('u2', async (client) => {
        await client.query("SELECT pg_notify('docs', id) FROM public.docs");
        throw new Error('aborted');
      }).catch(() => undefined);
      await transact('u1', (client) =>
        client.query("SELECT pg_notify('docs', 'end'), pg_notification_queue_usage(), pg_listening_channels()"),
      );
      // What has been sent before the answer of a statement is received before it.
      await until(async () => {
        await listener.query('SELECT');
        return heard.includes('end');
      });
      assert.equal(heard, [...USERS.u1, 'end']);
    } finally {
      await listener.end();
    }
  });
});

test('no statistics and no catalog show values of rows', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  await cluster.client.query('ANALYZE public.docs');
  await withUsers(1, async (transact) => {
    for (const catalog of ['pg_stats', 'pg_stats_ext_exprs', 'pg_prepared_statements', 'pg_cursors'])
      assert.equal(
        await transact('u1', async (client) => idsIn(JSON.stringify((await client.query(`TABLE ${catalog}`)).rows))),
        [],
        catalog,
      );
  });
});

test.run();

/** What a statement says that reads a value of a principal that is no longer there. */
const NO_PRINCIPAL = 'the session has no principal';

/** The ids of the rows of all statements, or the error of one. */
async function idsOf(client: Client, statements: string): Promise<readonly string[] | string> {
  try {
    const results: unknown = await client.query(statements);
    const all = (Array.isArray(results) ? results : [results]) as readonly {
      readonly rows: readonly { id?: string }[];
    }[];
    return all.flatMap(({ rows }) => rows.flatMap(({ id }) => id ?? [])).sort();
  } catch (error) {
    await client.query('ROLLBACK');
    return String(error);
  }
}

function scriptOf(): string {
  const { lowered } = compileTexts({ 'doc.yaml': POLICY });
  const file = readTables(new Source('tables.yaml', TABLES));
  if ('problems' in file) throw new Error(file.problems[0]?.message);
  const report = new Diagnostics();
  const made = protectTables(fold(lowered ?? invariant('no program')), {}, file, report);
  return securityScript(made ?? invariant(report.sorted()[0]?.message ?? ''));
}
