import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withComputed } from '../../compiler/emit/computed.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { fold } from '../../compiler/optimise/index.js';
import { NO_SESSION } from '../../compiler/tables/session.js';
import { Decisions } from '../../packages/analysis/decision/decisions.js';
import { NotInDatabase } from '../../packages/analysis/rls/decision.js';
import { rowCondition, SharedParts } from '../../packages/analysis/rls/policy.js';
import { type Compute, sessionValue } from '../../packages/rls/session-value.js';
import { createEngine } from '../../runtime/engine/index.js';
import type { SqlTable } from '../../runtime/residual/sql/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { EFFORT, rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { NOBODY, protect, visibleRows } from './row-security.js';

const test = suite('computed values of row level security');

const TABLE: SqlTable = {
  name: 'docs',
  id: { column: 'id', type: 'text', null: 'never' },
  columns: {
    a: { column: 'a', type: 'text' },
    n: { column: 'n', type: 'number' },
    flag: { column: 'flag', type: 'boolean' },
    at: { column: 'at', type: 'timestamp' },
    friends: { column: 'friends', type: 'list' },
  },
};

/** Conditions with a part that SQL cannot compute, which reads the principal, its token or the time. */
const ATOMS = [
  'P.attr.email.matches("^[a-z]+@acme[.]com$")',
  '!P.attr.email.matches("^[a-z]+@acme[.]com$")',
  'P.attr.email.split("@")[1] == R.attr.a',
  'P.attr.email.split("@")[1] != R.attr.a',
  'P.attr.email.replace("@", ".") < R.attr.a',
  'size(P.attr.tags.filter(t, t != "x")) > R.attr.n',
  'size(P.attr.tags.filter(t, t != "x")) == R.attr.n',
  'P.attr.n * P.attr.n < R.attr.n',
  'R.attr.n in [P.attr.n * 2.0, 5]',
  'R.attr.a in P.attr.tags.filter(t, t != "x")',
  '!(R.attr.a in P.attr.tags.filter(t, t != "x"))',
  'R.attr.friends.exists(f, f == P.attr.email.split("@")[0])',
  'P.attr.email.split("@")[0] in R.attr.friends',
  'timestamp(P.attr.since) + duration("24h") < timestamp(R.attr.at)',
  'timestamp(P.attr.since) + duration("24h") >= timestamp(R.attr.at)',
  'now() - timestamp(P.attr.since) > duration("1h") && R.attr.flag',
  'timestamp(P.attr.since).getFullYear() == 2026 || R.attr.flag',
  'V.domain == R.attr.a',
  'V.isStaff && R.attr.flag',
  '!V.isStaff || R.attr.flag',
  'request.auxData.jwt.sub.matches("^a") && R.attr.flag',
  '!request.auxData.jwt.sub.matches("^a")',
  '(P.attr.email.matches("x") ? P.attr.n : 3.0) > R.attr.n',
  'P.attr.tags[int(P.attr.n)] == R.attr.a',
  'hierarchy(P.attr.email).size() > 2 || R.attr.flag',
  'C.domains.exists(d, P.attr.email.endsWith(d + ".com")) && R.attr.a != "x"',
];
const READ = ['R.attr.flag', 'R.attr.a == P.id', 'has(R.attr.n)', 'R.attr.n > 2', '"user" in P.roles'];
const FORMS = ['allow', 'none', 'deny'] as const;

test('what SQL cannot compute of a principal comes with its session, and decides as in a check', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query(
      'CREATE TABLE docs (position integer PRIMARY KEY, id text NOT NULL, a text, n double precision, flag boolean, at timestamptz, friends jsonb)',
    );
    await protect(client, 'docs', {});
    const random = new Random(SEED);
    const rows = randomRows(random, 30);
    for (const [position, { a, n, flag, at, friends }] of rows.entries())
      await client.query('INSERT INTO docs VALUES ($1, $2, $3, $4, $5, $6, $7)', [
        position,
        `d${position}`,
        a ?? null,
        n ?? null,
        flag ?? null,
        at ?? null,
        friends === undefined ? null : JSON.stringify(friends),
      ]);
    const conditions = [...ATOMS, ...Array.from({ length: rounds(120, 8) }, () => randomCondition(random, 2))];
    const compilation = compileTexts({ 'doc.yaml': policyOf(conditions) });
    const lowered = compilation.lowered ?? invariant(compilation.diagnostics[0]?.message ?? '');
    const program = fold(lowered);
    const decisions = new Decisions(program, {});
    const shared = new SharedParts(NO_SESSION);
    const usings = new Map<string, string>();
    const counts = { asked: 0, refused: 0, cells: 0, seen: 0, computed: 0 };
    const reasons = new Map<string, number>();
    for (const [index, condition] of conditions.entries())
      for (const form of EFFORT === 'quick' ? [random.pick(FORMS)] : FORMS) {
        counts.asked += 1;
        const place = { kind: 'doc', version: 'default', scope: '' };
        try {
          const asked = { of: 'all', actions: [`${form}${index}`] } as const;
          usings.set(`${form}${index}`, rowCondition(decisions, place, asked, TABLE, shared).conjuncts.join('\n AND '));
        } catch (error) {
          if (!(error instanceof NotInDatabase)) throw error;
          counts.refused += 1;
          const reason = `${error.message.replace(/: `.*/s, '')}${index < ATOMS.length ? ` (${condition})` : ''}`;
          reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        }
      }
    const { files } = compilation;
    const bundle = await loaded({ ...compilation, files: withComputed(files, shared.computed.all, program) });
    const engine = createEngine(bundle.policies);
    const { computed } = bundle as unknown as { readonly computed: Compute };
    const principals = Array.from({ length: 5 }, () => randomPrincipal(random));
    const sessions = principals.map(({ token, ...principal }) => sessionValue(principal, token, computed));
    assert.ok(sessions.every((session) => session.includes('"computed":{')));
    const wrong: string[] = [];
    for (const [action, using] of usings) {
      if (using.includes('has_computed')) counts.computed += 1;
      await client.query('DROP POLICY IF EXISTS authz_select ON docs');
      await client.query(`CREATE POLICY authz_select ON docs FOR SELECT TO app USING (${using})`);
      for (const [at, { token, ...principal }] of principals.entries()) {
        const seen = await visibleRows(client, 'docs', sessions[at] as string);
        for (const [position, attr] of rows.entries()) {
          const allowed = engine.isAllowed({
            principal,
            resource: { kind: 'doc', id: `d${position}`, attr },
            action,
            auxData: { jwt: token },
          });
          counts.cells += 1;
          if (seen.has(position)) counts.seen += 1;
          if (seen.has(position) !== allowed)
            wrong.push(
              `${action} ${conditions[Number(action.replace(/\D/g, ''))]}: ${allowed ? 'under' : 'over'}-grant on ${JSON.stringify(attr)} for ${JSON.stringify(principals[at])}\n  ${using}\n  ${sessions[at]}`,
            );
        }
      }
      if (!using.includes('has_computed') || !random.chance(0.2)) continue;
      // A session of an application without the values, of older policies, or with what is no list.
      const { computed: values, ...own } = JSON.parse(sessions[0] as string) as { readonly computed: object };
      const ids = [...using.matchAll(/computed_\w+\('(\w+)'\)/g)].map(([, id]) => id as string);
      for (const told of [
        undefined,
        {},
        [],
        ids,
        { ...values, [ids[0] as string]: undefined },
        { ...values, [ids[0] as string]: 1 },
      ])
        assert.is((await visibleRows(client, 'docs', JSON.stringify({ ...own, computed: told }))).size, 0, using);
      for (const nobody of NOBODY) assert.is((await visibleRows(client, 'docs', nobody)).size, 0, nobody);
    }
    console.log(`  ${JSON.stringify(counts)}`, [...reasons].sort(([, a], [, b]) => b - a).slice(0, 12));
    assert.is(wrong.length, 0, `${wrong.length} wrong\n${wrong.slice(0, 3).join('\n')}`);
    assert.ok(
      counts.refused < counts.asked / 4 && counts.computed > counts.asked / 3 && counts.seen > counts.cells / 50,
    );
  } finally {
    await cluster.stop();
  }
});

test.run();

function policyOf(conditions: readonly string[]): string {
  const rule = (name: string, effect: string, expr?: string): object => ({
    actions: [name],
    effect: `EFFECT_${effect}`,
    roles: ['*'],
    ...(expr !== undefined && { condition: { match: { expr } } }),
  });
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      variables: {
        local: { domain: 'P.attr.email.split("@")[1]', isStaff: 'V.domain == "acme.com" && P.attr.n > 1' },
      },
      constants: { local: { domains: ['acme', 'other'] } },
      rules: conditions.flatMap((expr, index) => [
        rule(`allow${index}`, 'ALLOW', expr),
        { ...rule(`none${index}`, 'ALLOW'), condition: { match: { none: { of: [{ expr }] } } } },
        rule(`deny${index}`, 'ALLOW'),
        rule(`deny${index}`, 'DENY', expr),
      ]),
    },
  });
}

function randomCondition(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.2)) return random.pick(random.chance(0.7) ? ATOMS : READ);
  const [a, b] = [randomCondition(random, depth - 1), randomCondition(random, depth - 1)];
  return random.pick([`(${a}) && (${b})`, `(${a}) || (${b})`, `!(${a})`, `((${a}) ? (${b}) : R.attr.flag)`]);
}

interface Row {
  readonly a?: string;
  readonly n?: number;
  readonly flag?: boolean;
  readonly at?: string;
  readonly friends?: readonly string[];
}

function randomRows(random: Random, count: number): readonly Row[] {
  const maybe = <Value>(name: string, value: Value): object => (random.chance(0.85) ? { [name]: value } : {});
  return Array.from({ length: count }, () => ({
    ...maybe('a', random.pick(['acme.com', 'x', 'y', 'u1', 'ann.acme.com', 'zz'])),
    ...maybe('n', random.pick([0, 1, 2, 4, 9])),
    ...maybe('flag', random.chance(0.5)),
    ...maybe('at', random.pick(['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', '2020-01-01T00:00:00Z'])),
    ...maybe('friends', random.some(['ann', 'bob', 'x'], 0, 2)),
  }));
}

function randomPrincipal(random: Random): {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: { readonly [name: string]: unknown };
  readonly token: { readonly [name: string]: unknown };
} {
  const maybe = (name: string, value: unknown): object => (random.chance(0.85) ? { [name]: value } : {});
  return {
    id: random.pick(['u1', 'x']),
    roles: random.some(['user', 'admin'], 1, 2),
    attr: {
      ...maybe('email', random.pick(['ann@acme.com', 'bob@x', 'none', 5, null])),
      ...maybe('n', random.pick([0, 1, 2, 3, '1'])),
      ...maybe('tags', random.pick([['x', 'y'], ['acme.com'], [], 'x', ['x', 1]])),
      ...maybe('since', random.pick(['2026-01-01T00:00:00Z', '2019-12-31T00:00:00.5Z', 'never', 7])),
    },
    token: { ...maybe('sub', random.pick(['ann', 'bob', 1])) },
  };
}
