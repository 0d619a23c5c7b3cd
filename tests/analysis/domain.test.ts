import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PolicyVersion } from '../../packages/analysis/decision/policy-version.js';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import type { DiffReport, WitnessRequest } from '../../packages/analysis/diff/report.js';
import { makeExplainer } from '../../packages/analysis/explain/explain.js';
import { makeProver } from '../../packages/analysis/solve/prover.js';
import { verifyStatements } from '../../packages/analysis/verify/verify.js';
import { fold } from '../../compiler/optimise/index.js';
import { programVersion } from '../support/analysis/program-version.js';
import { compileTexts } from '../support/compiled.js';
import { z3 } from '../support/solve/z3.js';

const test = suite('requests that analyses show');
const prover = makeProver(z3(), { effort: 3 });

test.after(() => prover.close());

/** Decided by a search, and by the solver alone, which stays for the next question. */
const WAYS = [{ effort: 1 }, { effort: 0, prover: () => Promise.resolve({ ...prover, close: async () => undefined }) }];

/** The ids that tools like to make up, each with a policy. */
const IDS = ['alice', 'alice2'];

test('rows about everybody else are decided, whatever ids have policies', async () => {
  for (const [one, other] of [
    ['R.attr.owner == P.id', 'R.attr.owner == P.id || P.id in R.attr.readers'],
    ['false', 'P.id == R.id'],
    ['false', 'P.id.startsWith("al")'],
    ['P.id == "alice" || R.attr.a == 1', 'P.id == "alice"'],
  ] as const)
    for (const way of WAYS) {
      const [before, after] = [versionOf(one, IDS), versionOf(other, IDS)];
      const { rows } = await diffVersions(before, after, way);
      const row = rows.find(({ action, principal }) => action === 'view' && principal === null);
      const shown = `${one}, ${other}: ${JSON.stringify(row)}`;
      assert.not.match(row?.verdict ?? 'none', /none|unchanged|not decided/, shown);
      for (const { principal } of requestsIn({ rows: row === undefined ? [] : [row] }))
        assert.not(IDS.includes(principal.id), shown);
    }
});

test('principals have roles, and no empty ones', async () => {
  const conditions = [
    'true',
    'size(P.roles) == 0 || R.attr.x',
    'size(P.roles) > 0',
    '"" in P.roles || R.attr.x',
    'P.roles.exists(r, r == "")',
    'P.roles.all(r, r != "") && !R.attr.x',
    'P.roles != [] && R.attr.x',
    'P.roles.exists(r, r in ["", "ghost"])',
  ];
  const versions = conditions.map((condition) => versionOf(condition));
  for (const way of WAYS)
    for (const before of versions.slice(0, 1))
      for (const after of versions)
        for (const request of requestsIn(await diffVersions(before, after, way))) assertAccepted(request);
});

test('an empty role is in no principal, and every principal has one: proved', async () => {
  const verdict = async (one: string, other: string, way: object): Promise<string | undefined> => {
    const { rows } = await diffVersions(versionOf(one), versionOf(other), way);
    return rows.find(({ action }) => action === 'view')?.verdict;
  };
  for (const way of WAYS) assert.is(await verdict('R.attr.x', 'R.attr.x || "" in P.roles', way), 'unchanged');
  const [, solver = {}] = WAYS;
  assert.is(await verdict('R.attr.x', 'R.attr.x && size(P.roles) > 0', solver), 'unchanged');
  assert.is(await verdict('R.attr.x', 'R.attr.x || P.roles.exists(r, r == "")', solver), 'unchanged');
});

test('attributes as a whole are objects', async () => {
  const conditions = [
    '"a" in R.attr',
    'R.attr == P.attr.all',
    'P.attr.key in R.attr && R.attr[P.attr.key]',
    'hierarchy(R.attr["a"]) == dyn(R.attr)',
    'R.attr.?x.orValue(R.attr) == dyn("a")',
    'R.attr[?P.attr.key].orValue("") == "a"',
    'request.auxData.jwt == R.attr || spiffeID(P.id) == dyn(request.auxData.jwt)',
    'R.attr != {}',
  ];
  for (const way of WAYS)
    for (const condition of conditions)
      for (const [before, after] of [
        [condition, 'false'],
        ['false', condition],
      ] as const)
        for (const { principal, resource } of requestsIn(await diffVersions(versionOf(before), versionOf(after), way)))
          for (const { attr } of [principal, resource]) assert.ok(typeof attr === 'object' && !Array.isArray(attr));
});

test('statements are not refuted by principals without roles', async () => {
  const about = { resource: 'doc', actions: ['view'] };
  const statements = [
    { name: 'a', always: about },
    { name: 'b', always: { ...about, principal: { notRoles: ['admin'] } } },
    { name: 'c', always: { ...about, when: { match: { expr: 'size(P.roles) < 1' } } } },
    { name: 'd', never: { ...about, principal: { notRoles: ['user', 'admin'] } } },
    { name: 'e', reachable: about },
  ];
  for (const condition of ['size(P.roles) > 0', 'P.roles.exists(r, r == "")']) {
    const { invariants } = compileTexts({
      ...textsOf(condition),
      'invariants.json': document({ invariants: { name: 'all', statements } }),
    });
    for (const way of WAYS) {
      const report = await verifyStatements(versionOf(condition), invariants, way);
      for (const { rows } of report.statements)
        for (const { request } of rows) if (request !== undefined) assertAccepted(request);
    }
  }
});

test('no near miss takes the last role, or gives an empty one', async () => {
  const { lowered } = versionOf('!("user" in P.roles) || "" in P.roles');
  const request = {
    principal: { id: 'u', roles: ['user'], attr: {} },
    resource: { kind: 'doc', id: 'd', attr: {} },
    action: 'edit',
  };
  for (const action of ['view', 'edit']) {
    const { nearMisses } = makeExplainer(fold(lowered), {}).explain({ ...request, action }, { near: 10 });
    for (const { path, to } of nearMisses?.changes.flat() ?? [])
      if (path === 'principal.roles') {
        assert.ok((to as readonly string[]).length > 0);
        assert.not((to as readonly string[]).includes(''));
      }
  }
});

test.run();

function requestsIn({ rows }: Pick<DiffReport, 'rows'>): readonly WitnessRequest[] {
  return rows.flatMap(({ widened, narrowed }) =>
    [widened, narrowed].flatMap((answer) => (answer.answer === 'yes' ? [answer.request] : [])),
  );
}

/** As servers do. */
function assertAccepted({ principal: { id, roles } }: WitnessRequest): void {
  assert.ok(id !== '' && roles.length > 0 && roles.every((role) => role !== ''), JSON.stringify({ id, roles }));
}

function textsOf(expr: string, ids: readonly string[] = []): { readonly [path: string]: string } {
  const rule = { actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['*'], condition: { match: { expr } } };
  const rules = [rule, { actions: ['edit'], effect: 'EFFECT_ALLOW', roles: ['admin'] }];
  return {
    'doc.yaml': document({ resourcePolicy: { resource: 'doc', version: 'default', rules } }),
    ...Object.fromEntries(
      ids.map((principal) => [
        `${principal}.yaml`,
        document({
          principalPolicy: {
            principal,
            version: 'default',
            rules: [{ resource: 'doc', actions: [{ action: '*', effect: 'EFFECT_DENY' }] }],
          },
        }),
      ]),
    ),
  };
}

function document(members: object): string {
  return JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...members });
}

function versionOf(expr: string, ids?: readonly string[]): PolicyVersion {
  return programVersion(textsOf(expr, ids));
}
