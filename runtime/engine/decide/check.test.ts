import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  A_GLOB,
  ADMIN,
  allow,
  ask,
  decide,
  deny,
  doc,
  engineOf,
  principal,
  role,
  rules,
  USER,
} from '../../../tests/support/policies.js';
import { PolicyEngine } from '../engine.js';
import { resolveSettings } from '../options.js';

const DOC = 'resource.doc.vdefault';

test('a DENY overrides every ALLOW of the same role, in any order', () => {
  const engine = engineOf({
    resourcePolicies: [doc(rules({ view: [deny('no'), allow('yes')], edit: [allow('yes'), deny('no')] }))],
  });
  assert.is(decide(engine, 'view'), `DENY ${DOC}`);
  assert.is(decide(engine, 'edit'), `DENY ${DOC}`);
});

test('roles are evaluated separately: the ALLOW of one stands despite the DENY of another', () => {
  const engine = engineOf({
    resourcePolicies: [doc(rules({ view: [deny('no', { roles: USER }), allow('yes', { roles: ADMIN })] }))],
  });
  assert.is(decide(engine, 'view', { roles: ['user'] }), `DENY ${DOC}`);
  assert.is(decide(engine, 'view', { roles: ['user', 'admin'] }), `ALLOW ${DOC}`);
  assert.is(decide(engine, 'view', { roles: ['admin', 'user'] }), `ALLOW ${DOC}`);
});

test('a role that no rule names is matched by globs and by `*`', () => {
  const engine = engineOf({
    resourcePolicies: [doc(rules({ view: [allow('globbed', { roles: A_GLOB })], edit: [allow('all')] }))],
  });
  assert.is(decide(engine, 'view', { roles: ['auditor'] }), `ALLOW ${DOC}`);
  assert.is(decide(engine, 'view', { roles: ['stranger'] }), `DENY ${DOC}`);
  for (const name of ['stranger', '__proto__', 'constructor', '*'])
    assert.is(decide(engine, 'edit', { roles: [name] }), `ALLOW ${DOC}`);
});

test('without roles everything is denied, as where a tenant gives none', () => {
  const policies = {
    resourcePolicies: [doc(rules({ view: [allow('all')] }))],
    principalPolicies: [principal('alice', [allow('all')])],
  };
  const { bundle } = engineOf(policies) as PolicyEngine;
  const engine = new PolicyEngine(bundle, resolveSettings({}), undefined, undefined, true);
  assert.is(decide(engine, 'view', { roles: [] }), `DENY ${DOC}`);
  assert.not.ok(
    engine.isAllowed({ principal: { id: 'alice', roles: [] }, resource: { kind: 'doc', id: 'd' }, action: 'view' }),
  );
});

test('an action that no rule names is matched only by globs', () => {
  const engine = engineOf({
    resourcePolicies: [
      doc([
        allow('some', { actions: ['write', (action) => action.startsWith('v')] }),
        allow('one', { actions: ['list'] }),
        deny('none', { actions: ['view', 'list'] }),
      ]),
    ],
  });
  assert.is(decide(engine, 'vote'), `ALLOW ${DOC}`);
  assert.is(decide(engine, 'write'), `ALLOW ${DOC}`);
  assert.is(decide(engine, 'view'), `DENY ${DOC}`);
  assert.is(decide(engine, 'list'), `DENY ${DOC}`);
  assert.is(decide(engine, '__proto__'), `DENY ${DOC}`);
});

test('roles that share bits are distinguished by name', () => {
  const engine = engineOf({
    resourcePolicies: [
      doc(rules({ view: [allow('some', { roles: USER, among: (name) => name === 'user' })] }), {
        roles: new Map([
          ['user', USER],
          ['guest', USER],
        ]),
      }),
    ],
  });
  assert.is(decide(engine, 'view', { roles: ['guest'] }), `DENY ${DOC}`);
  assert.is(decide(engine, 'view', { roles: ['guest', 'user'] }), `ALLOW ${DOC}`);
});

const scoped = engineOf({
  resourcePolicies: [
    doc(
      rules({
        view: [allow('view')],
        dd: [deny('dd')],
        cond: [allow('cond', { when: ({ resource: R }) => R.attr.p === true })],
      }),
    ),
    doc(
      rules({
        view: [allow('view')],
        dd: [allow('dd')],
        childonly: [allow('childonly')],
        cond: [deny('cond', { when: ({ resource: R }) => R.attr.c !== true })],
      }),
      { scope: 'acme', overridesParent: false },
    ),
    doc(rules({ dd: [allow('dd')] }), { scope: 'acme.hr' }),
  ],
});

test('an ALLOW of a consenting scope needs the consent of the parents (8.5)', () => {
  const at = (action: string, attr = {}): string => decide(scoped, action, { resource: { scope: 'acme', attr } });
  assert.is(at('view'), `ALLOW ${DOC}/acme`);
  assert.is(at('dd'), `DENY ${DOC}/acme`);
  assert.is(at('childonly'), `DENY ${DOC}/acme`);
  assert.is(at('cond', { p: true, c: true }), `ALLOW ${DOC}/acme`);
  assert.is(at('cond', { p: false, c: true }), `DENY ${DOC}/acme`);
  assert.is(at('cond', { p: true }), `DENY ${DOC}/acme acme`);
});

test('the ALLOW of a child that overrides hides the DENY of its parents', () => {
  assert.is(decide(scoped, 'dd', { resource: { scope: 'acme.hr' } }), `ALLOW ${DOC}/acme.hr acme.hr`);
  assert.is(decide(scoped, 'dd', { resource: { scope: '.acme.hr' } }), `ALLOW ${DOC}/acme.hr acme.hr`);
  assert.is(decide(scoped, 'dd', { resource: { scope: 'acme.hr.uk' } }), 'DENY NO_MATCH');
});

test('a principal policy decides before any resource policy, with the version of the resource (8.8)', () => {
  const engine = engineOf({
    resourcePolicies: [doc(rules({ x: [allow('all')] })), doc(rules({ x: [allow('all')] }), { version: 'v2' })],
    principalPolicies: [principal('alice', [deny('all')])],
  });
  const at = (mine: string, its: string): string =>
    decide(engine, 'x', { principal: { policyVersion: mine }, resource: { policyVersion: its } });
  assert.is(at('default', ''), 'DENY principal.alice.vdefault');
  assert.is(at('v2', 'default'), 'DENY NO_MATCH');
  assert.is(at('', 'v2'), 'ALLOW resource.doc.vv2');
  assert.is(at('v2', 'v2'), 'ALLOW resource.doc.vv2');
  assert.is(at('', 'v3'), 'DENY NO_MATCH');
});

test('a principal policy of another version grants nothing where no other policy exists', () => {
  const engine = engineOf({ principalPolicies: [principal('alice', [allow('all')])] });
  assert.is(decide(engine, 'x'), 'ALLOW principal.alice.vdefault');
  assert.is(decide(engine, 'x', { principal: { policyVersion: 'v9' } }), 'DENY NO_MATCH');
});

test('a role policy denies actions that it does not list, unless the cell is empty (8.6)', () => {
  const listed = { name: '', covers: (kind: string) => kind === 'foo', allows: (action: string) => action === 'view' };
  const rolePolicies = [role('user', { scope: 'acme', rules: [listed] })];
  const root = doc(rules({ view: [allow('all')] }));
  const inAcme = { resource: { scope: 'acme' } };
  assert.is(decide(engineOf({ resourcePolicies: [root], rolePolicies }), 'view', inAcme), `ALLOW ${DOC}/acme`);
  const any = doc(rules({ other: [allow('all', { roles: USER })] }), { scope: 'acme' });
  assert.is(
    decide(engineOf({ resourcePolicies: [root, any], rolePolicies }), 'view', inAcme),
    'DENY role.user.vdefault/acme acme',
  );
  const unrelated = doc(rules({ other: [allow('all', { roles: ADMIN })] }), { scope: 'acme' });
  assert.is(
    decide(engineOf({ resourcePolicies: [root, unrelated], rolePolicies }), 'view', inAcme),
    `ALLOW ${DOC}/acme`,
  );
});

test('parent roles apply only at the requested scope, by version', () => {
  const engine = engineOf({
    resourcePolicies: [doc(rules({ view: [allow('users', { roles: USER })] })), doc(rules({}), { scope: 'acme' })],
    rolePolicies: [
      role('trainee', { parentRoles: ['user'] }),
      role('trainee', { version: 'v2', parentRoles: ['admin'] }),
    ],
  });
  assert.is(decide(engine, 'view', { roles: ['trainee'] }), `ALLOW ${DOC}`);
  assert.is(decide(engine, 'view', { roles: ['trainee'], resource: { scope: 'acme' } }), `DENY ${DOC}/acme`);
});

test('an exception in a condition denies that action and no other', () => {
  const fails = (): boolean => {
    throw new Error('bug');
  };
  const engine = engineOf({
    resourcePolicies: [doc(rules({ view: [allow('bad', { when: fails })], edit: [allow('good')] }))],
  });
  assert.equal(
    ask(engine, ['view', 'edit']).actions.map(({ effect }) => effect),
    [2, 1],
  );
  assert.not.ok(
    engine.isAllowed({ principal: { id: 'a', roles: ['user'] }, resource: { kind: 'doc', id: 'd' }, action: 'view' }),
  );
});

test('kinds that sanitise to the same name are the same resource', () => {
  const engine = engineOf({ resourcePolicies: [doc(rules({ view: [allow('all')] }), { kind: 'leave_request' })] });
  for (const kind of ['leave_request', 'leave-request', 'leave@request', 'leave-request']) {
    assert.is(decide(engine, 'view', { resource: { kind } }), 'ALLOW resource.leave_request.vdefault');
  }
  assert.is(decide(engine, 'view', { resource: { kind: '1-leave-request' } }), 'DENY NO_MATCH');
});

test.run();
