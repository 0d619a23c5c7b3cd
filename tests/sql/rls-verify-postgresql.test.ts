import { rmSync } from 'node:fs';
import { Client } from 'pg';
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
import { EXIT } from '../../packages/cli/exit.js';
import type { Connection } from '../../packages/cli/rls/database.js';
import { type Verification, verifyDatabase, type VerifyOptions } from '../../packages/cli/rls/verify.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { startPglite } from '../support/sql/pglite.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';
import { type AccessRequest, createEngine } from '../../runtime/engine/index.js';
import { CHANGES, DATABASE, FAULTS, POLICY, SAFE, TABLES } from './rls-set-ups.js';

const test = suite('authzc rls verify on a database');

const { file, protection } = declared();
let cluster: Cluster | string;
test.before(async () => {
  cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  await cluster.client.query(DATABASE);
  await cluster.client.query(securityScript(protection));
});
test.after(() => (typeof cluster === 'string' ? undefined : cluster.stop()));

/** Plants each fault and each safe change, one after the other. */
async function plantFaults(client: Connection): Promise<void> {
  assert.equal(problemsOf(await verifyDatabase(client, protection, file, { readOnly: false })), []);
  const wrong: string[] = [];
  for (const [name, id, statements] of FAULTS) {
    const found = await after(client, statements);
    if (!found.some((problem) => problem.startsWith(`${id} `)))
      wrong.push(`${name}: no ${id} in\n    ${found.join('\n    ')}`);
  }
  for (const [name, statements] of SAFE) {
    const found = await after(client, statements);
    if (found.length > 0) wrong.push(`${name}: ${found.join('\n    ')}`);
  }
  assert.is(wrong.length, 0, wrong.join('\n'));
}

test('each planted fault is found, and safe changes are not taken for one', async () => {
  if (typeof cluster !== 'string') await plantFaults(cluster.client as unknown as Connection);
});

test('each planted fault is found in PostgreSQL 18, too', async () => {
  const server = await startPglite();
  if (typeof server === 'string') return skip(import.meta.url, server);
  try {
    await server.client.query(DATABASE);
    await server.client.query(securityScript(protection));
    await plantFaults(server.client as unknown as Connection);
  } finally {
    await server.stop();
  }
});

test('without a table to create, comments tell what was installed, and nothing is proved', async () => {
  if (typeof cluster === 'string') return;
  const client = cluster.client as unknown as Connection;
  const readOnly = { readOnly: true };
  const { compared, objects } = await verifyDatabase(client, protection, file, readOnly);
  assert.is(compared, 'comments');
  assert.equal(
    objects.filter(({ object }) => object.startsWith('policy ')).map(({ certainty }) => certainty),
    ['unknown', 'unknown', 'unknown', 'unknown'],
  );
  for (const [statements, expected] of [
    ['ALTER POLICY authz_select ON invoices USING (true)', 'always-true refuted'],
    ["COMMENT ON POLICY authz_select ON invoices IS 'authz 1 000000000000 invoice: view'", 'differs unknown'],
    ['DROP POLICY authz_select ON invoices', 'missing-policy refuted'],
  ] as const) {
    const found = await after(client, statements, readOnly);
    assert.ok(
      found.some((problem) => problem.startsWith(`${expected} `)),
      `${statements}\n${found.join('\n')}`,
    );
  }
});

test('a row refutes what changes the meaning, and none refutes what does not', async () => {
  if (typeof cluster === 'string') return;
  const client = cluster.client as unknown as Connection;
  const compilation = compileTexts({ 'invoice.yaml': POLICY });
  const engine = createEngine((await loaded(compilation)).policies);
  const rows: VerifyOptions['rows'] = {
    rows: 12,
    file,
    program: compilation.lowered as Program,
    principals: [],
    isAllowed: (request) => engine.isAllowed(request as AccessRequest),
  };
  const wrong: string[] = [];
  for (const statements of CHANGES) {
    const found = await findingsAfter(client, statements, { readOnly: false, rows });
    if (!found.some(({ certainty, witness }) => certainty === 'refuted' && witness !== undefined))
      wrong.push(`${statements}: ${found.map(({ message }) => message).join('; ')}`);
  }
  assert.equal(wrong, []);
  const alike = await findingsAfter(
    client,
    "ALTER POLICY authz_delete ON invoices USING (status <> 'paid' AND tenant_id = (SELECT authz.attr_text('tenant')) AND (SELECT authz.has_role('accountant')))",
    { readOnly: false, rows },
  );
  const [finding] = alike.filter(({ certainty }) => certainty !== 'proved');
  assert.match(finding?.message ?? '', /no difference in \d{3,} cells$/);
  assert.is(finding?.certainty, 'unknown');
  assert.equal(
    (await findingsAfter(client, 'SELECT 1', { readOnly: false, rows })).filter(
      ({ certainty }) => certainty !== 'proved',
    ),
    [],
  );
});

test('statements that change rows are tried with --write, and nothing of them is kept', async () => {
  if (typeof cluster === 'string') return;
  const client = cluster.client as unknown as Connection;
  const compilation = compileTexts({ 'invoice.yaml': POLICY });
  const engine = createEngine((await loaded(compilation)).policies);
  const rows: VerifyOptions['rows'] = {
    rows: 3,
    file,
    program: compilation.lowered as Program,
    principals: [],
    writes: true,
    isAllowed: (request) => engine.isAllowed(request as AccessRequest),
  };
  const problems = async (statements: string): Promise<readonly string[]> =>
    (await findingsAfter(client, statements, { readOnly: false, rows })).flatMap(({ certainty, command, witness }) =>
      certainty === 'refuted' && witness !== undefined ? `${command} ${witness.check}` : [],
    );
  const stored = 'SELECT * FROM invoices ORDER BY id';
  const before = (await client.query(stored)).rows;
  assert.equal(await problems('SELECT 1'), []);
  for (const [statements, expected] of [
    ['ALTER POLICY authz_insert ON invoices WITH CHECK (true)', 'insert denied'],
    ['ALTER POLICY authz_update ON invoices USING (true)', 'update denied'],
    ['ALTER POLICY authz_update ON invoices USING (false)', 'update allowed'],
    [
      "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER keep BEFORE DELETE ON invoices FOR EACH ROW EXECUTE FUNCTION keep()",
      'delete allowed',
    ],
    [
      "CREATE FUNCTION mend() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.tenant_id := 't1'; RETURN NEW; END$$; CREATE TRIGGER mend BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION mend()",
      'insert denied',
    ],
  ] as const)
    assert.equal([statements, ...(await problems(statements))], [statements, expected]);
  assert.equal((await client.query(stored)).rows, before);
});

test('old servers and the role that an application connects as are looked at', async () => {
  if (typeof cluster === 'string') return;
  const client = cluster.client as unknown as Connection;
  for (const [version, isOld] of [
    [150014, false],
    [150013, true],
    [130021, true],
    [180000, false],
  ] as const) {
    const old: Connection = {
      query: (text, parameters) =>
        client.query(
          text.replace("current_setting('server_version_num')::int AS version", `${version} AS version`),
          parameters,
        ),
    };
    const { findings } = await verifyDatabase(old, protection, file, { readOnly: true });
    assert.is(
      findings.some(({ id }) => id === 'old-server'),
      isOld,
      String(version),
    );
  }
  const found = await after(client, 'CREATE ROLE web LOGIN BYPASSRLS', { readOnly: false, login: 'web' });
  assert.equal(found.length, 1);
  assert.match(found[0] ?? '', /^bypass refuted role web/);
});

test('the command prints text, JSON and SARIF, and fails for what is refuted or unknown', async () => {
  if (typeof cluster === 'string') return;
  const folder = folderOf({ 'policies/invoice.yaml': POLICY, 'tables.yaml': TABLES });
  const { host, user, database } = cluster.connection;
  const environment = { DATABASE_URL: `postgresql://${user}:secret-word@${encodeURIComponent(host)}/${database}` };
  const verify = (...words: readonly string[]) =>
    callAuthzc(['rls', 'verify', '--table', 'tables.yaml', ...words], folder, environment);
  try {
    const fine = await verify();
    assert.is(fine.code, EXIT.done, fine.stderr);
    assert.match(fine.stdout, /^ok: policy authz_select on public\.invoices$/m);
    assert.match(fine.stdout, /^PostgreSQL \d+\.\d+, by conditions: 0 refuted, 0 unknown, \d+ ok$/m);
    await cluster.client.query("ALTER POLICY authz_select ON invoices USING (status = 'open')");
    const text = await verify();
    assert.is(text.code, EXIT.failed);
    assert.match(
      text.stdout,
      /^warning\[differs\]: policy authz_select on public\.invoices: its USING is not the condition of the policies/m,
    );
    assert.match(text.stdout, /^ {2}fix: DROP POLICY IF EXISTS authz_select/m);
    assert.is((await verify('--allow-unknown')).code, EXIT.done);
    const json = JSON.parse((await verify('-o', 'json')).stdout) as Verification;
    assert.equal(
      json.findings.filter(({ certainty }) => certainty !== 'proved').map(({ id }) => id),
      ['differs'],
    );
    const sarif = JSON.parse((await verify('policies', '-o', 'sarif')).stdout) as {
      readonly runs: readonly { readonly results: readonly { readonly ruleId: string; readonly level: string }[] }[];
    };
    assert.ok(
      sarif.runs[0]?.results.some(({ ruleId, level }) => ruleId === 'rls-verify/differs' && level === 'warning'),
    );
    await cluster.client.query(securityScript(protection));
    const stopped = await callAuthzc(
      ['rls', 'verify', 'policies', 'postgresql://authz:secret-word@127.0.0.1:1/postgres', '--table', 'tables.yaml'],
      folder,
    );
    assert.is(stopped.code, EXIT.usage);
    assert.match(stopped.stderr, /^authzc: cannot connect to postgresql:\/\/.*127\.0\.0\.1:1/);
    assert.not.match(`${stopped.stdout}${stopped.stderr}${text.stdout}`, /secret-word/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('before the script has run, with too few privileges and with a wrong login, the output says what to do', async () => {
  if (typeof cluster === 'string') return;
  const { client, connection } = cluster;
  const folder = folderOf({ 'policies/invoice.yaml': POLICY, 'tables.yaml': TABLES });
  const address = (user: string, database: string): NodeJS.ProcessEnv => ({
    DATABASE_URL: `postgresql://${user}@${encodeURIComponent(connection.host)}/${database}`,
  });
  const verify = (environment: NodeJS.ProcessEnv, ...words: readonly string[]) =>
    callAuthzc(['rls', 'verify', '--table', 'tables.yaml', ...words], folder, environment);
  const own = address(connection.user, 'postgres');
  try {
    await client.query('CREATE DATABASE fresh');
    const other = new Client({ ...connection, database: 'fresh' });
    await other.connect();
    await other.query(DATABASE.replace(/CREATE ROLE [^\n]*/, ''));
    await other.end();
    const fresh = await verify(address(connection.user, 'fresh'));
    const errors = fresh.stdout.split('\n').filter((line) => /^(?:error|warning)/.test(line));
    assert.is(errors.length, 3, fresh.stdout);
    assert.match(
      fresh.stdout,
      /^error\[helper-changed\]: function authz\.principal\(\), .* and \d+ more: it does not exist$/m,
    );
    assert.match(fresh.stdout, /: schema "authz" does not exist\n {2}fix: -- run the script of `authzc rls`$/m);
    assert.not.match(fresh.stdout, /CREATE POLICY/);

    await client.query('CREATE ROLE auditor LOGIN; REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC');
    const asAuditor = address('auditor', 'postgres');
    const lacking = await verify(asAuditor);
    const [, fix = ''] = /^ {2}fix: ((?:.*\n {7})*.*)$/m.exec(lacking.stdout) ?? [];
    assert.is(fix.split('\n').length, 3, lacking.stdout);
    assert.not.match(lacking.stdout, /CREATE POLICY/);
    await client.query(fix);
    assert.is((await verify(asAuditor)).code, EXIT.done, 'the fix is enough');
    const rows = await verify(asAuditor, '--rows', '5');
    assert.is(rows.code, EXIT.usage);
    assert.match(
      rows.stderr,
      /^authzc: --rows needs a role that sees all rows, such as a superuser or one with BYPASSRLS: /,
    );

    const misspelt = await verify(own, '--login', 'servise');
    assert.match(
      misspelt.stdout,
      /^error\[role-missing\]: role servise: the database does not have it: did you mean `service`\?$/m,
    );
    assert.not.match(misspelt.stdout, /CREATE ROLE/);
    const superuser = await verify(own, '--login', connection.user);
    assert.match(
      superuser.stdout,
      /^error\[superuser\]: role authz: .*\n {2}fix: -- let the application connect as another role$/m,
    );
    assert.is((await verify(own, '--login', '')).code, EXIT.usage);
    for (const url of ['127.0.0.1/postgres', 'mysql://127.0.0.1/x'])
      assert.match(
        (await verify({ DATABASE_URL: url })).stderr,
        /^authzc: DATABASE_URL is not the URL of a PostgreSQL database/,
      );
    assert.match((await verify({ DATABASE_URL: '' })).stderr, /^authzc: no database: set DATABASE_URL/);
  } finally {
    await client.query('DROP DATABASE IF EXISTS fresh');
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();

/** What is found after statements that are rolled back. */
async function findingsAfter(
  client: Connection,
  statements: string,
  options: VerifyOptions = { readOnly: false },
): Promise<Verification['findings']> {
  await client.query('BEGIN');
  try {
    await client.query(statements);
    return (await verifyDatabase(nested(client), protection, file, options)).findings;
  } finally {
    await client.query('ROLLBACK');
  }
}

/** The findings that fail the command, or the failure of the statements. */
async function after(client: Connection, statements: string, options?: VerifyOptions): Promise<readonly string[]> {
  try {
    return problemsOf({ findings: await findingsAfter(client, statements, options) });
  } catch (error) {
    return [(error as Error).message];
  }
}

function declared(): { readonly file: TableFile; readonly protection: Protection } {
  const { lowered } = compileTexts({ 'invoice.yaml': POLICY });
  const tables = readTables(new Source('tables.yaml', TABLES)) as TableFile;
  const wanted = protectTables(fold(lowered as Program), {}, tables, new Diagnostics());
  assert.ok(wanted);
  return { file: tables, protection: wanted };
}

/** A connection within a transaction that is rolled back later. */
function nested(connection: Connection): Connection {
  return {
    query(text, parameters) {
      if (text.startsWith('BEGIN')) return connection.query('SAVEPOINT nested');
      return connection.query(text === 'ROLLBACK' ? 'ROLLBACK TO nested' : text, parameters);
    },
  };
}

/** The findings that fail the command. */
function problemsOf({ findings }: Pick<Verification, 'findings'>): readonly string[] {
  return findings
    .filter(({ certainty }) => certainty !== 'proved')
    .map(({ id, certainty, object, message }) => `${id} ${certainty} ${object}: ${message}`);
}
