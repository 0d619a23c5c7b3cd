import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileTexts, loaded } from '../../tests/support/compiled.js';
import { rounds } from '../../tests/support/effort.js';
import { randomRequest, randomStore } from '../../tests/support/oracle/random-store.js';
import { policyFiles } from '../../tests/support/oracle/documents.js';
import { Random } from '../../tests/support/oracle/random.js';
import {
  type CheckRequest,
  createEngine,
  type Engine,
  type EngineOptions,
  EvaluationLimitError,
  explanations,
  mergeErrors,
  type PlanRequest,
} from './index.js';

const test = suite('failures on the way to a decision');

const TEXTS = {
  'roles.yaml': `apiVersion: api.authz.dev/v1
derivedRoles:
  name: doc_roles
  definitions:
    - {name: owner, parentRoles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
`,
  'doc.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  importDerivedRoles: [doc_roles]
  variables: {local: {young: R.attr.age < P.attr.limit}}
  rules:
    - {name: owners, actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner]}
    - {name: old, actions: [view], effect: EFFECT_DENY, roles: [user], condition: {match: {none: {of: [{expr: V.young}, {expr: "R.attr.flag"}]}}}}
    - {name: anybody, actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: P.attr.name + 1 == 2}}}
    - {name: write, actions: [write], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.late}}}
    - {name: stamp, actions: [stamp], effect: EFFECT_ALLOW, derivedRoles: [owner], condition: {match: {expr: P.attr.badge > 0}}}
`,
  'doc.acme.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  scope: acme
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [admin]}
`,
  'clerk.yaml': `apiVersion: api.authz.dev/v1
rolePolicy:
  role: clerk
  version: default
  scope: acme
  parentRoles: [user]
  rules:
    - {resource: doc, allowActions: [view], condition: {match: {expr: R.attr.open}}}
    - {resource: doc, allowActions: [print], condition: {match: {expr: P.attr.badge > 0}}}
`,
};

const VIEW: CheckRequest = {
  principal: { id: 'ann', roles: ['user'] },
  resources: [{ resource: { kind: 'doc', id: 'd' }, actions: ['view'] }],
};

test('each failed expression is reported as written, with the reason; a failed variable, and what selects it', async () => {
  const engine = await startEngine({});
  assert.equal(mergeErrors(engine.explain(VIEW)).map(formatError), [
    'resource.doc.vdefault#old: R.attr.age < P.attr.limit: no such key: age',
    'resource.doc.vdefault#old: R.attr.flag: no such key: flag',
    'derived_roles.doc_roles#owner: R.attr.owner == P.id: no such key: owner',
    "resource.doc.vdefault#old: V.young: undefined field 'young'",
  ]);
});

test('an expression after the decisive one is not evaluated', async () => {
  const engine = await startEngine({});
  const [entry] = VIEW.resources;
  const resource = { kind: 'doc', id: 'd', attr: { owner: 'ann', age: 3 } };
  const errors = mergeErrors(
    engine.explain({
      ...VIEW,
      principal: { ...VIEW.principal, attr: { limit: 9, name: 'x' } },
      resources: [{ ...entry, resource, actions: ['view'] }],
    }),
  );
  assert.equal(errors.map(formatError), ['resource.doc.vdefault#anybody: P.attr.name + 1 == 2: no such overload']);
});

test('in strict evaluation the first failure ends the action', async () => {
  const engine = await startEngine({ strictEvaluation: true });
  assert.equal(mergeErrors(engine.explain(VIEW)).map(formatError), [
    'derived_roles.doc_roles#owner: R.attr.owner == P.id: no such key: owner',
  ]);
});

test('failures of several actions and resources are reported once per expression and reason', async () => {
  const engine = await startEngine({});
  const twice = {
    ...VIEW,
    resources: [{ resource: { kind: 'doc', id: 'e' }, actions: ['write', 'view'] }, ...VIEW.resources],
  };
  assert.equal(
    mergeErrors(engine.explain(twice)).map(({ expression }) => expression),
    ['R.attr.age < P.attr.limit', 'R.attr.flag', 'R.attr.late', 'R.attr.owner == P.id', 'V.young'],
  );
});

test('the policies with considered rules are named, with their files', async () => {
  const engine = await startEngine({});
  assert.equal(engine.explain(VIEW).effectivePolicies, [{ policy: 'resource.doc.vdefault', source: 'doc.yaml' }]);
  const scoped = {
    principal: { id: 'ann', roles: ['clerk'] },
    resources: [{ resource: { kind: 'doc', id: 'd', scope: 'acme', attr: { open: true } }, actions: ['view'] }],
  };
  assert.equal(engine.explain(scoped).effectivePolicies, [
    { policy: 'resource.doc.vdefault', source: 'doc.yaml' },
    { policy: 'role.clerk.vdefault/acme', source: 'clerk.yaml' },
  ]);
  assert.equal(
    engine.explain({ ...VIEW, resources: [{ resource: { kind: 'other', id: 'd' }, actions: ['view'] }] })
      .effectivePolicies,
    [],
  );
  assert.equal(engine.explain({ ...VIEW, principal: { id: 'ann', roles: ['stranger'] } }).effectivePolicies, []);
});

test('for a plan only failures of every row are reported, never that a row is unknown', async () => {
  const engine = await startEngine({});
  const plan: PlanRequest = {
    principal: { ...VIEW.principal, attr: { name: 'x' } },
    resource: { kind: 'doc', attr: { age: 4 } },
    actions: ['view', 'write'],
  };
  assert.equal(mergeErrors(engine.explain(plan)).map(formatError), [
    'resource.doc.vdefault#anybody: P.attr.name + 1 == 2: no such overload',
    'resource.doc.vdefault#old: R.attr.age < P.attr.limit: no such key: limit',
    "resource.doc.vdefault#old: V.young: undefined field 'young'",
  ]);
  assert.equal(
    engine.explain(plan).effectivePolicies.map(({ policy }) => policy),
    ['resource.doc.vdefault'],
  );
  const ofAnyRow = { ...plan, resource: { kind: 'doc' } };
  assert.equal(mergeErrors(engine.explain(ofAnyRow)).map(formatError), [
    'resource.doc.vdefault#anybody: P.attr.name + 1 == 2: no such overload',
  ]);
});

test('a plan reports the conditions of rules whose derived role is active for some rows, and of no others', async () => {
  const engine = await startEngine({});
  const planFor = (attr: { readonly owner?: string }): PlanRequest => ({
    principal: VIEW.principal,
    resource: { kind: 'doc', attr },
    actions: ['stamp'],
  });
  assert.equal(mergeErrors(engine.explain(planFor({}))).map(formatError), [
    'resource.doc.vdefault#stamp: P.attr.badge > 0: no such key: badge',
  ]);
  assert.equal(mergeErrors(engine.explain(planFor({ owner: 'bob' }))), []);
});

test('a plan reports the conditions of role policies, too', async () => {
  const engine = await startEngine({});
  const plan: PlanRequest = {
    principal: { id: 'ann', roles: ['clerk'], attr: { name: 'x' } },
    resource: { kind: 'doc', scope: 'acme' },
    actions: ['view', 'print'],
  };
  assert.equal(mergeErrors(engine.explain(plan)).map(formatError), [
    'role.clerk.vdefault/acme#: P.attr.badge > 0: no such key: badge',
    'resource.doc.vdefault#anybody: P.attr.name + 1 == 2: no such overload',
  ]);
  assert.equal(engine.explain(plan).effectivePolicies, [
    { policy: 'resource.doc.vdefault', source: 'doc.yaml' },
    { policy: 'role.clerk.vdefault/acme', source: 'clerk.yaml' },
  ]);
});

test('a plan considers rules by the sanitised kind, as a check does', async () => {
  const { policies, traced } = await loaded(
    compileTexts({
      'ann.yaml': `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: ann
  version: default
  rules:
    - {resource: "leave_*", actions: [{action: view, effect: EFFECT_ALLOW}]}
`,
    }),
  );
  const engine = createEngine(policies, { traced: await traced(), use: [explanations()] });
  const resource = { kind: 'leave-request', id: 'l' };
  const check = { principal: VIEW.principal, resources: [{ resource, actions: ['view'] }] };
  const plan = { principal: VIEW.principal, resource, actions: ['view'] };
  const considered = [{ policy: 'principal.ann.vdefault', source: 'ann.yaml' }];
  assert.equal(
    [engine.explain(check).effectivePolicies, engine.explain(plan).effectivePolicies],
    [considered, considered],
  );
});

test('an engine without traced conditions reports neither', async () => {
  const { policies } = await loaded(compileTexts(TEXTS));
  const engine = createEngine(policies, { use: [explanations()] });
  assert.equal([mergeErrors(engine.explain(VIEW)), engine.explain(VIEW).effectivePolicies], [[], []]);
});

test('explaining changes no decision', async () => {
  for await (const { engine, random, place } of randomEngines(rounds(25, 5))) {
    for (let i = 0; i < 20; i += 1) {
      const { principal, resource, actions } = randomRequest(random);
      const request = { principal, resources: [{ resource, actions }], includeMeta: true };
      const [before] = engine.check(request);
      const errors = mergeErrors(engine.explain(request));
      const considered = engine.explain(request).effectivePolicies.map(({ policy }) => policy);
      const [after] = engine.check(request);
      assert.equal(after, before, `${place}, request ${i}`);
      // What decided was considered; the key of a kind can stand for a policy of a parent scope.
      if (before?.actions.some(({ effect }) => effect === 1))
        assert.ok(considered.length > 0, `${place}, request ${i}`);
      assert.ok(
        errors.every(({ policy }) => considered.includes(policy) || policy.startsWith('derived_roles.')),
        `${place}, request ${i}`,
      );
    }
  }
});

test('resources are explained together as each of them alone, with the derived roles of a check', async () => {
  let failing = 0;
  const seeds = rounds(12, 3);
  for await (const { engine, random, place } of randomEngines(seeds)) {
    for (let i = 0; i < 20; i += 1) {
      const { principal } = randomRequest(random);
      const resources = Array.from({ length: 1 + random.below(4) }, () => randomRequest(random)).map(
        ({ resource, actions }) => ({ resource, actions }),
      );
      const request = { principal, resources };
      const { evaluationErrors, effectivePolicies, effectiveDerivedRoles } = engine.explain(request);
      const alone = resources.map((entry) => engine.explain({ principal, resources: [entry] }));
      const errorsAlone = alone.map((one) => one.evaluationErrors[0] ?? []);
      const where = `${place}, request ${i}`;
      if (evaluationErrors.length > 0) failing += 1;
      assert.equal(evaluationErrors.length === 0 ? resources.map(() => []) : evaluationErrors, errorsAlone, where);
      assert.equal(mergeErrors(engine.explain(request)), onceAndSorted(errorsAlone.flat()), where);
      const policies = new Map(alone.flatMap((one) => one.effectivePolicies.map((policy) => [policy.policy, policy])));
      assert.equal(
        effectivePolicies,
        [...policies.keys()].sort().map((policy) => policies.get(policy)),
        where,
      );
      assert.equal(
        effectiveDerivedRoles,
        engine.check({ ...request, includeMeta: true }).map((result) => result.effectiveDerivedRoles),
        where,
      );
    }
  }
  assert.ok(failing > 4 * seeds, `${failing} requests have errors`);
});

test('an explanation that exceeds a limit has its errors in one list, and no derived roles', async () => {
  const { policies, traced } = await loaded(
    compileTexts({
      'item.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: item
  version: default
  rules:
    - {name: flagged, actions: [view], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: R.attr.flag}}}
    - {name: listed, actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "R.attr.list.exists(item, item == P.id)"}}}
`,
    }),
  );
  const engine = createEngine(policies, {
    traced: await traced(),
    limits: { evaluationCost: 5000 },
    use: [explanations()],
  });
  const explainLists = (...lengths: readonly number[]): ReturnType<Engine['explain']> =>
    engine.explain({
      principal: VIEW.principal,
      resources: lengths.map((length, index) => ({
        resource: { kind: 'item', id: `i${index}`, attr: { list: new Array<string>(length).fill('bob') } },
        actions: ['view'],
      })),
    });
  const flag = {
    policy: 'resource.item.vdefault',
    rule: 'flagged',
    expression: 'R.attr.flag',
    message: 'no such key: flag',
  };
  const limit = { policy: '', rule: '', expression: '', message: new EvaluationLimitError('cost').message };
  const effectivePolicies = [{ policy: 'resource.item.vdefault', source: 'item.yaml' }];
  assert.equal(explainLists(3, 3), {
    evaluationErrors: [[flag], [flag]],
    effectivePolicies,
    effectiveDerivedRoles: [[], []],
  });
  assert.equal(explainLists(3, 100_000, 3), {
    evaluationErrors: [[limit, flag]],
    effectivePolicies,
    effectiveDerivedRoles: undefined,
  });
});

test.run();

/** Engines over random policies, strict and not. */
async function* randomEngines(
  seeds: number,
): AsyncGenerator<{ readonly engine: Engine; readonly random: Random; readonly place: string }> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: false, runtime: random.chance(0.5) });
    const { policies, traced } = await loaded(compileTexts(policyFiles(documents)));
    const conditions = await traced();
    for (const strictEvaluation of [false, true])
      yield {
        engine: createEngine(policies, { traced: conditions, strictEvaluation, use: [explanations()] }),
        random,
        place: `seed ${seed}`,
      };
  }
}

type Errors = ReturnType<typeof mergeErrors>;

function onceAndSorted(errors: Errors): Errors {
  const isLater = (a: Errors[number], b: Errors[number]): boolean =>
    a.expression === b.expression ? a.message > b.message : a.expression > b.expression;
  const isSame = (a: Errors[number], b: Errors[number]): boolean =>
    a.expression === b.expression && a.message === b.message;
  return errors
    .filter((error, index) => errors.findIndex((other) => isSame(error, other)) === index)
    .sort((a, b) => (isLater(a, b) ? 1 : -1));
}

async function startEngine(options: EngineOptions): Promise<Engine> {
  const { policies, traced } = await loaded(compileTexts(TEXTS));
  return createEngine(policies, { ...options, traced: await traced(), use: [explanations()] });
}

function formatError({ policy, rule, expression, message }: ReturnType<typeof mergeErrors>[number]): string {
  return `${policy}#${rule}: ${expression}: ${message}`;
}
