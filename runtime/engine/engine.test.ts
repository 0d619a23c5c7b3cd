import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Request, TracedCondition } from '../policy/index.js';
import { allow, ask, decide, deny, doc, engineOf, principal, rules, USER } from '../../tests/support/policies.js';
import { delegation } from './actors.js';
import { resolveSettings } from './options.js';

const violations = (attributes: {
  readonly n?: unknown;
}): readonly { readonly path: string; readonly message: string }[] =>
  typeof attributes.n === 'number' ? [] : [{ path: '/n', message: 'expected number' }];
const schemas = { resource: { ref: 'authz:///doc.json', ignores: (action: string) => action === 'free', violations } };
const withSchema = {
  resourcePolicies: [
    doc(rules({ view: [allow('all')], free: [allow('all')] }), { schemas }),
    doc(rules({}), { kind: 'other', scope: 'acme' }),
  ],
};

test('a schema violation denies every action with reject and is only reported with warn (10.4)', () => {
  const rejecting = engineOf(
    { ...withSchema, principalPolicies: [principal('alice', [allow('all')])] },
    { schemaEnforcement: 'reject' },
  );
  const result = ask(rejecting, ['view', 'free']);
  assert.equal(
    result.actions.map(({ effect, matchedPolicy }) => [effect, matchedPolicy]),
    [
      [2, 'resource.doc.vdefault'],
      [2, 'resource.doc.vdefault'],
    ],
  );
  assert.equal(result.validationErrors, [{ path: '/n', message: 'expected number', source: 'SOURCE_RESOURCE' }]);
  assert.is(decide(rejecting, 'free'), 'ALLOW principal.alice.vdefault');

  const warning = ask(engineOf(withSchema, { schemaEnforcement: 'warn' }), ['view']);
  assert.equal([warning.actions[0]?.effect, warning.validationErrors.length], [1, 1]);
  assert.equal(ask(engineOf(withSchema), ['view']).validationErrors, []);
});

test('no schema applies when the first listed scope has no policy (10.3)', () => {
  assert.is(
    decide(engineOf(withSchema, { schemaEnforcement: 'reject' }), 'view', { resource: { scope: 'acme' } }),
    'ALLOW resource.doc.vdefault/acme',
  );
});

test('the default scope is used for requests without one, and a dot is the root', () => {
  const engine = engineOf(
    {
      resourcePolicies: [doc(rules({ view: [allow('all')] })), doc(rules({ view: [deny('all')] }), { scope: 'acme' })],
    },
    { defaultScope: '.acme' },
  );
  assert.is(decide(engine, 'view'), 'DENY resource.doc.vdefault/acme acme');
  assert.is(decide(engine, 'view', { resource: { scope: '.' } }), 'ALLOW resource.doc.vdefault');
});

test('lenient search skips scopes without policies', () => {
  const engine = engineOf({ resourcePolicies: [doc(rules({ view: [allow('all')] }))] }, { lenientScopeSearch: true });
  assert.is(decide(engine, 'view', { resource: { scope: 'a.b.c' } }), 'ALLOW resource.doc.vdefault');
  assert.is(decide(engine, 'view', { resource: { scope: `a${'.a'.repeat(200_000)}` } }), 'ALLOW resource.doc.vdefault');
});

const holds = (value: boolean | string): ReadonlyMap<string, TracedCondition> =>
  new Map([['resource.doc.vdefault#maybe', () => value]]);

test('strict evaluation denies where a visited condition fails, and names the policy of the rule (8.9)', () => {
  const policies = {
    resourcePolicies: [
      doc(rules({ view: [allow('all'), allow('maybe', { roles: USER, when: () => false })] })),
      doc(rules({}), { scope: 'acme' }),
    ],
  };
  const strict = engineOf(policies, { strictEvaluation: true, traced: { conditions: holds('no such key: x') } });
  assert.is(decide(strict, 'view', { resource: { scope: 'acme' } }), 'DENY resource.doc.vdefault');
  assert.is(decide(strict, 'view', { roles: ['guest', 'user'] }), 'ALLOW resource.doc.vdefault');
  assert.is(decide(strict, 'view', { roles: ['user', 'guest'] }), 'DENY resource.doc.vdefault');
  assert.is(
    decide(engineOf(policies, { strictEvaluation: true, traced: { conditions: holds(false) } }), 'view'),
    'ALLOW resource.doc.vdefault',
  );
  assert.is(decide(engineOf(policies), 'view'), 'ALLOW resource.doc.vdefault');
});

test('strict evaluation without traced conditions is rejected', () => {
  assert.throws(() => engineOf({}, { strictEvaluation: true }), /traced/);
});

test('the clock is read at most once per call', () => {
  let asked = 0;
  const clock = (): { seconds: number; nanos: number; offset: number } => ({ seconds: ++asked, nanos: 0, offset: 0 });
  const engine = engineOf(
    {
      resourcePolicies: [
        doc(
          rules({
            view: [allow('now', { when: (request) => request.now.seconds === asked })],
            look: [allow('again', { when: (request) => request.now.seconds === asked })],
            edit: [allow('all')],
          }),
        ),
      ],
    },
    { clock },
  );
  ask(engine, ['edit']);
  assert.is(asked, 0);
  assert.equal(
    ask(engine, ['view', 'look']).actions.map(({ effect }) => effect),
    [1, 1],
  );
  assert.is(asked, 1);
});

test('conditions see the values of the request, not the defaults', () => {
  const seen: unknown[] = [];
  const look = allow('look', {
    when: ({ principal: P, resource: R, auxData, globals }) => {
      seen.push([P.scope, P.policyVersion, R.scope, R.policyVersion, P.attr, auxData.jwt, auxData.jwts, globals.g]);
      return true;
    },
  });
  const engine = engineOf({ resourcePolicies: [doc(rules({ view: [look] }))] }, { globals: { g: 1n } });
  ask(engine, ['view'], { resource: { scope: '.' } });
  assert.equal(seen, [['', '', '', '', {}, {}, {}, 1n]]);
});

test('the default clock is the time of the system, its milliseconds as nanoseconds', () => {
  const { clock } = resolveSettings({});
  const { now } = Date;
  try {
    for (const [milliseconds, seconds, nanos] of [
      [1_700_000_000_123, 1_700_000_000, 123_000_000],
      [1_700_000_000_000, 1_700_000_000, 0],
      [1_700_000_000_999, 1_700_000_000, 999_000_000],
      [-1, -1, 999_000_000],
    ] as const) {
      Date.now = () => milliseconds;
      assert.equal({ ...clock() }, { seconds, nanos, offset: -new Date(milliseconds).getTimezoneOffset() });
    }
  } finally {
    Date.now = now;
  }
});

const decides = doc(rules({ view: [allow('users', { roles: USER })] }), {
  decide: (roles, action, { resource, principal, auxData, now }) =>
    (roles & USER) !== 0 &&
    (action === 'view' ||
      (action === 'own' && resource.attr.owner === principal.id) ||
      (action === 'claimed' && auxData.jwt.sub === principal.id) ||
      (action === 'late' && now.seconds > 1)),
});
const resource = { kind: 'doc', id: 'd' };

test('a prepared principal asks about its own roles, attributes and tokens', () => {
  const engine = engineOf({ resourcePolicies: [decides] });
  const roles = ['user'];
  const alice = engine.for({ id: 'alice', roles }, { auxData: { jwt: { sub: 'alice' } } });
  const bob = engine.for({ id: 'bob', roles: ['guest'] });
  roles.pop();
  assert.ok(alice.can('view', resource));
  assert.not.ok(bob.can('view', resource));
  assert.ok(alice.can('own', { ...resource, attr: { owner: 'alice' } }));
  assert.not.ok(alice.can('own', resource));
  assert.ok(alice.can('claimed', resource));
  assert.not.ok(engine.for({ id: 'alice', roles: ['user'] }).can('claimed', resource));
  assert.not.ok(alice.can('view', { kind: 'other', id: 'd' }));
  assert.not.ok(alice.can('view', { ...resource, scope: 'acme' }));
});

test('lists of names are refused that servers refuse: with other values, empty, or with a name that is empty or repeated', () => {
  const many = Array.from({ length: 100 }, (_, index) => `role-${index}`);
  const lists: readonly (readonly [unknown, string])[] = [
    [undefined, ' is not an array'],
    ['user', ' is not an array'],
    [['user', undefined], '[1] is not a string'],
    // biome-ignore lint/suspicious/noSparseArray: its item is undefined, and nothing iterates over it.
    [[, 'user'], '[0] is not a string'],
    [[], ' is empty'],
    [['user', ''], '[1] is empty'],
    [['user', 'user'], '[1] is not unique'],
    [['a', 'user', 'b', 'user'], '[3] is not unique'],
    [[...many, 'user', 'role-0'], '[101] is not unique'],
  ];
  const engine = engineOf({ resourcePolicies: [decides] }, { traced: { conditions: new Map() }, use: [delegation()] });
  const refuses = (ask: () => unknown, message: string): void =>
    assert.throws(ask, (error: Error) => error instanceof TypeError && error.message === message, message);
  for (const [list, problem] of lists) {
    const roles = list as readonly string[];
    const user = { id: 'alice', roles: ['user'] };
    for (const [principal, path] of [
      [{ id: 'alice', roles }, 'principal.roles'],
      [{ ...user, scope: 'acme', roles }, 'principal.roles'],
      [{ ...user, actors: [user, { id: 'agent', roles }] }, 'principal.actors[1].roles'],
    ] as const) {
      const check = { principal, resources: [{ resource, actions: ['view'] }] };
      const plan = { principal, resource: { kind: 'doc' }, actions: ['view'] };
      refuses(() => engine.for(principal), `${path}${problem}`);
      refuses(() => engine.isAllowed({ principal, resource, action: 'view' }), `${path}${problem}`);
      for (const ask of [() => engine.check(check), () => engine.explain(check)]) refuses(ask, `${path}${problem}`);
      for (const ask of [() => engine.plan(plan), () => engine.explain(plan)]) refuses(ask, `${path}${problem}`);
    }
    const entries = [
      { resource, actions: ['view'] },
      { resource, actions: roles },
    ];
    refuses(() => engine.check({ principal: user, resources: entries }), `resources[1].actions${problem}`);
    refuses(() => engine.plan({ principal: user, resource, actions: roles }), `actions${problem}`);
  }
  refuses(() => engine.check({ principal: { id: 'alice', roles: ['user'] }, resources: [] }), 'resources is empty');
  assert.ok(engine.isAllowed({ principal: { id: 'alice', roles: [...many, 'user'] }, resource, action: 'view' }));
});

test('a prepared principal keeps its tokens, whatever decides', () => {
  const given = { id: 'alice', roles: ['user'] };
  const auxData = { jwt: { sub: 'alice' } };
  const when = ({ auxData: { jwt } }: Request): boolean => jwt.sub === 'alice';
  const byRules = doc(rules({ claimed: [allow('claims', { when })] }));
  for (const policy of [decides, byRules]) {
    const alice = engineOf({ resourcePolicies: [policy] }).for(given, { auxData });
    auxData.jwt = { sub: 'bob' };
    assert.ok(alice.can('claimed', resource));
    auxData.jwt = { sub: 'alice' };
  }
});

test('a prepared principal may have accessors', () => {
  class Employee {
    get id(): string {
      return 'alice';
    }
    get roles(): readonly string[] {
      return ['user'];
    }
  }
  const principalPolicies = [principal('alice', [deny('all')])];
  const employee = new Employee();
  const own = { ...resource, attr: { owner: 'alice' } };
  assert.ok(
    engineOf({ resourcePolicies: [decides] })
      .for(employee)
      .can('own', own),
  );
  assert.not.ok(
    engineOf({ resourcePolicies: [decides], principalPolicies })
      .for(employee)
      .can('view', resource),
  );
});

test('each decision of a prepared principal has its own time', () => {
  let seconds = 0;
  const clock = () => ({ seconds: ++seconds, nanos: 0, offset: 0 });
  const alice = engineOf({ resourcePolicies: [decides] }, { clock }).for({ id: 'alice', roles: ['user'] });
  assert.equal([alice.can('late', resource), alice.can('late', resource)], [false, true]);
});

test('the claims of one call are not seen by the next', () => {
  const engine = engineOf({ resourcePolicies: [decides] });
  const request = { principal: { id: 'alice', roles: ['user'] }, resource, action: 'claimed' };
  assert.ok(engine.isAllowed({ ...request, auxData: { jwt: { sub: 'alice' } } }));
  assert.not.ok(engine.isAllowed(request));
});

test('a prepared principal with policies of its own, and one whose schema is violated, is decided by the rules', () => {
  const principalPolicies = [principal('alice', [deny('all')])];
  const engine = engineOf({ resourcePolicies: [decides], principalPolicies });
  assert.not.ok(engine.for({ id: 'alice', roles: ['user'] }).can('view', resource));
  assert.ok(engine.for({ id: 'bob', roles: ['user'] }).can('view', resource));
  const rejecting = engineOf({ resourcePolicies: [{ ...decides, schemas }] }, { schemaEnforcement: 'reject' });
  const alice = rejecting.for({ id: 'alice', roles: ['user'] });
  assert.not.ok(alice.can('view', resource));
  assert.ok(alice.can('view', { ...resource, attr: { n: 1 } }));
});

test('an exception in a decide function denies', () => {
  const fails = doc(rules({}), {
    decide: () => {
      throw new Error('bug');
    },
  });
  const engine = engineOf({ resourcePolicies: [fails] });
  const request = { principal: { id: 'alice', roles: ['user'] }, resource, action: 'view' };
  assert.not.ok(engine.isAllowed(request));
  assert.not.ok(engine.for(request.principal).can('view', resource));
  assert.is(decide(engine, 'view'), 'DENY resource.doc.vdefault');
});

test.run();
