import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { fold } from '../../compiler/optimise/index.js';
import { readTables, type TableFile } from '../../compiler/tables/read-tables.js';
import { protectTables } from '../../packages/analysis/rls/protect.js';
import { securityScript } from '../../packages/analysis/rls/script.js';
import { createEngine } from '../../runtime/engine/index.js';
import { renderSql, type SqlTable } from '../../runtime/residual/sql/index.js';
import type { Program } from '../../compiler/ir/program.js';
import { compileTexts, loaded, ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

const test = suite('a file of row level security');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: invoice
  version: default
  rules:
    - name: other-tenants
      actions: ["*"]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: {match: {expr: "!(has(P.attr.tenant) && R.attr.tenant == P.attr.tenant)"}}
    - {name: accountants, actions: [view, create, edit], effect: EFFECT_ALLOW, roles: [accountant]}
    - name: own
      actions: [view, edit]
      effect: EFFECT_ALLOW
      roles: [employee]
      condition: {match: {expr: "R.attr.author == P.id && R.attr.amount < 10000"}}
    - name: drafts
      actions: [delete]
      effect: EFFECT_ALLOW
      roles: [accountant]
      condition: {match: {expr: "R.attr.status == 'draft'"}}
    - name: paid-is-final
      actions: [edit, delete]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: {match: {expr: "R.attr.status == 'paid'"}}
`;

const TABLES = `tables:
  invoice:
    name: public.invoices
    alias: i
    id: {column: id, type: text, nulls: never}
    columns:
      tenant: {column: tenant_id, type: text, nulls: never}
      author: {column: author_id, type: text, nulls: never}
      status: {column: status, type: text, nulls: never}
      amount: {column: amount, type: integer, nulls: never}
    rls: {select: view, insert: create, update: edit, delete: delete, to: [app]}
rls:
  attributes: {tenant: text}
`;

test('each statement does what a check allows, and a file can be run again', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query(
      'CREATE TABLE invoices (id text PRIMARY KEY, tenant_id text NOT NULL, author_id text NOT NULL, status text NOT NULL, amount bigint NOT NULL); CREATE INDEX ON invoices (tenant_id); CREATE ROLE app',
    );
    await client.query(
      "INSERT INTO invoices SELECT 'i' || n, 't' || n % 100, 'u' || n % 3, (ARRAY['draft', 'open', 'paid'])[1 + n % 3], n FROM generate_series(1, 20000) AS n; ANALYZE invoices",
    );
    const text = fileOf(TABLES);
    assert.is(text, fileOf(TABLES));
    await client.query(text as string);
    const installed = await objectsOf(client);
    await client.query(text as string);
    assert.equal(await objectsOf(client), installed);

    const bob = { id: 'u1', roles: ['employee'], attr: { tenant: 't1' } };
    const ann = { id: 'ann', roles: ['accountant'], attr: { tenant: 't1' } };
    const count = 'SELECT count(*)::integer AS n FROM invoices';
    assert.equal(await as(client, ann, count), [{ n: 200 }]);
    assert.equal(await as(client, bob, count), [{ n: 34 }]);
    assert.equal(await as(client, { ...ann, attr: {} }, count), [{ n: 0 }]);
    assert.equal(await as(client, { ...ann, attr: { tenant: 1 } }, count), [{ n: 0 }]);
    assert.equal(await as(client, undefined, count), [{ n: 0 }]);

    const insert = "INSERT INTO invoices VALUES ('new', 't1', 'ann', 'draft', 1) RETURNING id";
    assert.equal(await as(client, ann, insert), [{ id: 'new' }]);
    assert.is(await as(client, bob, insert), '42501');
    assert.is(await as(client, ann, insert.replace("'t1'", "'t2'")), '42501');

    const update = "UPDATE invoices SET amount = amount + 1 WHERE tenant_id IN ('t1', 't2') RETURNING id";
    assert.is((await as(client, ann, update)).length, 133);
    assert.is(await as(client, ann, "UPDATE invoices SET tenant_id = 't2' WHERE id = 'i1'"), '42501');
    assert.equal(await as(client, ann, "UPDATE invoices SET status = 'paid' WHERE id = 'i101' RETURNING id"), []);
    assert.equal(await as(client, bob, "DELETE FROM invoices WHERE tenant_id = 't1' RETURNING id"), []);
    assert.is((await as(client, ann, 'DELETE FROM invoices RETURNING id')).length, 66);
    for (const statement of ['TRUNCATE invoices', 'CREATE TABLE authz.t (id text)'])
      assert.is(await as(client, ann, statement), '42501');

    const plan = JSON.stringify(await as(client, ann, 'EXPLAIN SELECT * FROM invoices'));
    assert.match(plan, /Index Cond: \(tenant_id = \$\d\)/);
    // Each helper is evaluated once a statement.
    assert.not.match(plan, /Filter: [^"]*authz\./);

    // A row is found by its key, and a list with its plan by the index of the plan.
    await client.query('CREATE INDEX ON invoices (amount)');
    for (const [condition, found] of [
      ["id = 'i101'", /Index Cond: \(id = 'i101'::text\)/],
      ["amount = 101 AND author_id = 'u2'", /Index Cond: \(amount = 101\)/],
    ] as const) {
      const own = JSON.stringify(await as(client, ann, `EXPLAIN SELECT * FROM invoices WHERE ${condition}`));
      assert.match(own, found);
      assert.match(own, /InitPlan/);
      assert.not.match(own, /Filter: [^"]*authz\./);
    }
    await client.query('DROP INDEX invoices_amount_idx');

    // A policy reads what the same condition reads that is written into the query.
    const measured = 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) SELECT * FROM invoices';
    const written = "tenant_id = 't1' AND author_id = 'u1' AND amount < 10000";
    await as(client, bob, measured);
    const [withPolicy, withCondition] = [
      blocksOf(await as(client, bob, measured)),
      blocksOf((await client.query(`${measured} WHERE ${written}`)).rows as object[]),
    ];
    assert.ok(withPolicy <= withCondition * 1.5, `${withPolicy} blocks, and ${withCondition} without a policy`);

    // What is left out, nobody may do.
    await client.query(fileOf(TABLES.replace('insert: create, ', '')) as string);
    assert.is(await as(client, ann, insert), '42501');
    assert.equal(await as(client, ann, count), [{ n: 200 }]);
    // The file of one version over that of another leaves nothing behind, and nothing of others away.
    await client.query("CREATE POLICY reports ON invoices FOR SELECT TO app USING (status = 'void')");
    await client.query(text as string);
    await client.query('DROP POLICY reports ON invoices');
    assert.equal(await objectsOf(client), installed);
  } finally {
    await cluster.stop();
  }
});

test('with the plan of its principal in the query, a policy with a role that sees all finds rows by indexes', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query(
      'CREATE TABLE albums (id text PRIMARY KEY, owner_id text, status text, visibility text NOT NULL, friends jsonb); CREATE ROLE app',
    );
    await client.query(
      `INSERT INTO albums SELECT 'a' || n, 'u' || n % 5000, (ARRAY['OPEN', 'LOCKED'])[1 + n % 2], CASE WHEN n % 997 = 0 THEN 'public' ELSE 'private' END, '["u1"]' FROM generate_series(1, 100000) AS n;
       CREATE INDEX ON albums (owner_id); CREATE INDEX ON albums (visibility); ANALYZE albums`,
    );
    const own = ['album.yaml', 'album_roles.yaml'];
    const texts = Object.fromEntries(own.map((name) => [name, readFileSync(join(ROOT, 'policies', name), 'utf8')]));
    const compilation = compileTexts(texts);
    const table = `tables:
  album:
    name: public.albums
    id: {column: id, type: text, nulls: never}
    columns:
      owner: {column: owner_id, type: text}
      status: {column: status, type: text}
      visibility: {column: visibility, type: text, nulls: never}
      friends: {column: friends, type: list}
    rls: {select: view, update: edit, to: [app]}
`;
    const file = readTables(new Source('tables.yaml', table)) as TableFile;
    const protection = protectTables(fold(compilation.lowered as Program), {}, file, new Diagnostics());
    assert.ok(protection);
    await client.query(securityScript(protection));

    const ann = { id: 'u7', roles: ['user'] };
    const engine = createEngine((await loaded(compilation)).policies);
    const { filter } = engine.plan({ principal: ann, resource: { kind: 'album' }, actions: ['view'] });
    const condition = renderSql(filter, file.tables.get('album') as SqlTable, { dialect: 'postgresql' });
    if (condition.kind === 'refused') throw new Error(JSON.stringify(condition.problems));
    const written = condition.text.replace(/\$(\d+)/g, (_, at: string) => `'${condition.parameters[Number(at) - 1]}'`);
    const query = 'SELECT * FROM public.albums';
    const explained = async (statement: string): Promise<string> =>
      JSON.stringify(await as(client, ann, `EXPLAIN ${statement}`));

    const ofPolicy = await explained(query);
    assert.match(ofPolicy, /Seq Scan on albums/);
    const ofBoth = await explained(`${query} WHERE ${written}`);
    assert.match(ofBoth, /BitmapOr/);
    assert.match(ofBoth, /Index Cond: \(owner_id = 'u7'::text\)/);
    assert.not.match(ofBoth, /Seq Scan/);
    for (const plan of [ofPolicy, ofBoth]) assert.not.match(plan, /Filter: [^"]*authz\./);

    // Both show the same rows, and reading them costs what it costs without a policy.
    const seen = (await as(client, ann, `${query} ORDER BY id`)) as readonly object[];
    assert.equal(await as(client, ann, `${query} WHERE ${written} ORDER BY id`), seen);
    assert.ok(seen.length > 100 && seen.length < 1000);
    const measured = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${query} WHERE ${written}`;
    await as(client, ann, measured);
    const [withPolicy, withCondition] = [
      blocksOf(await as(client, ann, measured)),
      blocksOf((await client.query(measured)).rows as object[]),
    ];
    assert.ok(withPolicy <= withCondition * 1.5, `${withPolicy} blocks, and ${withCondition} without a policy`);
  } finally {
    await cluster.stop();
  }
});

test('what PostgreSQL cannot decide alike is reported with its place, and nothing is written', () => {
  for (const [from, to, reason] of [
    ['amount < 10000', 'shares.exists(s, s == P.id)', /no column is mapped/],
    ['amount < 10000', 'author.matches(P.attr.pattern)', /matches/],
    ['amount < 10000', 'missing == P.attr.x', /no column is mapped/],
    ['amount < 10000', 'amount < G.limit', /a global of the configuration/],
    ['amount < 10000', 'amount < 10000 || has(G.limit)', /a global of the configuration/],
  ] as const) {
    const report = new Diagnostics();
    const text = fileOf(TABLES, POLICY.replace(from, to), report);
    const [problem] = report.sorted();
    assert.is(text, undefined);
    assert.is(problem?.code, 'rls/not-in-sql');
    assert.match(problem?.message ?? '', reason);
    assert.is(problem?.place?.span.source.path, 'tables.yaml');
  }
});

test('a hundred runs write the same bytes, and no policy of the examples calls a helper for each row', () => {
  const policies = readdirSync(join(ROOT, 'policies'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml') && !entry.name.endsWith('_test.yaml'))
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')] as const);
  const { lowered } = compileTexts(Object.fromEntries(policies));
  assert.ok(lowered !== undefined);
  const file = readTables(new Source('tables.yaml', ALBUMS)) as TableFile;
  const write = (): string => {
    const protection = protectTables(fold(lowered), {}, file, new Diagnostics());
    return protection === undefined ? '' : securityScript(protection);
  };
  const text = write();
  for (let run = 1; run < 100; run += 1) assert.is(write(), text);
  const conditions = text.slice(text.indexOf('CREATE POLICY')).replace(/'(?:[^']|'')*'/g, "''");
  assert.match(conditions, /\(SELECT authz\.has_role\(''\)\)/);
  // What is left without sub-selects calls nothing.
  assert.not.match(conditions.replace(/\(SELECT (?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g, ''), /authz\.\w+\(/);
});

const ALBUMS = `tables:
  album:
    name: public.albums
    columns:
      owner: {column: owner_id, type: text, nulls: never}
      visibility: {column: visibility, type: text}
      status: {column: status, type: text}
      friends: {column: friends, type: list}
    rls: {select: view, update: edit, delete: delete, to: [app]}
`;

test('comments name the rules that decide, and no name ends its comment', () => {
  const path = 'x\nDROP TABLE invoices; --\u2028\r\u0085*/ $$ \\! id.yaml';
  const text = fileOf(TABLES, POLICY, new Diagnostics(), path) ?? '';
  const shown = path.replace(/[\n\u2028\r\u0085]/g, '\ufffd');
  assert.equal(
    text.split(/\r\n|[\n\r\u2028\u2029\u0085]/).filter((line) => line.startsWith('-- view: ')),
    [
      `-- view: allowed by "accountants", ${shown}:11; "own", ${shown}:12`,
      `-- view: denied by "other-tenants", ${shown}:6`,
    ],
  );
  assert.not.match(text, /^(?!--).*DROP TABLE/m);
});

test('an action has one of three forms', () => {
  for (const [written, isRight] of [
    ['{any: [view, edit]}', true],
    ['{all: [view]}', true],
    ['[view]', false],
    ['{any: []}', false],
    ['{any: view}', false],
    ['""', false],
    ['{some: [view]}', false],
  ] as const) {
    const read = readTables(new Source('tables.yaml', TABLES.replace('select: view', `select: ${written}`)));
    assert.is('tables' in read, isRight, written);
  }
  const bare = readTables(new Source('tables.yaml', TABLES.replace('public.invoices', 'invoices')));
  assert.match('problems' in bare ? (bare.problems[0]?.message ?? '') : '', 'it needs its schema');
  for (const name of ["x' OR true --", '$authz$', 'a.b', '']) {
    const text = TABLES.replace('{tenant: text}', `{${JSON.stringify(name)}: text}`);
    const read = readTables(new Source('tables.yaml', text));
    assert.match('problems' in read ? (read.problems[0]?.message ?? '') : '', 'it needs a name as in');
  }
  for (const [scope, isRight] of [
    ['acme', true],
    ['{column: scope}', true],
    ['{column: ""}', false],
    ['{columns: scope}', false],
    ['[scope]', false],
  ] as const) {
    const read = readTables(new Source('tables.yaml', TABLES.replace('to: [app]', `to: [app], scope: ${scope}`)));
    assert.is('tables' in read, isRight, scope);
  }
  const both = readTables(
    new Source('tables.yaml', TABLES.replace('update: edit', 'update: {using: edit, check: {any: [edit, create]}}')),
  ) as TableFile;
  assert.equal(both.rowSecurity.get('invoice')?.commands.update?.check, { of: 'any', actions: ['edit', 'create'] });
});

test.run();

function fileOf(
  tableText: string,
  policy = POLICY,
  report = new Diagnostics(),
  path = 'invoice.yaml',
): string | undefined {
  const { lowered } = compileTexts({ [path]: policy });
  assert.ok(lowered !== undefined);
  const file = readTables(new Source('tables.yaml', tableText)) as TableFile;
  const protection = protectTables(fold(lowered), {}, file, report);
  return protection && securityScript(protection);
}

/** The blocks that a statement read, without those of functions that are called once. */
function blocksOf(rows: readonly object[] | string): number {
  const [row] = rows as readonly { readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }[];
  const found = row?.['QUERY PLAN'][0];
  if (found === undefined) throw new Error('PostgreSQL shows no plan');
  const { Plans = [], ...plan } = found.Plan;
  const own = (node: PlanNode): number => node['Shared Hit Blocks'] + node['Shared Read Blocks'];
  const once = Plans.filter((node) => node['Parent Relationship'] === 'InitPlan');
  return own(plan) - once.reduce((sum, node) => sum + own(node), 0);
}

interface PlanNode {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Parent Relationship'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The policies, functions, tables and grants that the database has, without their numbers. */
async function objectsOf(client: Client): Promise<readonly object[]> {
  const { rows } = await client.query(`
    SELECT 'policy' AS kind, polname::text AS name, concat(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid), obj_description(oid, 'pg_policy')) AS content FROM pg_policy
    UNION ALL SELECT 'function', oid::regprocedure::text, concat(prosrc, proacl) FROM pg_proc WHERE pronamespace = 'authz'::regnamespace
    UNION ALL SELECT 'table', oid::regclass::text, concat(relrowsecurity, relforcerowsecurity, relacl) FROM pg_class WHERE relnamespace IN ('authz'::regnamespace, 'public'::regnamespace) AND relkind = 'r'
    UNION ALL SELECT 'version', version, '' FROM authz.version
    UNION ALL SELECT 'schema', nspname::text, nspacl::text FROM pg_namespace WHERE nspname = 'authz'
    ORDER BY 1, 2`);
  return rows as object[];
}

/** The rows of a statement of a principal, or the code of its error; nothing is kept. */
async function as(
  client: Client,
  principal: object | undefined,
  statement: string,
): Promise<readonly object[] | string> {
  await client.query('BEGIN');
  try {
    await client.query("SELECT set_config('role', 'app', true), set_config('authz.principal', $1, true)", [
      principal === undefined ? '' : JSON.stringify(principal),
    ]);
    return (await client.query(statement)).rows as object[];
  } catch (error) {
    return String((error as { readonly code?: unknown }).code);
  } finally {
    await client.query('ROLLBACK');
  }
}
