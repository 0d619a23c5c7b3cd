import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ALLOW, ANYONE, DENY, derivedRole, principalPolicy, resourcePolicy, rolePolicy, type Rule } from './index.js';

const owner = derivedRole({ set: 'people', name: 'owner', parentRoles: ['user'] });
const author = derivedRole({ set: 'people', name: 'author', parentRoles: ['*'] });

const rule = (name: string, more: Partial<Rule> = {}): Rule => ({
  name,
  effect: ALLOW,
  roles: 1,
  actions: ['view'],
  ...more,
});

test('a resource policy that says little is of the default version at the root', () => {
  assert.equal(resourcePolicy({ kind: 'doc' }), {
    key: 'resource.doc.vdefault',
    kind: 'doc',
    version: 'default',
    scope: '',
    overridesParent: true,
    roles: new Map(),
    roleGlobs: [],
    rules: [],
    reach: 0,
    derivedRoles: [],
    hasOutputs: false,
    readsRuntime: false,
    schemas: undefined,
    decide: undefined,
    readsPlace: undefined,
  });
});

test('reach, derived roles and outputs follow from the rules', () => {
  const view = rule('view', { roles: 2, derivedRole: owner });
  const edit = rule('edit', { roles: 4, derivedRole: author });
  const policy = (...rules: Rule[]) => resourcePolicy({ kind: 'doc', rules: [...rules, view] });
  assert.is(policy(view, edit).reach, 6);
  assert.is(policy(view, rule('all', { effect: DENY, roles: ANYONE })).reach, ANYONE);
  assert.equal(policy(view, edit).derivedRoles, [author, owner]);
  assert.not.ok(policy(view, edit).hasOutputs);
  assert.ok(policy(view, rule('tell', { output: {} })).hasOutputs);
});

test('keys name version and scope', () => {
  const at = { version: '2.0', scope: 'acme.hr' };
  assert.is(resourcePolicy({ kind: 'doc', ...at }).key, 'resource.doc.v2.0/acme.hr');
  assert.is(principalPolicy({ principal: 'alice@example.com', ...at }).key, 'principal.alice_example.com.v2.0/acme.hr');
  assert.is(rolePolicy({ role: 'clerk', ...at }).key, 'role.clerk.v2.0/acme.hr');
  assert.is(owner.key, 'derived_roles.people#owner');
});

test('outputs of a principal policy may be in any of its rules', () => {
  const tell = rule('tell', { resource: 'doc', output: {} });
  assert.ok(principalPolicy({ principal: 'a', rules: [rule('view', { resource: '*' }), tell] }).hasOutputs);
  assert.not.ok(principalPolicy({ principal: 'a' }).hasOutputs);
});

test('all policies of a kind have their properties in one order', () => {
  const names = (policy: object) => Object.keys(policy).join();
  assert.is(
    names(resourcePolicy({ schemas: {}, rules: [], scope: 'a', readsRuntime: true, kind: 'doc' })),
    names(resourcePolicy({ kind: 'doc' })),
  );
  assert.is(names(rolePolicy({ rules: [], role: 'r', parentRoles: ['p'] })), names(rolePolicy({ role: 'r' })));
});

test.run();
