import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { fold } from '../../compiler/optimise/index.js';
import type { Program } from '../../compiler/ir/program.js';
import { Decisions } from '../../packages/analysis/decision/decisions.js';
import { NotInDatabase } from '../../packages/analysis/rls/decision.js';
import { rowCondition, SharedParts } from '../../packages/analysis/rls/policy.js';
import { NO_SESSION } from '../../compiler/tables/session.js';
import type { SessionTypes } from '../../packages/analysis/rls/session.js';
import { loaded } from '../support/compiled.js';
import { EFFORT, rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { type Server, startPglite } from '../support/sql/pglite.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { typedRow, type TypedRow, typedTable } from '../support/sql/typed-table.js';
import { randomPrincipal } from '../support/sql/random-policies.js';
import { NOBODY, protect, visibleRows } from './row-security.js';
import { createTypedTable, fillTypedTable } from './typed-database.js';
import { compiledStore } from './typed-comparison.js';
import { typedPolicies } from './typed-policies.js';

const test = suite('row level security');

const TYPES: SessionTypes = { k: 'text' };
const ROWS = 64;

for (const [name, start, seeds, shapes] of [
  ['PostgreSQL', () => startCluster(), rounds(90, 2), 250],
  ['PGlite', () => startPglite(), rounds(20, 1), 50],
] as readonly (readonly [string, () => Promise<Server | string>, number, number])[])
  test(`${name}: a role sees exactly the rows that check allows its principal`, async () => {
    const server = await start();
    if (typeof server === 'string') return skip(import.meta.url, server);
    const { client } = server;
    try {
      await createTypedTable(client);
      await protect(client, 'things', TYPES);
      const counts = { asked: 0, refused: 0, cells: 0, seen: 0 };
      const reasons = new Map<string, number>();
      const wrong: string[] = [];
      for (let seed = SEED; seed < SEED + seeds; seed += 1) {
        const random = new Random(seed);
        const kinds = Array.from({ length: 6 }, (_, index) => `thing${index}`);
        const compilation = compiledStore(kinds.map((kind) => [kind, typedPolicies(random, kind, true)]));
        const { policies } = await loaded(compilation);
        const engine = createEngine(policies);
        const decisions = new Decisions(fold(compilation.lowered as Program), {});
        const rows = Array.from({ length: ROWS }, () => typedRow(random, 'postgresql'));
        await fillTypedTable(client, rows);
        for (const kind of kinds) {
          counts.asked += 1;
          let using: string;
          try {
            const place = { kind, version: kind, scope: '' };
            const asked = { of: 'all', actions: ['view'] } as const;
            const shared = new SharedParts({ ...NO_SESSION, attributes: TYPES });
            using = rowCondition(decisions, place, asked, typedTable('postgresql'), shared).conjuncts.join(' AND ');
          } catch (error) {
            if (!(error instanceof NotInDatabase)) throw error;
            counts.refused += 1;
            const reason = error.message.replace(/: `.*/s, '');
            reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
            continue;
          }
          await client.query(`DROP POLICY IF EXISTS authz_select ON things`);
          await client.query(`CREATE POLICY authz_select ON things FOR SELECT TO app USING (${using})`);
          for (let i = 0; i < 6; i += 1) {
            const { attr, ...own } = randomPrincipal(random);
            const principal = { ...own, attr: { ...attr, k: random.pick(['a', 'x', 'z']) } };
            if (principal.roles.length === 0 || /\\u0000|\\ud[89a-f]/.test(JSON.stringify(principal))) continue;
            const seen = await visibleRows(client, 'things', JSON.stringify(principal));
            for (const [position, row] of rows.entries()) {
              const isAllowed = (told: TypedRow['attr']): boolean =>
                engine.isAllowed({
                  principal,
                  resource: { kind, policyVersion: kind, id: row.id, attr: told },
                  action: 'view',
                });
              counts.cells += 1;
              if (seen.has(position)) counts.seen += 1;
              const allowed = isAllowed(row.attr) && (row.orTold === undefined || isAllowed(row.orTold));
              if (seen.has(position) ? !allowed : allowed && row.orTold === undefined)
                wrong.push(
                  `seed ${seed}, ${kind}: ${allowed ? 'under' : 'over'}-grant on ${row.id} ${JSON.stringify(row.attr)} for ${JSON.stringify(principal)}\n  ${using}`,
                );
            }
          }
          for (const nobody of NOBODY)
            assert.is((await visibleRows(client, 'things', nobody)).size, 0, `${nobody}: ${using}`);
        }
      }
      console.log(`  ${JSON.stringify(counts)}`, [...reasons].sort(([, a], [, b]) => b - a).slice(0, 12));
      assert.equal(wrong.length, 0, `${wrong.length} wrong\n${wrong.slice(0, 3).join('\n')}`);
      assert.ok(counts.refused < counts.asked * 0.7 && counts.seen > counts.cells / 50);
      if (EFFORT === 'full') assert.ok(counts.asked - counts.refused >= shapes, JSON.stringify(counts));
    } finally {
      await server.stop();
    }
  });

test.run();
