import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withComputed } from '../../compiler/emit/computed.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { fold } from '../../compiler/optimise/index.js';
import { Decisions } from '../../packages/analysis/decision/decisions.js';
import { NotInDatabase } from '../../packages/analysis/rls/decision.js';
import { rowCondition, SharedParts } from '../../packages/analysis/rls/policy.js';
import { NO_SESSION } from '../../compiler/tables/session.js';
import { type Compute, sessionValue } from '../../packages/rls/session-value.js';
import { createEngine } from '../../runtime/engine/index.js';
import type { SqlTable } from '../../runtime/residual/sql/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { rounds, SEED } from '../support/effort.js';
import { batches, checkRow } from '../support/plan/schema-cases.js';
import { skip } from '../support/skip.js';
import { cellsOf, createTable, tableOf } from '../support/sql/schema-table.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { protect, visibleRows } from './row-security.js';
import { rowsOf } from './schema-comparison.js';

const test = suite('row level security with schemas');

const ACTIONS = ['view', 'edit', 'list'];

test('a row that violates its schema is seen by nobody, unless its schema exempts the action', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query(createTable('postgresql'));
    await protect(client, 'stored_rows', { level: 'number' });
    const principal = { id: 'alice', roles: ['user'], attr: { level: 1 } };
    const counts = { asked: 0, refused: 0, cells: 0, seen: 0, invalid: 0 };
    const wrong: string[] = [];
    for await (const { cases, policies, lowered } of batches(SEED, rounds(160, 40), false)) {
      const engine = createEngine(policies, { schemaEnforcement: 'reject' });
      const decisions = new Decisions(fold(lowered ?? invariant('the policies were not lowered')), {});
      for (const one of cases) {
        const { kind, random, schema } = one;
        const table = tableOf(random, 'postgresql', schema, {});
        const rows = rowsOf(one, {
          count: 24,
          listed: {},
          cellsOf: (row) => cellsOf(row, table, 'postgresql', {}),
        });
        const [first] = rows;
        if (first === undefined) continue;
        const columns = Object.keys(first.cells);
        await client.query('DELETE FROM stored_rows');
        for (const [position, { cells }] of rows.entries())
          await client.query(
            `INSERT INTO stored_rows (position, ${columns.join(', ')}) VALUES ($1, ${columns.map((_, at) => `$${at + 2}`).join(', ')})`,
            [position, ...columns.map((column) => cells[column])],
          );
        for (const action of ACTIONS) {
          counts.asked += 1;
          let using: string;
          try {
            const place = { kind, version: 'default', scope: '' };
            const asked = { of: 'all', actions: [action] } as const;
            const session = { ...NO_SESSION, attributes: { level: 'number' as const }, enforcesSchemas: true };
            using = rowCondition(decisions, place, asked, table, new SharedParts(session)).conjuncts.join(' AND ');
          } catch (error) {
            if (!(error instanceof NotInDatabase)) throw error;
            counts.refused += 1;
            continue;
          }
          await client.query('DROP POLICY IF EXISTS authz_select ON stored_rows');
          await client.query(`CREATE POLICY authz_select ON stored_rows FOR SELECT TO app USING (${using})`);
          const seen = await visibleRows(client, 'stored_rows', JSON.stringify(principal));
          for (const [position, { row }] of rows.entries()) {
            const { isAllowed, isInvalid } = checkRow(
              engine,
              { principal, resource: { kind }, actions: [action] },
              row,
            );
            counts.cells += 1;
            if (isInvalid) counts.invalid += 1;
            if (seen.has(position)) counts.seen += 1;
            if (seen.has(position) !== isAllowed)
              wrong.push(
                `${kind} ${action}: ${isAllowed ? 'under' : 'over'}-grant on ${JSON.stringify(row)}\n  ${using}\n  ${JSON.stringify(schema)}`,
              );
          }
        }
      }
    }
    console.log(`  ${JSON.stringify(counts)}`);
    assert.is(wrong.length, 0, `${wrong.length} wrong\n${wrong.slice(0, 3).join('\n')}`);
    assert.ok(counts.seen > counts.cells / 50 && counts.invalid > counts.cells / 20);
  } finally {
    await cluster.stop();
  }
});

/** A schema of principals, and whether it is about some actions alone. */
const OF_PRINCIPALS: readonly (readonly [schema: object, ignored: readonly string[]])[] = [
  [{ type: 'object', required: ['level'], properties: { level: { type: 'integer', minimum: 2 } } }, []],
  [
    { properties: { email: { type: 'string', pattern: '^[a-z]+@acme[.]com$' } }, additionalProperties: false },
    ['list'],
  ],
  [{ anyOf: [{ required: ['email'] }, { properties: { level: { const: 3 } }, required: ['level'] }] }, ['edit']],
  [{ not: { properties: { tags: { type: 'array', contains: { const: 'x' } } }, required: ['tags'] } }, []],
  [{ properties: { tags: { uniqueItems: true, maxItems: 2, items: { type: 'string' } } } }, []],
];

test('a principal who violates the schema of principals sees nothing, unless it exempts the action', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query(
      "CREATE TABLE docs (position integer PRIMARY KEY, owner text); INSERT INTO docs VALUES (0, 'u1'), (1, 'u2')",
    );
    await protect(client, 'docs', {});
    const principals = [
      ...[{}, { level: 1 }, { level: 2 }, { level: 3 }, { level: 2.5 }, { level: '2' }, { level: null }],
      ...[{ email: 'ann@acme.com' }, { email: 'ANN@acme.com' }, { email: 'x@acme.com\n' }, { email: 1, level: 3 }],
      ...[{ tags: ['x'] }, { tags: 'x', level: 3 }, { tags: [], email: 'b@acme.com' }, { tags: ['y', 'y'] }],
    ].map((attr) => ({ id: 'u1', roles: ['user'], attr }));
    const table: SqlTable = { name: 'docs', columns: { owner: { column: 'owner', type: 'text' } } };
    const counts = { cells: 0, seen: 0 };
    for (const [schema, ignored] of OF_PRINCIPALS) {
      const rule = (action: string, effect: string, expr: string): object => ({
        actions: [action],
        effect: `EFFECT_${effect}`,
        roles: ['user'],
        condition: { match: { expr } },
      });
      const resourcePolicy = {
        resource: 'doc',
        version: 'default',
        schemas: {
          principalSchema: { ref: 'authz:///p.json', ...(ignored.length > 0 && { ignoreWhen: { actions: ignored } }) },
        },
        rules: ACTIONS.flatMap((action) => [
          rule(action, 'ALLOW', action === 'view' ? 'R.attr.owner == P.id' : 'R.attr.owner != ""'),
          rule(action, 'DENY', 'R.attr.owner == P.attr.email'),
        ]),
      };
      const compilation = compileTexts(
        { 'p.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy }) },
        { schemaTexts: new Map([['p.json', JSON.stringify(schema)]]) },
      );
      const program = fold(compilation.lowered ?? invariant('the policies were not lowered'));
      const decisions = new Decisions(program, {});
      const shared = new SharedParts({ ...NO_SESSION, enforcesSchemas: true });
      const usings = ACTIONS.map((action) =>
        rowCondition(
          decisions,
          { kind: 'doc', version: 'default', scope: '' },
          { of: 'all', actions: [action] },
          table,
          shared,
        ).conjuncts.join(' AND '),
      );
      const { files } = compilation;
      const bundle = await loaded({ ...compilation, files: withComputed(files, shared.computed.all, program) });
      const engine = createEngine(bundle.policies, { schemaEnforcement: 'reject' });
      const { computed } = bundle as unknown as { readonly computed: Compute };
      for (const [index, action] of ACTIONS.entries()) {
        await client.query('DROP POLICY IF EXISTS authz_select ON docs');
        await client.query(`CREATE POLICY authz_select ON docs FOR SELECT TO app USING (${usings[index]})`);
        for (const principal of principals) {
          const seen = await visibleRows(client, 'docs', sessionValue(principal, undefined, computed));
          for (const [position, owner] of ['u1', 'u2'].entries()) {
            const resource = { kind: 'doc', id: 'd', attr: { owner } };
            counts.cells += 1;
            if (seen.has(position)) counts.seen += 1;
            assert.is(
              seen.has(position),
              engine.isAllowed({ principal, resource, action }),
              `${action} ${JSON.stringify(schema)} ${owner} ${JSON.stringify(principal)}`,
            );
          }
          // Without the value that the application computes, nobody sees anything.
          if (!ignored.includes(action))
            assert.is((await visibleRows(client, 'docs', JSON.stringify(principal))).size, 0);
        }
      }
    }
    assert.ok(counts.seen > counts.cells / 10 && counts.seen < counts.cells * 0.8, JSON.stringify(counts));
  } finally {
    await cluster.stop();
  }
});

test.run();
