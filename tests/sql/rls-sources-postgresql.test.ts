import { Pool } from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { fold } from '../../compiler/optimise/index.js';
import { readTables } from '../../compiler/tables/read-tables.js';
import { protectTables } from '../../packages/analysis/rls/protect.js';
import { dropScript, securityScript } from '../../packages/analysis/rls/script.js';
import { withPrincipal } from '../../packages/rls/pg.js';
import { signedValue } from '../../packages/rls/sign.js';
import { compileTexts } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';

const test = suite('where a database has its principal from');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [authenticated, "org:admin", guest], condition: {match: {expr: "R.attr.owner == P.id"}}}
    - {actions: [view, edit], effect: EFFECT_ALLOW, roles: [auditor], condition: {match: {expr: "R.attr.tenant == P.attr.tenant"}}}
    - {actions: [view], effect: EFFECT_ALLOW, roles: [authenticated], condition: {match: {expr: "R.attr.tenant == request.auxData.jwt.user_metadata.tenant"}}}
`;

const TABLES = `tables:
  doc:
    name: public.docs
    id: {column: id, type: text, nulls: never}
    columns:
      owner: {column: owner, type: text, nulls: never}
      tenant: {column: tenant, type: text, nulls: never}
    rls: {select: view, update: edit, frozen: [id, tenant], to: [app]}
`;

let cluster: Cluster | string;
test.before(async () => {
  cluster = await startCluster();
  if (typeof cluster === 'string') return;
  await cluster.client.query(
    "CREATE TABLE docs (id text PRIMARY KEY, owner text NOT NULL, tenant text NOT NULL); INSERT INTO docs SELECT 'd' || n, 'u' || n % 3, 't' || n % 2 FROM generate_series(0, 11) AS n; CREATE ROLE app LOGIN; CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO app",
  );
});
test.after(async () => {
  if (typeof cluster !== 'string') await cluster.stop();
});

const CLAIMS = { sub: 'u1', role: 'authenticated', user_metadata: { tenant: 't1' } };

for (const [source, rows] of [
  [
    'principal: supabase\n  claims: {tenant: app_metadata.tenant}\n  attributes: {tenant: text}',
    [
      [CLAIMS, ['u1']],
      [{ ...CLAIMS, app_metadata: { tenant: 't0', roles: ['auditor'] } }, ['u0', 'u1', 'u2']],
      [{ ...CLAIMS, app_metadata: { tenant: 1, roles: ['auditor'] } }, []],
      [{ ...CLAIMS, app_metadata: { roles: 'auditor' } }, []],
      [{ ...CLAIMS, app_metadata: { roles: [1] } }, []],
      [{ ...CLAIMS, role: undefined }, []],
      [{ role: 'anon' }, []],
      [{ ...CLAIMS, sub: '' }, []],
      [[], []],
      ['u1', []],
    ],
  ],
  [
    'principal: clerk\n  claims: {tenant: org_id}',
    [
      [{ sub: 'u1', org_id: 't1', org_role: 'org:admin' }, ['u1']],
      [{ sub: 'u1', o: { id: 't1', rol: 'admin' } }, ['u1']],
      [{ sub: 'u1', o: { id: 't1', rol: 'member' } }, []],
      [{ sub: 'u1', o: {} }, []],
      [{ sub: 'u1', o: 'x', role: 'authenticated' }, ['u1']],
      [{ o: { id: 't1', rol: 'admin' } }, []],
    ],
  ],
  [
    'principal: supabase\n  anonymous: {id: u2, roles: [guest]}',
    [
      [{ role: 'anon' }, ['u2']],
      [undefined, ['u2']],
      [CLAIMS, ['u1']],
      [{ ...CLAIMS, role: 1 }, []],
    ],
  ],
  ['principal: {function: app.who}', [[undefined, ['u0']]]],
] as const) {
  test(`${source.replaceAll('\n ', ';')}: shows what its claims say`, async () => {
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    const { client } = cluster;
    await client.query(
      `CREATE OR REPLACE FUNCTION app.who() RETURNS json LANGUAGE sql STABLE AS $$ SELECT '{"id": "u0", "roles": ["guest"]}'::json $$`,
    );
    await client.query(scriptOf(`rls:\n  ${source}\n`));
    for (const [claims, owners] of rows)
      assert.equal(await seen(cluster, 'request.jwt.claims', claims), owners, JSON.stringify(claims));
  });
}

/** What Supabase has in its schema `auth`: functions that read the claims of the request. */
const AUTH = `CREATE SCHEMA auth;
GRANT USAGE ON SCHEMA auth TO app;
CREATE FUNCTION auth.jwt() RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('request.jwt.claim', true), ''), nullif(current_setting('request.jwt.claims', true), ''))::jsonb $$;
CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('request.jwt.claim.sub', true), ''), nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;
CREATE FUNCTION auth.role() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('request.jwt.claim.role', true), ''), nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role') $$;
CREATE FUNCTION app.principal_of_auth() RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', auth.uid(), 'roles', jsonb_build_array(auth.role()), 'attr', jsonb_strip_nulls(jsonb_build_object('tenant', auth.jwt() #> '{app_metadata,tenant}'))) $$;`;

test('`auth.uid()` is the id of the principal, in a function and as `principal: supabase` reads it', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  const [ann, bob] = ['7c9e6679-7425-40de-944b-e07fc1f90ae7', '550e8400-e29b-41d4-a716-446655440000'];
  await client.query(`${AUTH} INSERT INTO docs VALUES ('a1', '${ann}', 't1'), ('b1', '${bob}', 't1')`);
  try {
    const ofAuth = 'rls:\n  principal: {function: app.principal_of_auth}\n  attributes: {tenant: text}\n';
    const ofClaims =
      'rls:\n  principal: supabase\n  claims: {tenant: app_metadata.tenant}\n  attributes: {tenant: text}\n';
    for (const source of [ofAuth, ofClaims]) {
      await client.query(scriptOf(source));
      for (const [claims, owners] of [
        [{ sub: ann, role: 'authenticated' }, [ann]],
        [{ sub: bob, role: 'authenticated', app_metadata: { tenant: 't9' } }, [bob]],
        [{ sub: bob, role: 'auditor', app_metadata: { tenant: 't0' } }, ['u0', 'u1', 'u2']],
        [{ sub: bob, role: 'auditor' }, []],
        [{ sub: bob, role: 'auditor', app_metadata: { tenant: 1 } }, []],
        [{ sub: bob, role: 'auditor', user_metadata: { tenant: 't0' } }, []],
        [{ sub: bob }, []],
        [{ role: 'authenticated' }, []],
        [undefined, []],
      ] as const)
        assert.equal(await seen(cluster, 'request.jwt.claims', claims), owners, `${source}${JSON.stringify(claims)}`);
    }
    // An id is what the claim says, and `auth.uid()` fails for one that is no UUID: nobody, and no other user.
    await client.query(scriptOf(ofAuth));
    const claims = { sub: 'u1', role: 'authenticated' };
    assert.match(
      await seen(cluster, 'request.jwt.claims', claims).then(String, String),
      /invalid input syntax .* uuid/,
    );
    // The function that returns an id alone names no principal.
    await client.query(scriptOf('rls: {principal: {function: auth.uid}}\n'));
    const own = { sub: ann, role: 'authenticated' };
    assert.match(await seen(cluster, 'request.jwt.claims', own).then(String, String), /cannot cast type uuid to jsonb/);
  } finally {
    await client.query("DELETE FROM docs WHERE id IN ('a1', 'b1')");
  }
});

test('a value that is signed is one of its principal until it expires', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client, connection } = cluster;
  await client.query(scriptOf('rls: {principal: signed}\n'));
  await client.query(scriptOf('rls: {principal: signed}\n'));
  const secret = new TextEncoder().encode('0123456789abcdef0123456789abcdef');
  const long = new Uint8Array(100).fill(7);
  for (const [kid, bytes] of [
    ['k1', secret],
    ['k2', long],
  ] as const)
    await client.query('SELECT authz_keys.add($1, $2)', [kid, Buffer.from(bytes)]);
  const key = { kid: 'k1', secret, database: 'postgres' };
  const principal = JSON.stringify({ id: 'u1', roles: ['authenticated'], attr: {} });
  // It must not expire while its characters are tried.
  const value = await signedValue(principal, { ...key, seconds: 3_000 }, Date.now());
  const sees = (text: string | undefined): Promise<readonly string[]> =>
    seen(cluster as Cluster, 'authz.principal', text);
  assert.equal(await sees(value), ['u1']);
  assert.equal(await sees(await signedValue(principal, { ...key, kid: 'k2', secret: long }, Date.now())), ['u1']);

  // No other text is: each character in turn, and what is signed for another time, key or database.
  for (let at = 0; at < value.length; at += 1) {
    const other = value[at] === 'a' ? 'b' : 'a';
    assert.equal(await sees(`${value.slice(0, at)}${other}${value.slice(at + 1)}`), [], `character ${at}`);
  }
  for (const [other, now] of [
    [{ ...key, secret: long }, Date.now()],
    [{ ...key, kid: 'k2' }, Date.now()],
    [{ ...key, kid: 'k3' }, Date.now()],
    [{ ...key, database: 'other' }, Date.now()],
    [key, Date.now() - 61_000],
    [{ ...key, seconds: 3_600 }, Date.now() + 3_600_000],
  ] as const)
    assert.equal(await sees(await signedValue(principal, other, now)), []);
  for (const text of [principal, undefined, '', `${value} `, `${value}\n`, value.toUpperCase(), 'a.b.c', '..'])
    assert.equal(await sees(text), [], text);

  const pool = new Pool({ ...connection, user: 'app', max: 2 });
  try {
    const owners = (sign: typeof key): Promise<unknown> =>
      withPrincipal(
        pool,
        { id: 'u1', roles: ['authenticated'] },
        async (own) => (await own.query('SELECT DISTINCT owner FROM docs')).rows,
        { sign },
      );
    assert.equal(await owners(key), [{ owner: 'u1' }]);
    assert.equal(await owners({ ...key, secret: long }), []);
    for (const statement of [
      'SELECT * FROM authz_keys.key',
      "SELECT authz_keys.add('k9', decode(repeat('00', 32), 'hex'))",
      'SELECT * FROM authz.version',
    ])
      assert.match(await pool.query(statement).then(String, String), /permission denied/);
  } finally {
    await pool.end();
  }
});

test('columns that are frozen stay as they are, and what drops the policies lets nobody in', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  await client.query(scriptOf(''));
  const auditor = JSON.stringify({ id: 'u1', roles: ['auditor'], attr: { tenant: 't1' } });
  const as = async (statement: string): Promise<unknown> => {
    await client.query('BEGIN');
    try {
      await client.query("SELECT set_config('role', 'app', true), set_config('authz.principal', $1, true)", [auditor]);
      return ((await client.query(statement)) as unknown as { readonly rowCount: number }).rowCount;
    } catch (error) {
      return (error as Error).message;
    } finally {
      await client.query('ROLLBACK');
    }
  };
  assert.is(await as("UPDATE docs SET owner = 'u1'"), 6);
  for (const column of ['id', 'tenant'])
    assert.is(await as(`UPDATE docs SET ${column} = 't0'`), 'permission denied for table docs');
  await client.query(protection('').drop);
  assert.is(await as('SELECT * FROM docs'), 0);
  await client.query('ALTER TABLE docs ALTER COLUMN owner TYPE varchar(40)');
  await client.query(scriptOf(''));
  assert.is(await as('SELECT * FROM docs'), 6);
});

test('claims that users change, and sources of no database, are refused', () => {
  for (const [source, message] of [
    ['principal: supabase\n  claims: {tenant: user_metadata.tenant}', 'which users can change'],
    ['principal: clerk\n  claims: {tenant: unsafe_metadata.tenant}', 'which users can change'],
    ['principal: settings\n  claims: {tenant: app_metadata.tenant}', 'only `principal: supabase`'],
    ['principal: supabase\n  claims: {tenant: app_metadata..tenant}', 'the path of a claim'],
    ['principal: signed\n  anonymous: {id: u2, roles: [guest]}', 'sign an anonymous principal'],
    ['principal: firebase', 'it needs `settings`'],
    ['principal: {function: who}', 'a function with its schema'],
    ['principal: {function: "app.who(); DROP TABLE docs --"}', 'a function with its schema'],
  ] as const) {
    const read = readTables(new Source('tables.yaml', `${TABLES}rls:\n  ${source}\n`));
    assert.match('problems' in read ? (read.problems[0]?.message ?? '') : '', message);
  }
});

test.run();

function scriptOf(session: string): string {
  return protection(session).script;
}

function protection(session: string): { readonly script: string; readonly drop: string } {
  const { lowered } = compileTexts({ 'doc.yaml': POLICY });
  const file = readTables(new Source('tables.yaml', `${TABLES}${session}`));
  if ('problems' in file) throw new Error(file.problems[0]?.message);
  const report = new Diagnostics();
  const made = protectTables(fold(lowered ?? invariant('no program')), {}, file, report);
  if (made === undefined) throw new Error(report.sorted()[0]?.message);
  return { script: securityScript(made), drop: dropScript(made) };
}

/** The owners of the rows that a session sees. */
async function seen({ client }: Cluster, setting: string, value: unknown): Promise<readonly string[]> {
  await client.query('BEGIN');
  try {
    await client.query("SELECT set_config('role', 'app', true), set_config($1, $2, true)", [
      setting,
      typeof value === 'string' && setting === 'authz.principal' ? value : (JSON.stringify(value) ?? ''),
    ]);
    const { rows } = await client.query('SELECT DISTINCT owner FROM docs ORDER BY owner');
    return (rows as readonly { readonly owner: string }[]).map(({ owner }) => owner);
  } finally {
    await client.query('ROLLBACK');
  }
}
