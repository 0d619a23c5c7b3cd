import { createEngine } from '../../runtime/engine/index.js';
import { fold } from '../../compiler/optimise/index.js';
import type { Program } from '../../compiler/ir/program.js';
import { NO_SESSION } from '../../compiler/tables/session.js';
import { Decisions } from '../../packages/analysis/decision/decisions.js';
import { NotInDatabase } from '../../packages/analysis/rls/decision.js';
import { rowCondition, SharedParts } from '../../packages/analysis/rls/policy.js';
import type { SqlTable } from '../../runtime/residual/sql/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { type Document, policyFiles } from '../support/oracle/documents.js';
import { EFFORT } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { randomStore } from '../support/oracle/random-store.js';
import type { SqlConnection } from '../support/sql/pglite.js';
import { NOBODY, visibleRows } from './row-security.js';

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

/** The table of rows of every kind. */
export const STRUCTURES =
  'CREATE TABLE docs (position integer PRIMARY KEY, id text NOT NULL, a text, b text, n double precision, flag boolean, owner text, missing boolean, scope text)';

/** Fills the table. */
export async function fillStructures(client: SqlConnection): Promise<readonly Row[]> {
  const rows = rowsOfEachKind();
  for (const [position, { id, attr, scope }] of rows.entries())
    await client.query('INSERT INTO docs VALUES ($1, $2, $3, $4, $5, $6, $7, NULL, $8)', [
      position,
      id,
      ...['a', 'b', 'n', 'flag', 'owner'].map((name) => attr[name] ?? null),
      scope,
    ]);
  return rows;
}

/** What was compared. */
export interface StructureCounts {
  asked: number;
  refused: number;
  cells: number;
  seen: number;
  readonly reasons: Map<string, number>;
}

/** The parts that write conditions: those of the product, or with a mistake in them. */
export interface ConditionTools {
  readonly Decisions: typeof Decisions;
  readonly NotInDatabase: typeof NotInDatabase;
  readonly SharedParts: typeof SharedParts;
  readonly rowCondition: typeof rowCondition;
}

const OWN: ConditionTools = { Decisions, NotInDatabase, SharedParts, rowCondition };

/** Sets of policies of principals alone: in one version, they decide for nobody whose own version has none. */
export const OF_PRINCIPALS: readonly (readonly Document[])[] = [['v2'], ['default'], ['default', 'v2']].map(
  (versions) =>
    versions.map((version, index) => ({
      principalPolicy: {
        principal: `u${index + 1}`,
        version,
        rules: KINDS.map((resource) => ({ resource, actions: [{ action: '*', effect: 'EFFECT_ALLOW' }] })),
      },
    })),
);

/** Scopes whose policies leave other roles: a role that no policy of the root names is denied in the scope below. */
export const OF_SCOPES: readonly Document[] = ['', 'a'].flatMap((scope) =>
  KINDS.flatMap((resource) =>
    ['default', 'v2'].map((version) => ({
      resourcePolicy: {
        resource,
        version,
        ...(scope === '' ? {} : { scope }),
        rules: [
          { actions: ['*'], effect: 'EFFECT_ALLOW' as const, roles: ['*'] },
          {
            actions: ['*'],
            effect: 'EFFECT_DENY' as const,
            roles: scope === '' ? ['admin'] : ['admin', 'auditor', 'usher'],
          },
        ],
      },
    })),
  ),
);

/**
 * Compares policies of a whole set with check, for random principals. Returns the differences.
 *
 * @param given by default a random set.
 */
export async function compareStructures(
  client: SqlConnection,
  rows: readonly Row[],
  seed: number,
  counts: StructureCounts,
  tools: ConditionTools = OWN,
  given?: readonly Document[],
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const random = new Random(seed);
  const documents = given ?? randomStore(random, { outputs: false, runtime: true });
  const compilation = compileTexts(policyFiles(documents));
  const engine = createEngine((await loaded(compilation)).policies);
  const decisions = new tools.Decisions(fold(compilation.lowered as Program), {});
  for (const kind of KINDS) {
    const [scope, version] = [random.pick(['', 'a', 'a.b', { column: 'scope' }]), random.pick(['default', 'v2'])];
    const action = random.pick(ACTIONS);
    counts.asked += 1;
    let using: string;
    try {
      const asked = { of: 'all', actions: [action] } as const;
      const shared = new tools.SharedParts(NO_SESSION);
      using = tools.rowCondition(decisions, { kind, version, scope }, asked, TABLE, shared).conjuncts.join(' AND ');
    } catch (error) {
      if (!(error instanceof tools.NotInDatabase)) throw error;
      counts.refused += 1;
      const reason = `${typeof scope === 'string' ? '' : 'scopes: '}${error.message.replace(/: `.*/s, '')}`;
      counts.reasons.set(reason, (counts.reasons.get(reason) ?? 0) + 1);
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
    for (const nobody of EFFORT === 'quick' ? NOBODY.slice(0, 4) : NOBODY)
      if ((await visibleRows(client, 'docs', nobody)).size > 0) wrong.push(`nobody sees rows: ${nobody}: ${using}`);
  }
  return wrong;
}

/** A row, and the scope of its column. */
export interface Row {
  readonly id: string;
  readonly attr: { readonly [name: string]: string | number | boolean | null };
  readonly scope: string | null;
}

function rowsOfEachKind(): readonly Row[] {
  const random = new Random(7);
  return Array.from({ length: 108 }, () => {
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
