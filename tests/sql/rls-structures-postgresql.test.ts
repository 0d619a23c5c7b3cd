import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import type { SqlTable } from '../../runtime/residual/sql/index.js';
import { fold } from '../../compiler/optimise/index.js';
import type { Program } from '../../compiler/ir/program.js';
import { Decisions } from '../../packages/analysis/decision/decisions.js';
import { NotInDatabase } from '../../packages/analysis/rls/decision.js';
import { rowCondition, SharedParts } from '../../packages/analysis/rls/policy.js';
import { NO_SESSION } from '../../compiler/tables/session.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { rounds, SEED } from '../support/effort.js';
import { policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomStore } from '../support/oracle/random-store.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { NOBODY, protect, visibleRows } from './row-security.js';

const test = suite('row level security of whole sets');

const TABLE: SqlTable = {
  name: 'docs',
  id: { column: 'id', type: 'text', null: 'never' },
  columns: {
    a: { column: 'a', type: 'text' },
    b: { column: 'b', type: 'text', null: 'null' },
    n: { column: 'n', type: 'number' },
    flag: { column: 'flag', type: 'boolean' },
    owner: { column: 'owner', type: 'text', null: 'null' },
    missing: { column: 'missing', type: 'boolean' },
  },
};
const KINDS = ['doc', 'album:object', 'leave-request'];
const ROLES = ['user', 'admin', 'guest', 'auditor', 'usher', 'a:b', 'admin:x', 'someone'];
const ACTIONS = ['view', 'edit', 'view:public', 'delete'];

test('scopes, consent, role policies, principal policies, globs and listed roles decide in PostgreSQL as in a check', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query(
      'CREATE TABLE docs (position integer PRIMARY KEY, id text NOT NULL, a text, b text, n double precision, flag boolean, owner text, missing boolean, scope text)',
    );
    await protect(client, 'docs', {});
    const rows = rowsOfEachKind();
    for (const [position, { id, attr, scope }] of rows.entries())
      await client.query('INSERT INTO docs VALUES ($1, $2, $3, $4, $5, $6, $7, NULL, $8)', [
        position,
        id,
        ...['a', 'b', 'n', 'flag', 'owner'].map((name) => attr[name] ?? null),
        scope,
      ]);
    const counts = { asked: 0, refused: 0, cells: 0, seen: 0 };
    const reasons = new Map<string, number>();
    const wrong: string[] = [];
    for (let seed = SEED; seed < SEED + rounds(10); seed += 1) {
      const random = new Random(seed);
      const compilation = compileTexts(policyFiles(randomStore(random, { outputs: false, runtime: true })));
      const { policies } = await loaded(compilation);
      const engine = createEngine(policies);
      const decisions = new Decisions(fold(compilation.lowered as Program), {});
      for (const kind of KINDS) {
        const [scope, version] = [random.pick(['', 'a', 'a.b', { column: 'scope' }]), random.pick(['default', 'v2'])];
        const action = random.pick(ACTIONS);
        counts.asked += 1;
        let using: string;
        try {
          const asked = { of: 'all', actions: [action] } as const;
          using = rowCondition(
            decisions,
            { kind, version, scope },
            asked,
            TABLE,
            new SharedParts(NO_SESSION),
          ).conjuncts.join(' AND ');
        } catch (error) {
          if (!(error instanceof NotInDatabase)) throw error;
          counts.refused += 1;
          const reason = `${typeof scope === 'string' ? '' : 'scopes: '}${error.message.replace(/: `.*/s, '')}`;
          reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
          continue;
        }
        await client.query('DROP POLICY IF EXISTS authz_select ON docs');
        await client.query(`CREATE POLICY authz_select ON docs FOR SELECT TO app USING (${using})`);
        for (let i = 0; i < 5; i += 1) {
          const principal = randomPrincipal(random);
          const seen = await visibleRows(client, 'docs', JSON.stringify(principal));
          for (const [position, { id, attr, scope: own }] of rows.entries()) {
            const resource = {
              kind,
              id,
              attr,
              scope: typeof scope === 'string' ? scope : (own ?? ''),
              policyVersion: version,
            };
            // A row without a scope is nobody's.
            const hasScope = typeof scope === 'string' || own !== null;
            const allowed = hasScope && engine.isAllowed({ principal, resource, action });
            counts.cells += 1;
            if (seen.has(position)) counts.seen += 1;
            if (seen.has(position) !== allowed)
              wrong.push(
                `seed ${seed}, ${kind} ${version} ${JSON.stringify(scope)} ${action}: ${allowed ? 'under' : 'over'}-grant on ${id} in ${own} ${JSON.stringify(attr)} for ${JSON.stringify(principal)}\n  ${using}`,
              );
          }
        }
        for (const nobody of NOBODY.slice(0, 4))
          assert.is((await visibleRows(client, 'docs', nobody)).size, 0, `${nobody}: ${using}`);
      }
    }
    console.log(`  ${JSON.stringify(counts)}`, [...reasons].sort(([, a], [, b]) => b - a).slice(0, 12));
    assert.is(wrong.length, 0, `${wrong.length} wrong\n${wrong.slice(0, 3).join('\n')}`);
    assert.ok(counts.refused < counts.asked / 2 && counts.seen > counts.cells / 50);
  } finally {
    await cluster.stop();
  }
});

test.run();

interface Row {
  readonly id: string;
  readonly attr: { readonly [name: string]: string | number | boolean | null };
  readonly scope: string | null;
}

function rowsOfEachKind(): readonly Row[] {
  const random = new Random(7);
  return Array.from({ length: 60 }, () => {
    const attr: { [name: string]: string | number | boolean | null } = {
      b: random.pick(['x', 'y', null]),
      owner: random.pick(['u1', 'u2', null]),
    };
    if (random.chance(0.8)) attr['a'] = random.pick(['x', 'y', 'z', '']);
    if (random.chance(0.8)) attr['n'] = random.pick([0, 3, 5, 9.5]);
    if (random.chance(0.8)) attr['flag'] = random.chance(0.5);
    const scope = random.pick(['', 'a', 'a.b', 'a.b.c', '.a', 'x', '.', null]);
    return { id: random.pick(['r1', 'u1']), attr, scope };
  });
}

function randomPrincipal(random: Random): {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: { readonly [name: string]: string | number | boolean | null };
} {
  const attr: { [name: string]: string | number | boolean | null } = {};
  if (random.chance(0.8)) attr['n'] = random.pick([1, 4, 6.5, '3', null]);
  if (random.chance(0.3)) attr['missing'] = random.chance(0.5);
  return { id: random.pick(['u1', 'u2', 'u3']), roles: random.some(ROLES, 1, 3), attr };
}
