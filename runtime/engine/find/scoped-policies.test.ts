import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, ask, doc, principal, rules } from '../../../tests/support/policies.js';
import { principalJudge } from '../decide/principals.js';
import { createEngine } from '../engine.js';
import { loadedByScope, type PoliciesOfScope } from './scoped-policies.js';

const VIEW = rules({ view: [allow('all')] });

/** A bundle of tenants with a policy each, and what it has made so far. */
const tenants = (count: number, more: Partial<PoliciesOfScope> = {}) => {
  const made: string[] = [];
  const scopes = Array.from({ length: count }, (_, index) => `t${index}`).flatMap((tenant) => [tenant, `${tenant}.hr`]);
  const root = { hash: '', resourcePolicies: [doc(VIEW)], principalPolicies: [], rolePolicies: [], principalJudge };
  const bundle = loadedByScope(
    root,
    scopes.map((scope) => ({
      scope,
      listsResources: true,
      hasRoles: false,
      principals: [],
      load: () => {
        made.push(scope);
        return {
          resourcePolicies: [doc(VIEW, { scope })],
          principalPolicies: (more.principals ?? []).map((id) => principal(id, [allow('own')], { scope })),
          rolePolicies: [],
        };
      },
      ...more,
    })),
  );
  return { bundle, made };
};

const at = (scope: string, id = 'alice') => ({
  principal: { id, roles: ['user'], scope },
  resource: { kind: 'doc', id: '1', scope },
  action: 'view',
});

test('a request makes the policies of its scope and the ancestors, once for all engines', () => {
  for (const count of [3, 3_000]) {
    const { bundle, made } = tenants(count);
    const engines = [createEngine(bundle), createEngine(bundle, { lenientScopeSearch: true })];
    assert.equal(made, []);
    for (const engine of engines) assert.is(engine.isAllowed(at('t1.hr')), true);
    assert.equal(made.sort(), ['t1', 't1.hr']);
    for (const engine of engines) assert.is(engine.isAllowed(at('t1')), true);
    assert.is(made.length, 2);
  }
});

test('a scope without policies makes none, unless its ancestors count', () => {
  const { bundle, made } = tenants(3);
  const strict = createEngine(bundle);
  assert.equal(
    ['x', 't1.x', 't1.hr.x', ''].map((scope) => strict.isAllowed(at(scope))),
    [false, false, false, true],
  );
  assert.equal(made, []);
  const lenient = createEngine(bundle, { lenientScopeSearch: true });
  assert.equal(
    ['x', 't1.x', ''].map((scope) => lenient.isAllowed(at(scope))),
    [true, true, true],
  );
  assert.equal(made, ['t1']);
});

test('a principal with policies at a scope is known before the scope is loaded', () => {
  const { bundle, made } = tenants(2, { principals: ['alice'] });
  const engine = createEngine(bundle);
  const alice = engine.for(at('t0').principal);
  const bob = engine.for(at('t0', 'bob').principal);
  assert.equal(
    [alice, bob].map((one) => one.can('view', at('t0').resource)),
    [true, true],
  );
  assert.equal(made, ['t0']);
  const { principal: asked, resource } = at('t0');
  assert.is(
    ask(engine, ['view'], { principal: asked, resource }).actions[0]?.matchedPolicy,
    'principal.alice.vdefault/t0',
  );
});

test('a scope whose policies cannot be made is denied every time, and so is what is below it', () => {
  const { bundle } = tenants(1);
  const broken = tenants(1, {
    load: () => {
      throw new Error('cannot be made');
    },
  });
  for (const lenientScopeSearch of [false, true]) {
    const engine = createEngine(broken.bundle, { lenientScopeSearch });
    for (let times = 0; times < 3; times += 1) {
      for (const scope of ['t0', 't0.hr']) {
        const { principal: asked, resource } = at(scope);
        assert.is(engine.isAllowed(at(scope)), false);
        assert.is(engine.for(asked).can('view', resource), false);
        assert.throws(() => ask(engine, ['view'], { principal: asked, resource }), /cannot be made/);
      }
      assert.is(engine.isAllowed(at('')), true);
    }
  }
  assert.is(createEngine(bundle).isAllowed(at('t0.hr')), true);
});

test('the parts that the policies of scopes need are required at once', () => {
  const { bundle } = tenants(1, { hasRoles: true });
  assert.throws(() => createEngine(bundle), /compiled by another authzc/);
});

test.run();
