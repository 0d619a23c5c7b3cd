import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { createEngine, type Engine, type EngineOptions } from '../../runtime/engine/index.js';
import { ALLOW } from '../../runtime/policy/index.js';
import type { CompiledBundle } from '../../runtime/engine/parts.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { type Document, policyFiles, type ResourceRule } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { SEED, rounds } from '../support/effort.js';

/**
 * The `decide` of policies against the engine's walk over their rules. STORES is the number of random stores, REQUESTS
 * that of requests for each, SEED the first seed.
 */
const STORES = rounds(60);
const REQUESTS = 60;

const test = suite('the decide function of a policy');

test('it decides like the rules, in every call of the engine', async () => {
  let decided = 0;
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const documents = atRoot(random, randomStore(random, { outputs: random.chance(0.4), runtime: random.chance(0.2) }));
    const policies = (await loaded(compileTexts(policyFiles(documents)))).policies as CompiledBundle;
    const options: EngineOptions = {
      defaultScope: random.pick(['', '', '', 'a']),
      lenientScopeSearch: random.chance(0.5),
    };
    const engine = createEngine(policies, options);
    const walking = createEngine(withoutDecide(policies), options);
    const functions = new Set(
      policies.resourcePolicies.flatMap(({ kind, decide }) => (decide === undefined ? [] : kind)),
    );
    for (let index = 0; index < REQUESTS; index += 1) {
      const { principal: given, resource, actions } = frozen(randomRequest(random));
      const principal = frozen({ ...given, roles: randomRoles(random, given.roles) });
      const detail = `seed ${seed}, request ${index}: ${JSON.stringify({ principal, resource, actions })}`;
      const calls = { principal, resources: [{ resource, actions }] };
      assert.equal(engine.check(calls), walking.check(calls), detail);
      const prepared = engine.for(principal);
      for (const action of [...actions, random.pick(['view:', 'constructor', 'viewed', 'x'])]) {
        const [expected] = walking.check({ principal, resources: [{ resource, actions: [action] }] });
        const isAllowed = expected?.actions[0]?.effect === ALLOW;
        assert.is(engine.isAllowed({ principal, resource, action }), isAllowed, `isAllowed ${action}, ${detail}`);
        assert.is(
          walking.isAllowed({ principal, resource, action }),
          isAllowed,
          `without decide, ${action}, ${detail}`,
        );
        assert.is(prepared.can(action, resource), isAllowed, `can ${action}, ${detail}`);
        if (functions.has(resource.kind)) decided += 1;
      }
    }
  }
  console.log(`  ${decided} random decisions about kinds with a decide function`);
  assert.ok(decided > STORES * REQUESTS * 0.2);
});

test('what a request leaves out is filled in for conditions, and requests are not written to', async () => {
  const bundle = (await loaded(compileTexts(placePolicies()))).policies as CompiledBundle;
  for (const { kind, decide, readsPlace } of bundle.resourcePolicies) {
    assert.type(decide, 'function');
    assert.is(readsPlace === true, kind !== 'attributes', `${kind} reads ${PLACES[Number(kind)]}`);
  }

  for (const options of [{}, { defaultScope: 'a', lenientScopeSearch: true }]) {
    const engine = createEngine(bundle, options);
    const walking = createEngine(withoutDecide(bundle), options);
    for (const principal of principals()) {
      const prepared = engine.for(principal);
      for (const resource of resources()) {
        const detail = JSON.stringify({ options, principal, resource });
        const request = { principal, resources: [{ resource, actions: ['view'] }] };
        const [expected] = walking.check(request);
        const isAllowed = expected?.actions[0]?.allowed ?? false;
        assert.is(engine.isAllowed({ principal, resource, action: 'view' }), isAllowed, detail);
        assert.equal(engine.check(request), [expected], detail);
        assert.is(engine.isAllowed({ principal, resource, action: 'view' }), isAllowed, detail);
        assert.is(prepared.can('view', resource), isAllowed, detail);
      }
    }
  }
});

test.run();

/** Conditions that hold for requests without versions and scopes. */
const PLACES = [
  'R.scope == ""',
  'P.scope == ""',
  'R.policyVersion == ""',
  'request.principal.policyVersion == ""',
  '!has(R.scope)',
  '[P].exists(p, p.scope == "")',
  'R == R && P == P',
  'request.resource.scope.size() + size(P.scope) == 0',
  'V.place == ""',
  '[V].exists(v, v.place == "") && V.place == ""',
];

function placePolicies(): { readonly [file: string]: string } {
  const policy = (kind: string, condition: string): string =>
    stringify({
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: {
        resource: kind,
        version: 'default',
        ...(condition.includes('V') ? { variables: { local: { place: 'R.scope' } } } : {}),
        rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['*'], condition: { match: { expr: condition } } }],
      },
    });
  const conditions: { readonly [kind: string]: string } = {
    ...Object.fromEntries(PLACES.entries()),
    attributes: ATTRIBUTES,
  };
  return Object.fromEntries(Object.entries(conditions).map(([kind, text]) => [`${kind}.yaml`, policy(kind, text)]));
}

/** Holds also without attributes. */
const ATTRIBUTES = '!has(P.attr.team) && !has(R.attr.team) || P.attr.team == R.attr.team && P.id != R.id';

type Principal = Parameters<Engine['for']>[0];
type Resource = Parameters<ReturnType<Engine['for']>['can']>[1];

function principals(): readonly Principal[] {
  return PARTS.map((part) => frozen({ id: 'u1', roles: ['user'], ...part }) as Principal);
}

function resources(): readonly Resource[] {
  const kinds = [...PLACES.keys(), 'attributes'].map(String);
  return kinds.flatMap((kind) => PARTS.map((part) => frozen({ kind, id: 'r1', ...part }) as Resource));
}

/** What callers give, leave out, and give without a value. */
const PARTS: readonly object[] = [
  {},
  { attr: undefined, policyVersion: undefined, scope: undefined },
  { attr: null },
  { attr: { team: 'x' }, policyVersion: 'default' },
  { attr: { team: 'x' }, scope: '.' },
  { attr: { team: 'y' }, scope: '.a' },
];

/** Mostly such policies as have a decide function: at the root, with denials for everyone, alone in the store. */
function atRoot(random: Random, documents: readonly Document[]): readonly Document[] {
  const isAlone = random.chance(0.7);
  return documents.flatMap((document): Document[] => {
    const { resourcePolicy } = document;
    if (resourcePolicy === undefined)
      return isAlone && (document.principalPolicy ?? document.rolePolicy) !== undefined ? [] : [document];
    const { scope = '', rules = [] } = resourcePolicy;
    if (isAlone && scope !== '') return [];
    return [
      {
        ...document,
        resourcePolicy: { ...resourcePolicy, rules: random.chance(0.8) ? rules.map(forEveryone) : rules },
      },
    ];
  });
}

function forEveryone(rule: ResourceRule): ResourceRule {
  if (rule.effect !== 'EFFECT_DENY') return rule;
  const { derivedRoles: _, ...plain } = rule;
  return { ...plain, roles: ['*'] };
}

/** Also none, and more than engines judge one by one. */
function randomRoles(random: Random, roles: readonly string[]): readonly string[] {
  if (random.chance(0.05)) return ['nobody'];
  if (random.chance(0.9)) return roles;
  return [...Array.from({ length: 9 }, (_, index) => `role-${index}`), ...roles];
}

/** A request that throws if an engine writes to it. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

function withoutDecide(bundle: CompiledBundle): CompiledBundle {
  return {
    ...bundle,
    resourcePolicies: bundle.resourcePolicies.map((policy) => ({ ...policy, decide: undefined })),
  };
}
