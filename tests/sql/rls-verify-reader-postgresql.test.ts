import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { fold } from '../../compiler/optimise/index.js';
import { readTables, type TableFile } from '../../compiler/tables/read-tables.js';
import { protectTables } from '../../packages/analysis/rls/protect.js';
import { securityScript } from '../../packages/analysis/rls/script.js';
import type { Connection } from '../../packages/cli/rls/database.js';
import type { FindingId } from '../../packages/cli/rls/finding.js';
import { verifyDatabase } from '../../packages/cli/rls/verify.js';
import { compileTexts } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

const test = suite('authzc rls verify on what reads related tables, and on versions');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: 'R.attr.shares.exists(s, s == P.id) || P.attr.email.matches("@acme[.]com$") && R.attr.open'}}
`;

const TABLES = `tables:
  doc:
    name: public.docs
    columns:
      open: {column: open, type: boolean, nulls: never}
      shares: {relation: many, table: public.shares, on: {doc: id}, value: {column: who, type: text, nulls: never}}
    rls: {select: view, to: [app], scope: {column: scope}}
`;

const DATABASE = `
SET search_path = public;
CREATE ROLE app; CREATE ROLE migrator; ALTER SCHEMA public OWNER TO migrator;
CREATE TABLE docs (id text, open boolean NOT NULL, scope text NOT NULL); CREATE TABLE shares (doc text, who text NOT NULL);
ALTER TABLE docs OWNER TO migrator; ALTER TABLE shares OWNER TO migrator;
`;

/** Statements that make a database wrong; KEYS stands for the function that reads shares. */
const FAULTS: readonly (readonly [id: FindingId, statements: string])[] = [
  ['reader-login', 'ALTER ROLE authz_reader LOGIN'],
  ['reader-login', 'ALTER ROLE authz_reader BYPASSRLS'],
  ['reader-login', 'ALTER ROLE authz_reader SUPERUSER'],
  ['reader-login', 'GRANT authz_reader TO app'],
  ['reader-login', 'CREATE ROLE team; GRANT team TO app; GRANT authz_reader TO team'],
  ['reader-login', 'GRANT CREATE ON SCHEMA public TO authz_reader; ALTER TABLE shares OWNER TO authz_reader'],
  ['stale', "UPDATE authz.version SET version = '000000000000'"],
  ['helper-changed', 'DROP FUNCTION KEYS CASCADE'],
  ['helper-changed', 'ALTER FUNCTION KEYS RENAME TO shares_before'],
  ['helper-changed', 'ALTER FUNCTION KEYS SECURITY INVOKER'],
  ['helper-changed', 'ALTER FUNCTION KEYS OWNER TO migrator'],
  ['helper-changed', 'ALTER FUNCTION KEYS RESET search_path'],
  ['helper-changed', 'ALTER FUNCTION KEYS SET search_path = public'],
  ['helper-immutable', 'ALTER FUNCTION KEYS IMMUTABLE'],
  [
    'helper-changed',
    "CREATE OR REPLACE FUNCTION KEYS RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS 'SELECT doc FROM public.shares'",
  ],
  [
    'helper-changed',
    "CREATE OR REPLACE FUNCTION authz.has_computed(VARIADIC ids text[]) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = '' AS 'BEGIN RETURN true; END'",
  ],
  ['helper-changed', 'DROP FUNCTION authz.computed_boolean(text) CASCADE'],
  ['nulls-never', 'ALTER TABLE docs ALTER COLUMN open DROP NOT NULL'],
  ['column-missing', 'ALTER TABLE docs RENAME COLUMN scope TO place'],
  [
    'column-type',
    'ALTER TABLE docs ADD COLUMN place char(9); ALTER TABLE docs DROP COLUMN scope CASCADE; ALTER TABLE docs RENAME COLUMN place TO scope',
  ],
];

test('each fault of the reader, its functions, versions and the column of the scope is found', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const client = cluster.client as unknown as Connection;
  try {
    const { lowered } = compileTexts({ 'doc.yaml': POLICY });
    const file = readTables(new Source('tables.yaml', TABLES)) as TableFile;
    const report = new Diagnostics();
    const protection =
      protectTables(fold(lowered ?? invariant('no program')), {}, file, report) ??
      invariant(report.sorted()[0]?.message ?? '');
    await cluster.client.query(DATABASE);
    await cluster.client.query(securityScript(protection));
    const keys = `authz.${protection.reader?.functions[0]?.name}()`;
    const found = async (statements: string): Promise<readonly string[]> => {
      await client.query('BEGIN');
      try {
        await client.query(statements.replaceAll('KEYS', keys));
        const { findings } = await verifyDatabase(nested(client), protection, file, { readOnly: false });
        return findings
          .filter(({ certainty }) => certainty !== 'proved')
          .map(({ id, object, message }) => `${id} ${object}: ${message}`);
      } finally {
        await client.query('ROLLBACK');
      }
    };
    assert.equal(await found('SELECT 1'), []);
    const wrong: string[] = [];
    for (const [id, statements] of FAULTS) {
      const problems = await found(statements);
      if (!problems.some((problem) => problem.startsWith(`${id} `)))
        wrong.push(`${statements}: no ${id} in\n    ${problems.join('\n    ')}`);
    }
    assert.is(wrong.length, 0, wrong.join('\n'));
  } finally {
    await cluster.stop();
  }
});

test.run();

/** A connection within a transaction that is rolled back later. */
function nested(connection: Connection): Connection {
  return {
    query(text, parameters) {
      if (text.startsWith('BEGIN')) return connection.query('SAVEPOINT nested');
      return connection.query(text === 'ROLLBACK' ? 'ROLLBACK TO nested' : text, parameters);
    },
  };
}
