import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CheckRequest,
  createEngine,
  type EngineOptions,
  type PlanRequest,
  explanations,
  mergeErrors,
} from '../../runtime/engine/index.js';
import type { CompiledBundle } from '../../runtime/engine/bundle.js';
import type { CompiledTraces } from '../../runtime/engine/decide/evaluation.js';
import type { Filters, PlannedCondition, Rule } from '../../runtime/policy/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

/** Work is counted, not timed: the role lookups of a policy, and the evaluations of conditions. */
const test = suite('requests with many roles');

const ACTIONS = 50;
const RESOURCES = 50;

const resourcePolicy = (rules: string, head = ''): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
${head}  rules:
${rules}`;

const ROLE_RULES = `    - { actions: ["view:*"], effect: EFFECT_ALLOW, roles: ["guest:*", "*:curator"], condition: { match: { expr: R.attr.isOpen == true } } }
    - { actions: ["*"], effect: EFFECT_DENY, roles: ["*"], condition: { match: { expr: R.attr.status == "LOCKED" } } }
`;

const outputRule = (otherEnd: string): string => `    - actions: ["*"]
      effect: EFFECT_DENY
      roles: ["guest:*"]
      name: told
      condition: { match: { expr: R.attr.isTold == true } }
      output: { when: { ruleActivated: '"told"'${otherEnd} } }
`;

const SETS: { readonly [name: string]: { readonly [path: string]: string } } = {
  'one policy': { 'album.yaml': resourcePolicy(ROLE_RULES) },
  'derived roles and runtime': {
    'album.yaml': resourcePolicy(
      `${ROLE_RULES}    - { actions: ["view:*"], effect: EFFECT_ALLOW, derivedRoles: [friend], condition: { match: { expr: '"friend" in runtime.effectiveDerivedRoles' } } }\n`,
      '  importDerivedRoles: [people]\n',
    ),
    'people.yaml': `apiVersion: api.authz.dev/v1
derivedRoles:
  name: people
  definitions:
    - { name: friend, parentRoles: ["guest:7", user], condition: { match: { expr: R.attr.isFriend == true } } }
`,
  },
  'role policies': {
    'album.yaml': resourcePolicy(ROLE_RULES),
    'clerk.yaml': `apiVersion: api.authz.dev/v1
rolePolicy:
  role: clerk
  parentRoles: ["guest:7"]
  rules: [{ resource: album, allowActions: ["view:*"], condition: { match: { expr: R.attr.isOpen == true } } }]
`,
  },
  'principal policies': {
    'album.yaml': resourcePolicy(ROLE_RULES),
    'alice.yaml': `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: alice
  version: default
  rules: [{ resource: album, actions: [{ action: "edit", effect: EFFECT_DENY, condition: { match: { expr: R.attr.isOpen == true } } }] }]
`,
  },
  'more roles than bits': {
    'album.yaml': resourcePolicy(
      `${ROLE_RULES}${Array.from({ length: 40 }, (_, index) => `    - { actions: ["view:${index}"], effect: EFFECT_ALLOW, roles: ["role-${index}", "many-${index}-*"], condition: { match: { expr: R.attr.n == ${index} } } }`).join('\n')}\n`,
    ),
  },
  outputs: { 'album.yaml': resourcePolicy(`${ROLE_RULES}${outputRule('')}`) },
};

/** Every role has an output, whatever the attributes. */
const ALWAYS_OUTPUT = {
  'outputs of every role': {
    'album.yaml': resourcePolicy(
      `${ROLE_RULES}${outputRule(`, conditionNotMet: 'R.attr.isLoud == true ? "not told" : R.attr.none'`)}`,
    ),
  },
};

/** Roles of a request: enough that looking at each again for every decision is more than all that is allowed. */
const MANY = 2_000;

/** The maximum number of times that a policy looks at a role of a request: twice for each of its patterns. */
const LOOKS = 100;

function roles(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    index % 3 === 0
      ? `guest:${index}`
      : index % 7 === 0
        ? `many-${index % 40}-x`
        : index % 11 === 0
          ? `role-${index % 40}:${index}`
          : `other-${index}`,
  );
}

function checkOf(count: number, attr: object = { n: 3 }, resources = RESOURCES, actions = ACTIONS): CheckRequest {
  const names = Array.from({ length: actions }, (_, index) => (index === 0 ? 'edit' : `view:${index}`));
  return {
    principal: { id: 'alice', roles: [...new Set([...roles(count), 'clerk', 'role-3'])] },
    resources: Array.from({ length: resources }, (_, index) => ({
      resource: { kind: 'album', id: `album-${index}`, attr },
      actions: names,
    })),
  };
}

const planOf = (count: number): PlanRequest => ({
  principal: checkOf(count).principal,
  resource: { kind: 'album' },
  actions: checkOf(count).resources[0]?.actions ?? [],
});

interface Counted {
  readonly bundle: CompiledBundle;
  readonly counts: { roles: number; conditions: number };
}

/** The bundle, with counters in its policies. */
function counted(bundle: CompiledBundle): Counted {
  const counts = { roles: 0, conditions: 0 };
  const rules = new Map<object, Rule>();
  const countedFunction = <A, B>(condition: (asked: A) => B) => {
    return (asked: A): B => {
      counts.conditions++;
      return condition(asked);
    };
  };
  const ruleOf = (rule: Rule): Rule => {
    const known: Rule = rules.get(rule) ?? {
      ...rule,
      when: rule.when && countedFunction(rule.when),
    };
    rules.set(rule, known);
    return known;
  };
  const resourcePolicies = bundle.resourcePolicies.map((policy) => {
    const named = new Map(policy.roles);
    const get = named.get.bind(named);
    named.get = (role) => {
      counts.roles++;
      return get(role);
    };
    return {
      ...policy,
      roles: named,
      roleGlobs: policy.roleGlobs.map(({ matches, bits }) => {
        const countedMatch = (role: string): boolean => {
          counts.roles++;
          return matches(role);
        };
        return { bits, matches: countedMatch };
      }),
      rules: policy.rules.map(ruleOf),
    };
  });
  const filters = (bundle.filters ?? []).map((table) =>
    table.map((entry): Filters[number] => {
      const rule = rules.get(entry[0]);
      if (rule === undefined) return entry;
      const counted: PlannedCondition = (query, algebra) => {
        counts.conditions++;
        return entry[1](query, algebra);
      };
      return [rule, counted];
    }),
  );
  return { bundle: { ...bundle, resourcePolicies, filters }, counts };
}

for (const [name, texts] of Object.entries(SETS)) {
  for (const strictEvaluation of [false, true]) {
    test(`${name}${strictEvaluation ? ', strict' : ''}: the cost does not multiply roles by actions by resources`, async () => {
      const { policies, traced } = await loaded(compileTexts(texts));
      const options: EngineOptions = { strictEvaluation, traced: (await traced?.()) as CompiledTraces };
      const cost = (
        ask: (engine: ReturnType<typeof createEngine>) => unknown,
      ): { roles: number; conditions: number } => {
        const { bundle, counts } = counted(policies as CompiledBundle);
        ask(createEngine(bundle, { ...options, use: [explanations()] }));
        return counts;
      };
      const asks: readonly ((count: number) => (engine: ReturnType<typeof createEngine>) => unknown)[] = [
        (count) => (engine) => engine.check(checkOf(count)),
        (count) => (engine) => engine.check({ ...checkOf(count), includeMeta: true }),
        (count) => (engine) =>
          engine.isAllowed({
            principal: checkOf(count).principal,
            resource: { kind: 'album', id: 'a', attr: { n: 3 } },
            action: 'view:3',
          }),
        (count) => (engine) => engine.plan(planOf(count)),
        (count) => (engine) => mergeErrors(engine.explain(checkOf(count))),
        (count) => (engine) => engine.explain(checkOf(count)).effectivePolicies,
        (count) => (engine) => engine.explain(planOf(count)).effectivePolicies,
      ];
      for (const [index, ask] of asks.entries()) {
        const few = cost(ask(MANY / 2));
        const many = cost(ask(MANY));
        // Each role is looked at a few times; 2,500 decisions do not look again.
        assert.ok(many.roles <= MANY * LOOKS + few.roles, `ask ${index}: ${many.roles} look-ups for ${MANY} roles`);
        assert.ok(
          many.conditions <= few.conditions + ACTIONS * RESOURCES,
          `ask ${index}: ${many.conditions} conditions, ${few.conditions} with fewer roles`,
        );
      }
    });
  }
}

for (const [name, texts] of Object.entries({ ...SETS, ...ALWAYS_OUTPUT })) {
  for (const strictEvaluation of [false, true]) {
    test(`${name}${strictEvaluation ? ', strict' : ''}: decisions, outputs and plans are as if each role were evaluated separately`, async () => {
      const { policies, traced } = await loaded(compileTexts(texts));
      const options: EngineOptions = { strictEvaluation, traced: (await traced?.()) as CompiledTraces };
      const { guard: _, ...unguarded } = policies as CompiledBundle;
      const engine = createEngine(policies as CompiledBundle, options);
      const reference = createEngine(unguarded, options);
      const attributes: readonly object[] = [
        {},
        { n: 3 },
        { n: 7, isOpen: true },
        { status: 'LOCKED', isFriend: true },
        { isTold: true },
        { isOpen: true, isLoud: true },
        { isTold: 1, isFriend: true, isOpen: 2 },
      ];
      let asked = 0;
      for (const attr of attributes) {
        for (const includeMeta of [false, true]) {
          const request = { ...checkOf(60, attr, 3, 6), includeMeta };
          assert.equal(engine.check(request), reference.check(request));
          asked++;
        }
        const { principal } = checkOf(60);
        for (const action of ['edit', 'view:3', 'view:7']) {
          const request = { principal, resource: { kind: 'album', id: 'a', attr }, action };
          assert.is(engine.isAllowed(request), reference.isAllowed(request));
        }
      }
      assert.is(asked, 14);
      const mine = engine.plan(planOf(60));
      const { filter, matchedScopes } = planEachRole(reference, planOf(60));
      assert.equal(mine.matchedScopes, matchedScopes);
      assert.is(mine.filter.kind, filter.kind);
    });
  }
}

/** The same plan with few enough roles that each is looked at separately. */
function planEachRole(
  engine: ReturnType<typeof createEngine>,
  request: PlanRequest,
): ReturnType<ReturnType<typeof createEngine>['plan']> {
  const distinct = ['guest:0', 'other-1', 'many-7-x', 'role-3', 'clerk'];
  return engine.plan({
    ...request,
    principal: { ...request.principal, roles: request.principal.roles.filter((role) => distinct.includes(role)) },
  });
}

test('many roles are distinguished in a scope that has only role policies', async () => {
  const scoped = `apiVersion: api.authz.dev/v1
rolePolicy:
  role: clerk
  scope: acme
  parentRoles: [user]
  rules: [{ resource: album, allowActions: ["view:*"] }]
`;
  const rule = '    - { actions: ["view:*"], effect: EFFECT_ALLOW, roles: [user] }\n';
  const { policies } = await loaded(compileTexts({ 'album.yaml': resourcePolicy(rule), 'clerk.yaml': scoped }));
  const engine = createEngine(policies);
  const isAllowed = (...last: readonly string[]): boolean =>
    engine.isAllowed({
      principal: { id: 'alice', roles: [...new Set([...roles(1000), ...last])] },
      resource: { kind: 'album', id: 'a', scope: 'acme' },
      action: 'view:1',
    });
  assert.equal([isAllowed(), isAllowed('user'), isAllowed('clerk')], [false, true, true]);
});

test('outputs of many roles are returned once for each role, up to the limit', async () => {
  const { policies } = await loaded(compileTexts(SETS['outputs'] as { readonly [path: string]: string }));
  const engine = createEngine(policies as CompiledBundle);
  const [result] = engine.check(checkOf(300, { isTold: true }, 1, 1));
  assert.is(result?.outputs.length, 100);
  // 8,000 roles have an output for each of 12 actions. Twice as many exceed the limit of a call.
  const told = (count: number): number =>
    engine.check(checkOf(count, { isTold: true }, 1, 12)).reduce((sum, { outputs }) => sum + outputs.length, 0);
  assert.is(told(24_000), 96_000);
  assert.throws(() => told(48_000), /costs more than/);
});

test.run();
