import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { fold } from '../../compiler/optimise/index.js';
import { Decisions } from '../../packages/analysis/decision/decisions.js';
import { NotInDatabase } from '../../packages/analysis/rls/decision.js';
import { rowCondition, SharedParts } from '../../packages/analysis/rls/policy.js';
import { NO_SESSION } from '../../compiler/tables/session.js';
import { createEngine } from '../../runtime/engine/index.js';
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

test.run();
