import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getTableConfig, PgDialect, pgTable, text, type PgPolicy } from 'drizzle-orm/pg-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { fold } from '../../compiler/optimise/index.js';
import { readTables } from '../../compiler/tables/read-tables.js';
import { drizzleModule } from '../../packages/analysis/rls/drizzle-module.js';
import { protectTables } from '../../packages/analysis/rls/protect.js';
import type { Protection } from '../../packages/analysis/rls/protection.js';
import { securityScript, supportScript } from '../../packages/analysis/rls/script.js';
import { compileTexts } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

const test = suite('formats of row level security');

/** Constants that would end a text of SQL or of TypeScript, or a comment. */
const CONSTANTS = ["it's", '`${1}`', '\\', '*/', "'; DROP TABLE docs; --", '$authz$', '\u2028', '"', '%I'];

const POLICY = JSON.stringify({
  apiVersion: 'api.authz.dev/v1',
  resourcePolicy: {
    resource: 'leave-request',
    version: 'default',
    rules: [
      {
        actions: ['view'],
        effect: 'EFFECT_ALLOW',
        roles: ['user'],
        condition: {
          match: {
            any: {
              of: [
                { expr: 'R.attr.owner == P.id' },
                ...CONSTANTS.map((constant) => ({ expr: `R.attr.owner == ${JSON.stringify(constant)}` })),
                ...CONSTANTS.map((constant) => ({
                  expr: `R.attr.shares.exists(s, s == ${JSON.stringify(constant)} && P.id != "")`,
                })),
              ],
            },
          },
        },
      },
    ],
  },
});

const TABLES = `tables:
  leave-request:
    name: public.docs
    columns:
      owner: {column: owner, type: text, nulls: never}
      shares: {relation: many, table: public.shares, on: {doc: id}, value: {column: who, type: text, nulls: never}}
    rls: {select: view, insert: view, to: [app, "the \\"app's"]}
`;

function protection(): Protection {
  const { lowered } = compileTexts({ 'doc.json': POLICY });
  const file = readTables(new Source('tables.yaml', TABLES));
  if ('problems' in file) throw new Error(file.problems[0]?.message);
  const report = new Diagnostics();
  const made = protectTables(fold(lowered ?? invariant('no program')), {}, file, report);
  return made ?? invariant(report.sorted()[0]?.message ?? '');
}

test('a module for Drizzle has the conditions of the script, whatever constants they have', async () => {
  const made = protection();
  const folder = mkdtempSync(join(process.cwd(), 'node_modules/.cache-rls-'));
  try {
    const file = join(folder, 'policies.ts');
    writeFileSync(file, drizzleModule(made));
    const { leaveRequestPolicies } = (await import(pathToFileURL(file).href)) as {
      readonly leaveRequestPolicies: PgPolicy[];
    };
    const docs = pgTable('docs', { owner: text('owner') }, () => leaveRequestPolicies);
    const dialect = new PgDialect();
    const { policies } = getTableConfig(docs);
    assert.equal(
      policies.map((policy) => ({
        name: policy.name,
        command: policy.for,
        ...(policy.using && { using: dialect.sqlToQuery(policy.using).sql }),
        ...(policy.withCheck && { check: dialect.sqlToQuery(policy.withCheck).sql }),
      })),
      made.tables[0]?.policies.map(({ comment: _, rules: __, ...policy }) => policy),
    );
    assert.equal(
      ((policies[0] as PgPolicy).to as readonly { readonly name: string }[]).map(({ name }) => name),
      made.tables[0]?.roles,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a script with such constants does what it says, beside policies that another tool makes', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query(
      `CREATE TABLE docs (id text, owner text NOT NULL); CREATE TABLE shares (doc text, who text NOT NULL); CREATE ROLE app; CREATE ROLE "the ""app's"`,
    );
    for (const [at, constant] of CONSTANTS.entries()) {
      await client.query('INSERT INTO docs VALUES ($1, $2), ($3, $4)', [`o${at}`, constant, `s${at}`, 'other']);
      await client.query('INSERT INTO shares VALUES ($1, $2)', [`s${at}`, constant]);
    }
    await client.query("INSERT INTO docs VALUES ('x', 'other')");
    const made = protection();
    const count = async (): Promise<unknown> => {
      await client.query('BEGIN');
      await client.query(
        `SELECT set_config('role', 'the "app''s', true), set_config('authz.principal', '{"id": "a", "roles": ["user"]}', true)`,
      );
      const { rows } = await client.query('SELECT count(*)::integer AS n FROM docs');
      await client.query('ROLLBACK');
      return (rows as readonly { readonly n: number }[])[0]?.n;
    };
    await client.query(securityScript(made));
    assert.is(await count(), 2 * CONSTANTS.length);
    // What is not whole keeps the policies and functions of other tables.
    await client.query(securityScript({ ...made, isWhole: false }));
    assert.is(await count(), 2 * CONSTANTS.length);
    await client.query(supportScript(made));
    assert.is(await count(), 2 * CONSTANTS.length);
    // A whole one drops what it does not have.
    await client.query(securityScript({ ...made, tables: [] }));
    assert.is(await count(), 0);
  } finally {
    await cluster.stop();
  }
});

test.run();
