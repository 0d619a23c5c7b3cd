import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileRules, compileTexts, loaded } from '../../tests/support/compiled.js';
import { rounds, SEED } from '../../tests/support/effort.js';
import { policyFiles } from '../../tests/support/oracle/documents.js';
import { Random } from '../../tests/support/oracle/random.js';
import { randomRequest, randomStore } from '../../tests/support/oracle/random-store.js';
import type { DerivedRole } from '../policy/index.js';
import type { Listener } from './decide/evaluation.js';
import { surveyParts } from './decide/survey.js';
import { visitRules } from './decide/visit-rules.js';
import { PolicyEngine } from './engine.js';
import { Registry } from './find/registry.js';
import { type CheckRequest, type CompiledBundle, createEngine, explanations } from './index.js';
import { resolveSettings } from './options.js';

const test = suite('what explanations visit');

test('explanations have the errors, policies and derived roles of a check that visits rule after rule', async () => {
  const seen = { errors: 0, activeRoles: 0, policies: 0, prepared: 0 };
  for (let seed = SEED; seed < SEED + rounds(60, 8); seed += 1) {
    const random = new Random(seed);
    const options = { outputs: random.chance(0.3), runtime: random.chance(0.3) };
    const [ofPrincipals, ofRoles] = [random.chance(0.3), random.chance(0.4)];
    const documents = randomStore(random, options).filter(
      ({ principalPolicy, rolePolicy }) =>
        (ofPrincipals || principalPolicy === undefined) && (ofRoles || rolePolicy === undefined),
    );
    const { policies, traced: loadTraced } = await loaded(compileTexts(policyFiles(documents)));
    const traced = await loadTraced();
    for (const strictEvaluation of [false, true]) {
      const own = { traced, strictEvaluation, lenientScopeSearch: random.chance(0.5) };
      const engine = createEngine(policies, { ...own, use: [explanations()] });
      const settings = { ...resolveSettings(own), traced };
      for (let round = 0; round < 12; round += 1) {
        const request = randomBatch(random);
        const visited = new Visited(strictEvaluation);
        const walking = { visitRules, ...policies };
        const reference = new PolicyEngine(walking, settings, new Registry(policies, settings), visited);
        const results = reference.check({ ...request, includeMeta: true });
        const expected = {
          evaluationErrors: visited.errors.some((errors) => errors.size > 0) ? visited.listErrors() : [],
          effectivePolicies: [...visited.policies].sort(),
          effectiveDerivedRoles: results.map(({ effectiveDerivedRoles }) => effectiveDerivedRoles),
        };
        const { effectivePolicies, ...others } = engine.explain(request);
        const explained = { ...others, effectivePolicies: effectivePolicies.map(({ policy }) => policy) };
        assert.equal(explained, expected, `seed ${seed}, request ${round}: ${JSON.stringify(request)}`);
        seen.errors += expected.evaluationErrors.length > 0 ? 1 : 0;
        seen.activeRoles += expected.effectiveDerivedRoles.some((roles) => roles.length > 0) ? 1 : 0;
        seen.policies += expected.effectivePolicies.length > 1 ? 1 : 0;
        seen.prepared += ofRoles || options.runtime ? 0 : 1;
      }
    }
  }
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 40, `${what}: ${count}`);
});

test('a derived role is listed by its own reading of a failed variable, as a check lists it', async () => {
  const { policies, traced } = await loaded(
    compileTexts({
      'roles.yaml': `apiVersion: api.authz.dev/v1
derivedRoles:
  name: doc_roles
  variables: {local: {owner: R.attr.owner}}
  definitions:
    - {name: finder, parentRoles: [user], condition: {match: {expr: V.owner == null}}}
`,
      'doc.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  importDerivedRoles: [doc_roles]
  rules:
    - {name: keep, actions: [keep], effect: EFFECT_ALLOW, derivedRoles: [finder]}
`,
    }),
  );
  const engine = createEngine(policies, { traced: await traced(), use: [explanations()] });
  const request = {
    principal: { id: 'ann', roles: ['user'] },
    resources: ['d', 'e', 'f', 'g'].map((id) => ({ resource: { kind: 'doc', id }, actions: ['keep'] })),
  };
  const listed = engine.check({ ...request, includeMeta: true }).map((result) => result.effectiveDerivedRoles);
  assert.equal(listed, [['finder'], ['finder'], ['finder'], ['finder']]);
  assert.equal(engine.explain(request).effectiveDerivedRoles, listed);
});

test('resources of one chain whose roles have other parents are visited by their own', async () => {
  const { policies, traced } = await loaded(
    compileTexts({
      'doc.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  scope: acme
  rules:
    - {name: read, actions: [read], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.open}}}
`,
      'root.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules: []
`,
      'clerk.yaml': `apiVersion: api.authz.dev/v1
rolePolicy:
  role: clerk
  version: default
  scope: acme
  parentRoles: [user]
  rules: []
`,
    }),
  );
  const engine = createEngine(policies, {
    lenientScopeSearch: true,
    traced: await traced(),
    use: [explanations()],
  });
  const errorsAt = (...scopes: readonly string[]): readonly number[] =>
    engine
      .explain({
        principal: { id: 'ann', roles: ['clerk'] },
        resources: scopes.map((scope, index) => ({
          resource: { kind: 'doc', id: `d${index}`, scope },
          actions: ['read'],
        })),
      })
      .evaluationErrors.map(({ length }) => length);
  assert.equal(errorsAt('acme', 'acme', 'acme', 'acme', 'acme.hr', 'acme'), [1, 1, 1, 1, 0, 1]);
  assert.equal(errorsAt('acme.hr', 'acme.hr', 'acme.hr', 'acme.hr', 'acme'), [0, 0, 0, 0, 1]);
});

test('a survey is told of every rule, however often the same roles walk a chain', async () => {
  const rules = ['one', 'two'].map((name) => ({ name, actions: ['read'], effect: 'EFFECT_ALLOW', roles: ['user'] }));
  const { policies, traced } = await loaded(compileRules('doc', rules));
  const told: string[] = [];
  const parts = surveyParts<CompiledBundle>(policies, {
    rule: (_role, _policy, { name }) => told.push(name),
    limits: () => undefined,
  });
  const engine = createEngine({ ...policies, ...parts }, { traced: await traced(), use: [explanations()] });
  const resources = ['a', 'b', 'c'].map((id) => ({ resource: { kind: 'doc', id }, actions: ['read'] }));
  engine.explain({ principal: { id: 'ann', roles: ['user'] }, resources });
  assert.equal(told, ['one', 'two', 'one', 'two', 'one', 'two']);
});

test.run();

/** A request about enough resources that walks are prepared; sometimes with more roles than are judged one by one. */
function randomBatch(random: Random): CheckRequest {
  const { principal } = randomRequest(random);
  const unknownRoles = random.chance(0.1) ? Array.from({ length: 12 }, (_, index) => `unknown-${index}`) : [];
  const actions = random.chance(0.5) ? randomRequest(random).actions : undefined;
  return {
    principal: { ...principal, roles: [...new Set([...unknownRoles, ...principal.roles])] },
    resources: random.times(1, random.pick([3, 40]), () => {
      const asked = randomRequest(random);
      return { resource: asked.resource, actions: actions ?? asked.actions };
    }),
  };
}

/** Writes down what a check visits: the first place of each pair of expression and message, resource by resource. */
class Visited implements Listener {
  readonly policies = new Set<string>();
  readonly errors: Map<string, { policy: string; rule: string; expression: string; message: string }>[] = [];
  readonly failures: Listener['failures'];
  private place = { policy: '', rule: '' };

  constructor(stops: boolean) {
    const add = (expression: string, message: string): void => {
      const found = this.errors.at(-1);
      const pair = JSON.stringify([expression, message]);
      if (found !== undefined && !found.has(pair)) found.set(pair, { ...this.place, expression, message });
    };
    this.failures = {
      stops,
      part: (expression, message) => (message === undefined ? undefined : add(expression, message)),
      variable: add,
    };
  }

  beginResource(): void {
    this.errors.push(new Map());
  }

  considers(policy: string, rule: string): void {
    this.policies.add(policy);
    this.place = { policy, rule };
  }

  lists({ key, name }: DerivedRole): void {
    this.place = { policy: key.slice(0, -name.length - 1), rule: name };
  }

  listErrors(): readonly (readonly object[])[] {
    const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
    return this.errors.map((found) =>
      [...found.values()].sort((a, b) => order(a.expression, b.expression) || order(a.message, b.message)),
    );
  }
}
