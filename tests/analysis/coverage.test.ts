import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccessRequest } from '../../runtime/engine/index.js';
import { type Coverage, CoverageRecorder, toPercent } from '../../packages/analysis/coverage/coverage.js';
import type { RuleCoverage } from '../../packages/analysis/coverage/rule-record.js';
import { makeExplainer } from '../../packages/analysis/explain/explain.js';
import type { Program } from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { compileTexts } from '../support/compiled.js';
import { policyFiles } from '../support/oracle/documents.js';
import { MODEL_DEFAULTS, modelTrace, type ReachedRule } from '../support/oracle/model.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { tableOf } from '../support/oracle/table.js';
import { tinyCel } from '../support/oracle/tiny-cel.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of random conditions; SEED is the first seed. */
const CONDITIONS = rounds(300);
/** The number of stores of random policies that are compared with the reference model. */
const STORES = rounds(20);
const CLAUSES = ['R.attr.c0', 'R.attr.c1', 'R.attr.c2', 'R.attr.c3', 'R.attr.c4', 'R.attr.c5'];

const test = suite('coverage');

test('rules that decisions reach, and the values of their clauses, are those of the reference model', () => {
  const seen = { reached: 0, applied: 0, clauses: 0 };
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: false, runtime: random.chance(0.5) });
    const table = tableOf(documents);
    const recorder = new CoverageRecorder(compileTexts(policyFiles(documents)).lowered as Program);
    const settings = { defaultScope: random.pick(['', '', 'a', '.a']), lenient: random.chance(0.4) };
    const traced: ReachedRule[] = [];
    for (let i = 0; i < 12; i += 1) {
      const { principal, resource, actions } = randomRequest(random);
      for (const action of actions) {
        recorder.record(
          { principal, resource, action },
          { defaultScope: settings.defaultScope, lenientScopeSearch: settings.lenient },
        );
        const request = { principal, resource, actions: [action] };
        traced.push(...modelTrace(table, tinyCel, request, { ...MODEL_DEFAULTS, ...settings }));
      }
    }
    const rules = recorder.coverage().files.flatMap((file) => file.rules);
    for (const name of new Set(rules.map(({ rule: of }) => of))) {
      const detail = `seed ${seed}, ${name}`;
      // Rules of one name are one to the model.
      const mine = rules.filter((covered) => covered.rule === name);
      const theirs = traced.flatMap((reached) => reachesOf(reached).filter((reach) => reach.rule === name));
      assert.is(
        mine.some(({ reached }) => reached > 0),
        theirs.length > 0,
        detail,
      );
      assert.is(
        mine.some(({ applied }) => applied > 0),
        theirs.some(({ applies }) => applies),
        detail,
      );
      seen.reached += theirs.length > 0 ? 1 : 0;
      seen.applied += theirs.some(({ applies }) => applies) ? 1 : 0;
      if (mine.length > 1) continue;
      for (const clause of mine.flatMap(({ clauses }) => clauses)) {
        const truths = new Set(theirs.map(({ truthOf }) => truthOf(clause.text)));
        assert.equal(
          [clause.true > 0, clause.false > 0, clause.failed > 0],
          [truths.has(true), truths.has(false), truths.has('failed')],
          `${detail}, ${clause.text}`,
        );
        seen.clauses += truths.size;
      }
    }
  }
  assert.ok(Math.min(...Object.values(seen)) > 5 * STORES, JSON.stringify(seen));
});

test('clauses are counted, and are decisive, as their definition says', () => {
  let decisive = 0;
  for (let seed = SEED; seed < SEED + CONDITIONS; seed += 1) {
    const random = new Random(seed);
    const lowered = programOf([rule('one', 'view', randomMatch(random, 3))]);
    const engine = makeExplainer(fold(lowered));
    const requests = Array.from({ length: 1 + random.below(6) }, () => requestOf('view', randomAttributes(random)));
    const recorder = new CoverageRecorder(lowered);
    for (const request of requests) recorder.record(request, {});
    const [covered] = recorder.coverage().files.flatMap(({ rules }) => rules) as [RuleCoverage];
    for (const clause of covered.clauses) {
      const name = clause.text.slice('R.attr.'.length);
      const detail = `seed ${seed}, ${clause.text}: ${JSON.stringify(requests.map(({ resource }) => resource.attr))}`;
      const valueIn = (request: AccessRequest): unknown => request.resource.attr?.[name];
      const decides = (request: AccessRequest): boolean =>
        engine.isAllowed(request) !== engine.isAllowed(with_(request, name, valueIn(request) !== true));
      assert.is(clause.true, requests.filter((request) => valueIn(request) === true).length, detail);
      assert.is(clause.false, requests.filter((request) => valueIn(request) === false).length, detail);
      assert.is(clause.true + clause.false + clause.failed, requests.length, detail);
      const expected =
        requests.some((request) => valueIn(request) === true && decides(request)) &&
        requests.some((request) => valueIn(request) !== true && decides(request));
      assert.is(clause.isDecisive, expected, detail);
      if (expected) decisive += 1;
    }
    assert.is(covered.reached, requests.length);
    assert.is(covered.applied, requests.filter((request) => engine.isAllowed(request)).length);
  }
  assert.ok(decisive > CONDITIONS / 10, `only ${decisive} clauses are decisive`);
});

test('a decision counts once, however many roles reach a rule', () => {
  const derivedRoles = {
    name: 'roles',
    definitions: [{ name: 'owner', parentRoles: ['user', 'admin'], condition: { match: { expr: 'R.attr.c0' } } }],
  };
  const condition = { match: { expr: 'R.attr.c1' } };
  const rules = [
    { actions: ['view', 'v*'], effect: 'EFFECT_ALLOW', roles: ['*'], condition, name: 'everyone' },
    { actions: ['*'], effect: 'EFFECT_ALLOW', derivedRoles: ['owner'], name: 'owners' },
  ];
  const program = compileTexts({
    'roles.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', derivedRoles }),
    'doc.yaml': policyText({ importDerivedRoles: ['roles'], rules }),
  }).lowered as Program;
  const recorder = new CoverageRecorder(program);
  const request = requestOf('view', { c0: true, c1: true });
  for (const roles of [['user'], ['admin', 'user', 'guest']])
    recorder.record({ ...request, principal: { ...request.principal, roles } }, {});
  const of = recorder.coverage().files.flatMap((file) => file.rules);
  assert.equal(
    of.map(({ reached, applied, names, clauses }) => [
      reached,
      applied,
      names.map(({ text, matched }) => `${text} ${matched}`).join(),
      clauses.map((clause) => clause.true),
    ]),
    [
      [2, 2, 'view 2,v* 2,* 2', [2]],
      [2, 2, '* 2', []],
      [2, 2, '', [2]],
    ],
  );
});

test('the order of rules and of operands changes nothing', () => {
  const rules = [
    rule('a', 'view', { expr: 'R.attr.c0 && R.attr.c1' }),
    rule('b', 'view', { any: { of: [{ expr: 'R.attr.c2' }, { expr: 'R.attr.c0' }] } }),
    { ...rule('c', 'view', { expr: 'R.attr.c3' }), effect: 'EFFECT_DENY' },
  ];
  const other = [
    { ...rule('c', 'view', { expr: 'R.attr.c3' }), effect: 'EFFECT_DENY' },
    rule('b', 'view', { any: { of: [{ expr: 'R.attr.c0' }, { expr: 'R.attr.c2' }] } }),
    rule('a', 'view', { expr: 'R.attr.c1 && R.attr.c0' }),
  ];
  const random = new Random(SEED);
  const requests = Array.from({ length: 20 }, () => requestOf('view', randomAttributes(random)));
  assert.equal(seenOf(coverageOf(rules, requests)), seenOf(coverageOf(other, requests)));
});

test('rules, names and derived roles that no decision used', () => {
  const derivedRoles = {
    name: 'roles',
    definitions: [{ name: 'owner', parentRoles: ['user'], condition: { match: { expr: 'R.attr.c0' } } }],
  };
  const rules = [
    { actions: ['view', 'edit'], effect: 'EFFECT_ALLOW', roles: ['admin'], derivedRoles: ['owner'], name: 'both' },
    { actions: ['share'], effect: 'EFFECT_ALLOW', roles: ['user'], name: 'unused' },
  ];
  const program = compileTexts({
    'roles.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', derivedRoles }),
    'doc.yaml': policyText({ importDerivedRoles: ['roles'], rules }),
  }).lowered as Program;
  const recorder = new CoverageRecorder(program);
  recorder.record(requestOf('view', { c0: true }), {});
  const { files, total } = recorder.coverage();
  const of = files.flatMap((file) => file.rules);
  assert.equal(
    of.map(({ rule: name, reached, applied, names }) => [
      name,
      reached,
      applied,
      names.map(({ kind, text, matched }) => `${kind} ${text} ${matched}`),
    ]),
    [
      ['resource.doc.vdefault#both', 1, 1, ['action view 1', 'action edit 0', 'role admin 0']],
      ['resource.doc.vdefault#unused', 0, 0, ['action share 0', 'role user 0']],
      ['derived_roles.roles#owner', 1, 1, []],
    ],
  );
  assert.equal(total.rules, { covered: 2, all: 3 });
  assert.is(toPercent(total.rules), 66.6);
  assert.is(toPercent({ covered: 0, all: 0 }), 100);
});

test.run();

/** A rule that the model reached, and its derived role, by the names of coverage. */
function reachesOf({ rule: name, derivedRole, applies, truthOf }: ReachedRule): readonly Reach[] {
  const own = { rule: name, applies, truthOf };
  if (derivedRole === undefined) return [own];
  const role = `derived_roles.common-roles#${derivedRole.name}`;
  return [own, { rule: role, applies: derivedRole.isActive, truthOf: derivedRole.truthOf }];
}

type Reach = Pick<ReachedRule, 'rule' | 'applies' | 'truthOf'>;

function coverageOf(rules: readonly object[], requests: readonly AccessRequest[]): Coverage {
  const recorder = new CoverageRecorder(programOf(rules));
  for (const request of requests) recorder.record(request, {});
  return recorder.coverage();
}

/** What was seen, without places. */
function seenOf({ files, total }: Coverage): unknown {
  const rules = files.flatMap((file) =>
    file.rules.map(({ rule: name, reached, applied, clauses }) => ({
      name,
      reached,
      applied,
      clauses: clauses.map(({ place: _, ...clause }) => clause).sort((a, b) => (a.text < b.text ? -1 : 1)),
    })),
  );
  return { rules: rules.sort((a, b) => (a.name < b.name ? -1 : 1)), total };
}

function programOf(rules: readonly object[]): Program {
  return compileTexts({ 'doc.yaml': policyText({ rules }) }).lowered as Program;
}

function policyText(policy: object): string {
  const resourcePolicy = { resource: 'doc', version: 'default', ...policy };
  return JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy });
}

function rule(name: string, action: string, match: object): object {
  return { name, actions: [action], effect: 'EFFECT_ALLOW', roles: ['user'], condition: { match } };
}

function requestOf(action: string, attr: { readonly [name: string]: unknown }): AccessRequest {
  return { principal: { id: 'alice', roles: ['user'] }, resource: { kind: 'doc', id: 'd', attr }, action };
}

/** Two values for each clause; sometimes it is missing, so that it fails. */
function randomAttributes(random: Random): { readonly [name: string]: boolean } {
  return Object.fromEntries(
    CLAUSES.flatMap((clause) =>
      random.chance(0.1) ? [] : [[clause.slice('R.attr.'.length), random.chance(0.5)] as const],
    ),
  );
}

function randomMatch(random: Random, depth: number): object {
  if (depth === 0 || random.chance(0.3)) return { expr: randomText(random, depth) };
  const of = Array.from({ length: 1 + random.below(3) }, () => randomMatch(random, depth - 1));
  return { [random.pick(['all', 'any', 'none'])]: { of } };
}

function randomText(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.3)) return random.pick(CLAUSES);
  const part = (): string => randomText(random, depth - 1);
  return random.pick([
    () => `(${part()} && ${part()})`,
    () => `(${part()} || ${part()})`,
    () => `!${part()}`,
    () => `(${part()} ? ${part()} : ${part()})`,
  ])();
}

function with_(request: AccessRequest, name: string, value: boolean): AccessRequest {
  return { ...request, resource: { ...request.resource, attr: { ...request.resource.attr, [name]: value } } };
}
