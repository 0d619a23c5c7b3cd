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
  ['default-principal', `ALTER ROLE app SET authz.principal = '{"id": "ann"}'`],
  ['default-principal', `ALTER ROLE ALL SET request.jwt.claims = '{"sub": "ann"}'`],
  ['default-principal', `ALTER DATABASE postgres SET authz.principal = '{"id": "ann"}'`],
  ['default-principal', `ALTER ROLE app IN DATABASE postgres SET authz.principal = '{"id": "ann"}'`],
  ['stale', "UPDATE authz.version SET version = '000000000000'"],
  ['helper-changed', 'DROP FUNCTION KEYS CASCADE'],
  ['helper-changed', 'ALTER FUNCTION KEYS RENAME TO shares_before'],
  ['helper-changed', 'ALTER FUNCTION KEYS SECURITY INVOKER'],
  ['helper-changed', 'ALTER FUNCTION KEYS OWNER TO migrator'],
  ['helper-changed', 'ALTER FUNCTION KEYS RESET search_path'],
  ['helper-changed', 'ALTER FUNCTION KEYS SET search_path = public'],
  ['helper-changed', "ALTER FUNCTION KEYS SET search_path = ''"],
  ['helper-changed', 'ALTER FUNCTION KEYS RESET gin_fuzzy_search_limit'],
  ['helper-changed', 'ALTER FUNCTION KEYS SET gin_fuzzy_search_limit = 1'],
  ['helper-changed', "ALTER FUNCTION authz.is_set() SET search_path = ''"],
  ['helper-immutable', 'ALTER FUNCTION KEYS IMMUTABLE'],
  [
    'helper-changed',
    "CREATE OR REPLACE FUNCTION KEYS RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS 'SELECT doc FROM public.shares'",
  ],
  [
    'helper-changed',
    "CREATE OR REPLACE FUNCTION authz.has_computed(VARIADIC ids text[]) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN true; END'",
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
  try {
    await plant(cluster.client as unknown as Connection, TABLES, FAULTS, [
      'SELECT 1',
      "ALTER ROLE app SET authz.principal = ''; ALTER ROLE app SET authz.other = 'x'; ALTER ROLE app SET search_path = public",
    ]);
  } finally {
    await cluster.stop();
  }
});

/** Changes of the related table. */
const HIDDEN: typeof FAULTS = [
  ['related-hidden', 'ALTER TABLE shares ENABLE ROW LEVEL SECURITY; DROP POLICY authz_reader ON shares'],
  [
    'related-hidden',
    "ALTER TABLE shares ENABLE ROW LEVEL SECURITY; ALTER POLICY authz_reader ON shares USING (who <> 'x')",
  ],
  ['related-hidden', 'ALTER TABLE shares ENABLE ROW LEVEL SECURITY; ALTER POLICY authz_reader ON shares TO app'],
  [
    'related-hidden',
    "ALTER TABLE shares ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON shares AS RESTRICTIVE FOR SELECT USING (who <> 'x')",
  ],
  ['related-hidden', 'ALTER TABLE shares RENAME TO all_shares; CREATE VIEW shares AS SELECT * FROM all_shares'],
  ['table-missing', 'ALTER TABLE shares RENAME TO grants'],
  ['nulls-never', 'ALTER TABLE shares ALTER COLUMN who DROP NOT NULL'],
  ['column-type', 'ALTER TABLE shares ALTER COLUMN who TYPE char(20)'],
  [
    'collation',
    "CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false); ALTER TABLE shares ALTER COLUMN who TYPE text COLLATE folded",
  ],
];

/** Changes after which the reader still sees all rows. */
const SHOWN: readonly string[] = [
  'SELECT 1',
  'ALTER TABLE shares ENABLE ROW LEVEL SECURITY',
  "ALTER TABLE shares ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON shares AS RESTRICTIVE FOR SELECT TO app USING (who <> 'x')",
  'ALTER TABLE shares ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON shares AS RESTRICTIVE FOR DELETE USING (false)',
];

test('each fault of a related table is found, and row level security that shows all rows to the reader is none', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  try {
    await plant(cluster.client as unknown as Connection, TABLES, HIDDEN, SHOWN);
  } finally {
    await cluster.stop();
  }
});

test('row level security on a table with `trust: plain` is found, and fails the script', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const tables = TABLES.replace('{doc: id},', '{doc: id}, trust: plain,');
  try {
    const client = cluster.client as unknown as Connection;
    await plant(
      client,
      tables,
      [
        ['related-hidden', 'ALTER TABLE shares ENABLE ROW LEVEL SECURITY'],
        ['related-hidden', 'ALTER TABLE shares ENABLE ROW LEVEL SECURITY; CREATE POLICY every ON shares USING (true)'],
        ['nulls-never', 'ALTER TABLE shares ALTER COLUMN who DROP NOT NULL'],
        ['differs', 'ALTER TABLE shares RENAME TO all_shares; CREATE VIEW shares AS SELECT * FROM all_shares'],
      ],
      ['SELECT 1', 'ALTER TABLE shares ADD COLUMN note text'],
    );
    await client.query('ALTER TABLE shares ENABLE ROW LEVEL SECURITY');
    const outcome = await client.query(scriptOf(tables)).then(() => 'done', String);
    assert.match(outcome, 'public.shares is a view or has row level security');
    await client.query('ROLLBACK');
  } finally {
    await cluster.stop();
  }
});

for (const source of ['supabase', 'clerk'])
  test(`a database of ${source} has no faults, and metadata of users in a function are one`, async () => {
    const cluster = await startCluster();
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    try {
      const faults: typeof FAULTS = [
        [
          'user-metadata',
          "CREATE OR REPLACE FUNCTION authz.roles() RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$BEGIN RETURN current_setting('request.jwt.claims')::jsonb -> 'user_metadata' -> 'roles'; END$$",
        ],
      ];
      const policy = POLICY.replace(/ \|\| P[.]attr[.]email.* && R[.]attr[.]open/, '');
      const tables = `${TABLES}rls: {principal: ${source}}\n`;
      await plant(cluster.client as unknown as Connection, tables, faults, ['SELECT 1'], policy);
    } finally {
      await cluster.stop();
    }
  });

test('`trust: plain` is refused for tables that the file protects, and for names without a schema', () => {
  for (const [from, to, message] of [
    ['table: public.shares', 'table: shares, trust: plain', 'it needs its schema'],
    ['table: public.shares', 'table: public.docs, trust: plain', 'has policies for public.docs'],
    ['table: public.shares', 'table: public.Docs, trust: plain', 'has policies for public.Docs'],
    ['table: public.shares', 'table: public.shares, trust: full', 'trust: does not match'],
    ['type: boolean', 'type: boolean, trust: plain', 'already set'],
  ] as const) {
    const read = readTables(new Source('tables.yaml', TABLES.replace(from, to)));
    assert.match('problems' in read ? (read.problems[0]?.message ?? '') : `${to} is accepted`, message);
  }
});

const OF_SIGNATURES: readonly (readonly [id: FindingId, statements: string])[] = [
  ['helper-changed', 'DROP FUNCTION authz.signed_value()'],
  ['helper-changed', "ALTER FUNCTION authz.signed_value() SET search_path = ''"],
  ['helper-changed', 'ALTER FUNCTION authz.signed_value() IMMUTABLE'],
  ['helper-changed', 'ALTER FUNCTION authz.signed_value() SECURITY INVOKER'],
  [
    'helper-changed',
    `CREATE OR REPLACE FUNCTION authz.signed_value() RETURNS jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$BEGIN RETURN '{"id": "u1", "roles": ["user"]}'; END$$`,
  ],
  [
    'helper-changed',
    'ALTER FUNCTION authz.own_principal() IMMUTABLE; ALTER FUNCTION authz.own_principal() RENAME TO x',
  ],
  ['helper-immutable', 'ALTER FUNCTION authz.own_principal() IMMUTABLE'],
  ['setting-forgeable', 'GRANT USAGE ON SCHEMA authz_keys TO app; GRANT SELECT (inner_pad) ON authz_keys.key TO app'],
  ['setting-forgeable', 'GRANT USAGE ON SCHEMA authz_keys TO PUBLIC; GRANT INSERT ON authz_keys.key TO PUBLIC'],
  ['setting-forgeable', 'ALTER TABLE authz_keys.key OWNER TO app'],
];

test('each fault of signatures is found, and a schema that a role may not use is none', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  try {
    await plant(cluster.client as unknown as Connection, `${TABLES}rls: {principal: signed}\n`, OF_SIGNATURES, [
      'SELECT 1',
      'GRANT SELECT ON authz_keys.key TO app',
      "SELECT authz_keys.add('k1', decode(repeat('07', 32), 'hex'))",
    ]);
  } finally {
    await cluster.stop();
  }
});

test.run();

function scriptOf(tables: string): string {
  const { lowered } = compileTexts({ 'doc.yaml': POLICY });
  const file = readTables(new Source('tables.yaml', tables)) as TableFile;
  const made = protectTables(fold(lowered ?? invariant('no program')), {}, file, new Diagnostics());
  return securityScript(made ?? invariant('nothing to protect'));
}

/** Plants faults, one after the other, and changes that are none. */
async function plant(
  client: Connection,
  tables: string,
  faults: typeof FAULTS,
  safe: readonly string[],
  policy = POLICY,
): Promise<void> {
  const { lowered } = compileTexts({ 'doc.yaml': policy });
  const file = readTables(new Source('tables.yaml', tables)) as TableFile;
  const report = new Diagnostics();
  const protection =
    protectTables(fold(lowered ?? invariant('no program')), {}, file, report) ??
    invariant(report.sorted()[0]?.message ?? '');
  await client.query(DATABASE);
  await client.query(securityScript(protection));
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
  const wrong: string[] = [];
  for (const statements of safe) wrong.push(...(await found(statements)).map((problem) => `${statements}: ${problem}`));
  for (const [id, statements] of faults) {
    const problems = await found(statements);
    if (!problems.some((problem) => problem.startsWith(`${id} `)))
      wrong.push(`${statements}: no ${id} in\n    ${problems.join('\n    ')}`);
  }
  assert.is(wrong.length, 0, wrong.join('\n'));
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
