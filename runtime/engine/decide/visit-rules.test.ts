import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, ask, deny, doc, engineOf, principal, role, rules, USER } from '../../../tests/support/policies.js';
import type { DerivedRole, Request } from '../../policy/index.js';

const says =
  (val: string): (() => { readonly val: string }) =>
  () => ({ val });
const both = { ruleActivated: says('met'), conditionNotMet: says('not met') };
const ofAttribute = (name: string) => (request: Request) => request.resource.attr[name] === true;

/** `action source value` of each output. */
function listOutputs(result: ReturnType<typeof ask>): readonly string[] {
  return result.outputs.map(
    (output) =>
      `${output.action} ${output.src.replace('resource.doc.vdefault', '~')} ${'val' in output ? output.val : output.error}`,
  );
}

test('a rule has one output for each row and each role that matches', () => {
  const engine = engineOf({
    resourcePolicies: [
      doc(
        rules({ view: [allow('r', { when: ofAttribute('x'), output: both, rows: (_, roles) => 2 * roles.length })] }),
      ),
    ],
  });
  assert.equal(listOutputs(ask(engine, ['view'], { roles: ['user', 'guest'] })), Array(4).fill('view ~#r not met'));
  assert.equal(
    listOutputs(ask(engine, ['view'], { roles: ['user', 'guest'], resource: { attr: { x: true } } })),
    Array(2).fill('view ~#r met'),
  );
});

test('a DENY has one output and suppresses the rules after it', () => {
  const engine = engineOf({
    resourcePolicies: [
      doc(
        rules({
          view: [
            allow('a', { output: both }),
            deny('b', { output: both, rows: () => 3 }),
            allow('c', { output: both }),
          ],
        }),
      ),
    ],
  });
  assert.equal(listOutputs(ask(engine, ['view'])), ['view ~#a met', 'view ~#b met']);
});

test('the first visit of an inactive derived role has no output, a later one has (9.2)', () => {
  const owner: DerivedRole = {
    key: 'derived_roles.x#owner',
    name: 'owner',
    when: ofAttribute('owned'),
    parentRoles: new Set(['user']),
  };
  const rule = allow('r', { derivedRole: owner, when: owner.when, output: both });
  const engine = engineOf({
    resourcePolicies: [doc(rules({ view: [rule], edit: [rule] }), { derivedRoles: [owner] })],
  });
  assert.equal(listOutputs(ask(engine, ['view', 'edit'])), ['edit ~#r not met']);
  const owned = ask(engine, ['view', 'edit'], { resource: { attr: { owned: true } } });
  assert.equal(listOutputs(owned), ['view ~#r met', 'edit ~#r met']);
  assert.equal(owned.effectiveDerivedRoles, ['owner']);
});

test('rules with equal memo share the first result of a check (8.10-D3)', () => {
  const engine = engineOf({
    resourcePolicies: [
      doc(rules({ a: [allow('r', { memo: 'm', when: ofAttribute('x') })], b: [allow('r', { memo: 'm' })] })),
    ],
  });
  assert.equal(
    ask(engine, ['a', 'b']).actions.map(({ effect }) => effect),
    [2, 2],
  );
  assert.equal(
    ask(engine, ['b', 'a']).actions.map(({ effect }) => effect),
    [1, 1],
  );
});

test("a role policy has outputs by the author's intent (9.3)", () => {
  const rule = {
    name: '',
    covers: () => true,
    allows: (action: string) => action !== 'edit',
    when: ofAttribute('x'),
    output: both,
  };
  const engine = engineOf({
    resourcePolicies: [doc(rules({ view: [allow('r')], edit: [allow('r')] }))],
    rolePolicies: [role('user', { rules: [rule], hasOutputs: true })],
  });
  assert.equal(listOutputs(ask(engine, ['view', 'edit'])), ['view role.user.vdefault# not met']);
  assert.equal(listOutputs(ask(engine, ['view'], { resource: { attr: { x: true } } })), [
    'view role.user.vdefault# met',
  ]);
});

test('a principal policy sees the derived roles that the previous action left (7.2)', () => {
  const owner: DerivedRole = {
    key: 'derived_roles.x#owner',
    name: 'owner',
    when: () => true,
    parentRoles: new Set(['user']),
  };
  const seesOwner = (request: Request): boolean => request.effectiveDerivedRoles.includes('owner');
  const denies = { ...deny('p', { when: seesOwner, actions: ['b'] }) };
  const engine = engineOf({
    resourcePolicies: [doc(rules({ a: [allow('r', { roles: USER })], b: [allow('r')] }), { derivedRoles: [owner] })],
    principalPolicies: [principal('alice', [denies], { readsRuntime: true })],
  });
  assert.equal(
    ask(engine, ['a', 'b']).actions.map(({ effect }) => effect),
    [1, 2],
  );
  assert.equal(
    ask(engine, ['b', 'a']).actions.map(({ effect }) => effect),
    [1, 1],
  );
});

test.run();
