import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, delegation } from '../../runtime/engine/index.js';
import {
  createFactsEngine,
  type FactsDecision,
  type FactSource,
  type FactsOptions,
  FactsUnavailableError,
} from '../../runtime/facts/index.js';
import { rounds, SEED } from '../support/effort.js';
import { factsBundle } from '../support/facts/served.js';
import { Random } from '../support/oracle/random.js';

/*
 * Roles, scopes and versions that sources say. They choose the policies, so nothing is decided while one is unknown: a role that
 * is not known neither grants nor switches off a DENY.
 */

const test = suite('roles, scopes and versions from sources');

const policy = (scope: string, rules: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  scope: "${scope}"
  rules:
${rules}`;
const POLICIES = {
  'doc.yaml': policy(
    '',
    `    - {actions: [view], effect: EFFECT_ALLOW, roles: [user]}
    - {actions: [view], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: '"banned" in P.roles'}}}
    - {actions: [edit], effect: EFFECT_ALLOW, roles: [editor], condition: {match: {expr: R.attr.owner == P.id}}}
    - {actions: ["*"], effect: EFFECT_ALLOW, roles: [admin]}
`,
  ),
  'acme.yaml': policy(
    'acme',
    '    - {actions: [view], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: R.attr.secret}}}\n',
  ),
  'other.yaml': policy('other', '    - {actions: [view], effect: EFFECT_DENY, roles: ["*"]}\n').replace(
    'version: default',
    'version: "2"',
  ),
  'root2.yaml': policy('', '    - {actions: [view], effect: EFFECT_DENY, roles: ["*"]}\n').replace(
    'version: default',
    'version: "2"',
  ),
};
const { policies } = await factsBundle(POLICIES);

const PEOPLE: { readonly [id: string]: object } = {
  ann: { groups: ['user', 'editor'] },
  bob: { groups: ['user', 'banned'] },
  eve: { groups: ['admin'] },
};
const people = (load: FactSource['load'] = async () => PEOPLE, more: Partial<FactSource> = {}): FactSource => ({
  of: 'principal',
  name: 'people',
  provides: [],
  selects: { roles: 'groups' },
  load,
  ...more,
});
const engineOf = (sources: readonly FactSource[], more: Partial<FactsOptions> = {}) =>
  createFactsEngine(policies, { sources, ...more });
const asked = (id: string, action: string, roles: readonly string[] = [], resource: object = {}) =>
  ({ principal: { id, roles }, resource: { kind: 'doc', id: '1', ...resource }, action }) as never;
const outcome = (decision: FactsDecision): string =>
  decision.allowed
    ? 'allow'
    : decision.why === 'policy'
      ? 'deny'
      : decision.unknown.map(({ fact, reason }) => `${fact} ${reason}`).join();

test('the roles of a source replace those that callers send, unless these are to be used', async () => {
  const authz = engineOf([people()]);
  for (const [id, action, roles, expected] of [
    ['ann', 'view', [], 'allow'],
    ['ann', 'view', ['banned'], 'allow'],
    ['ann', 'edit', ['admin'], 'deny'],
    ['bob', 'view', ['user'], 'deny'],
    ['bob', 'view', ['admin'], 'deny'],
    ['eve', 'edit', ['user'], 'allow'],
    ['nobody', 'view', ['admin'], 'principal.roles not found'],
  ] as const)
    assert.is(outcome(await authz.decide(asked(id, action, roles))), expected, `${id} ${action}`);
  const { facts } = await authz.decide(asked('ann', 'view'));
  assert.equal(
    facts.map(({ fact, from }) => `${fact} ${from}`),
    ['principal.roles people'],
  );
  const using = engineOf([people(undefined, { caller: 'use' })]);
  assert.is(outcome(await using.decide(asked('bob', 'view', ['user']))), 'allow');
  assert.is(outcome(await using.decide(asked('bob', 'view', []))), 'deny');
});

/** What a source can return for the row of `bob`, who is banned. */
const ROWS: { readonly [name: string]: () => unknown } = {
  throws: () => {
    throw new Error('away');
  },
  rejects: () => Promise.reject(new Error('away')),
  never: () => new Promise(() => {}),
  'no row': () => ({}),
  null: () => ({ bob: null }),
  'no property': () => ({ bob: { level: 1 } }),
  undefined: () => ({ bob: { groups: undefined } }),
  'null roles': () => ({ bob: { groups: null } }),
  'an empty list': () => ({ bob: { groups: [] } }),
  'a list with a hole': () => ({ bob: { groups: ['user', null] } }),
  'an empty role': () => ({ bob: { groups: ['user', ''] } }),
  numbers: () => ({ bob: { groups: [1] } }),
  'a string': () => ({ bob: { groups: 'user' } }),
  'a sparse list': () => ({ bob: { groups: Object.assign([], { 1: 'user' }) } }),
  'a lone surrogate': () => ({ bob: { groups: ['user', '\ud800'] } }),
  'a getter': () => ({
    bob: Object.defineProperty({}, 'groups', { get: () => ['user'], enumerable: true }),
  }),
  'an object': () => ({ bob: { groups: { user: true } } }),
  'two rows': () => [
    { id: 'bob', groups: ['user'] },
    { id: 'bob', groups: ['user', 'banned'] },
  ],
  'the row of another': () => ({ bob: { id: 'ann', groups: ['user'] } }),
  'rows of others': () => ({ ann: { groups: ['user'] } }),
  'a list without keys': () => [{ groups: ['user'] }],
  'too much': () => ({ bob: { groups: Array.from({ length: 70_000 }, () => 'user') } }),
  'inherited roles': () => ({ bob: Object.create({ groups: ['user'] }) }),
};

for (const notFound of ['unknown', 'absent'] as const)
  test(`whatever a source does, an unknown role grants nothing and switches off no DENY (${notFound})`, async () => {
    for (const [name, rows] of Object.entries(ROWS)) {
      const authz = engineOf([people(async () => rows() as never, { notFound })], {
        deadline: name === 'never' ? 20 : 60_000,
      });
      for (const roles of [[], ['user'], ['admin']]) {
        const decision = await authz.decide(asked('bob', 'view', roles));
        assert.match(outcome(decision), /^principal\.roles [a-z ]+$/, `${name}, sent ${roles.join()}`);
      }
      if (name === 'never') continue;
      const me = authz.for({ id: 'bob', roles: ['admin'] });
      await me.can('view', { kind: 'doc', id: '1' }).then(
        () => assert.unreachable(),
        (error: unknown) => assert.instance(error, FactsUnavailableError),
      );
      await authz
        .principal({ id: 'bob', roles: ['admin'] } as never, { kinds: ['doc'], actions: ['view'] } as never)
        .then(
          () => assert.unreachable(),
          (error: unknown) => assert.instance(error, FactsUnavailableError),
        );
    }
  });

const DOCS: { readonly [id: string]: object } = {
  '1': { tenant: 'acme', secret: true, owner: 'ann', policies: 'default' },
  '2': { tenant: '', secret: true, owner: 'ann', policies: 'default' },
  '3': { tenant: 'other', secret: false, owner: 'ann', policies: '2' },
  '4': { secret: false, owner: 'ann' },
};
const docs = (more: Partial<FactSource> = {}): FactSource => ({
  of: 'doc',
  name: 'docs',
  provides: ['secret', 'owner'],
  types: { secret: 'boolean', owner: 'string' },
  selects: { scope: 'tenant', policyVersion: 'policies' },
  load: async () => DOCS,
  ...more,
});

test('the scope and the version of a row choose its policies, whatever callers send', async () => {
  const calls: string[] = [];
  const counted = docs({
    load: async (ids) => {
      calls.push([...ids].join());
      return DOCS;
    },
  });
  const authz = engineOf([people(), counted]);
  const many = await authz.decideMany({
    principal: { id: 'ann', roles: [] },
    resources: ['1', '2', '3', '4', '5'].map((id) => ({ kind: 'doc', id, scope: 'elsewhere' })),
    actions: ['view', 'edit'],
  } as never);
  const lacking = (reason: string): string => `resource.scope ${reason},resource.policyVersion ${reason}`;
  assert.equal(
    [...many.values()].map((actions) => [...actions.values()].map(outcome).join(' | ')),
    [
      'deny | allow',
      'allow | allow',
      'deny | deny',
      `${lacking('type')} | ${lacking('type')}`,
      `${lacking('not found')} | ${lacking('not found')}`,
    ],
  );
  // Rows that say the scope have the facts as well.
  assert.equal(calls, ['1,2,3,4,5']);
  const { facts } = await authz.decide(asked('ann', 'view', [], { id: '1' }));
  assert.equal(facts.map(({ fact }) => fact).sort(), [
    'principal.roles',
    'resource.attr.owner',
    'resource.attr.secret',
    'resource.policyVersion',
    'resource.scope',
  ]);
});

test('what callers change while roles are fetched is not seen', async () => {
  const attr = { secret: false, owner: 'bob' };
  const request = {
    principal: { id: 'ann', roles: ['user'], attr: {} },
    resource: { kind: 'doc', id: '1', attr },
    action: 'edit',
  };
  const own = people(async () => {
    Object.assign(request.principal, { id: 'eve', roles: ['admin'] });
    Object.assign(request.resource, { id: '2' });
    attr.owner = 'ann';
    return PEOPLE;
  });
  const authz = engineOf([own], { engine: {} });
  assert.is(outcome(await authz.decide(request as never)), 'deny');
  assert.is(outcome(await authz.decide(request as never)), 'allow');
});

test('actors have roles of their own', async () => {
  const authz = engineOf([people()], { engine: { use: [delegation()] } });
  const decide = async (id: string, ...actors: readonly string[]): Promise<string> => {
    const principal = { id, roles: ['admin'], actors: actors.map((actor) => ({ id: actor, roles: ['admin'] })) };
    return outcome(await authz.decide({ principal, resource: { kind: 'doc', id: '1' }, action: 'view' } as never));
  };
  assert.is(await decide('ann', 'eve'), 'allow');
  assert.is(await decide('ann', 'bob'), 'deny');
  assert.is(await decide('ann', 'eve', 'nobody'), 'principal.actors[1].roles not found');
});

test('roles are fetched once: for many resources, in a session, and from a cache without a promise', async () => {
  let calls = 0;
  const counted = (more: Partial<FactSource> = {}): FactSource =>
    people(async () => {
      calls += 1;
      return PEOPLE;
    }, more);
  const resources = Array.from({ length: 30 }, (_, index) => ({ kind: 'doc', id: String(index) }));
  const authz = engineOf([counted()]);
  await authz.decideMany({ principal: { id: 'ann', roles: [] }, resources, actions: ['view', 'edit'] } as never);
  assert.is(calls, 1);
  assert.is(authz.decideNow(asked('ann', 'view')), undefined);
  const me = authz.for({ id: 'ann', roles: [] });
  assert.equal(
    await Promise.all(resources.map((resource) => me.can('view', resource))),
    resources.map(() => true),
  );
  assert.is(await me.can('view', { kind: 'doc', id: '99' }), true);
  assert.is(calls, 2);
  const cached = engineOf([counted({ cache: { maxAge: 600_000 } })]);
  assert.is(cached.decideNow(asked('ann', 'view')), undefined);
  await cached.decide(asked('ann', 'view'));
  assert.is(outcome(cached.decideNow(asked('ann', 'view')) as FactsDecision), 'allow');
  assert.is(outcome(cached.decideNow(asked('ann', 'print')) as FactsDecision), 'deny');
  assert.is(calls, 3);
  await cached.decide(asked('ann', 'view'), { fresh: ['principal.roles'] });
  assert.is(calls, 4);
  // Rows of a cache are of another time.
  const strict = engineOf([counted({ cache: { maxAge: 600_000 } })], { maxSkew: 0 });
  assert.is(outcome(await strict.decide(asked('ann', 'view'))), 'allow');
});

test('a principal for a plan has the roles of its source; kinds whose rows say their scope have no plan', async () => {
  const authz = engineOf([people(), docs()], {});
  const { roles } = await engineOf([people()]).principal(
    { id: 'bob', roles: ['admin'] } as never,
    {
      kinds: ['doc'],
      actions: ['view'],
    } as never,
  );
  assert.equal(roles, ['user', 'banned']);
  await authz.principal({ id: 'bob', roles: [] } as never, { kinds: ['doc'], actions: ['view'] } as never).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /cannot be planned: a source sets the scope/),
  );
  await authz.decide(asked('ann', 'view'), { tx: {}, lock: 'update' }).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /cannot be locked if a source sets its scope/),
  );
});

test('sources that cannot say which policies decide are refused', () => {
  for (const [sources, message] of [
    [[docs({ selects: { roles: 'groups' } })], /or `selects\.roles` for principals/],
    [[people(undefined, { selects: { id: 'x' } as never })], /must be `selects\.scope` or `selects\.policyVersion`/],
    [[people(undefined, { selects: { roles: '' } })], /must name an attribute/],
    [[people(undefined, { when: { scope: 'acme' } })], /`when` contradicts `selects`/],
    [[people(undefined, { key: { fact: 'principal.attr.mail' } })], /found by their id/],
    [[people(), people()], /`roles` has two sources/],
    [[people(undefined, { selects: {} })], /at least one attribute/],
  ] as const)
    assert.throws(() => engineOf(sources as readonly FactSource[]), message);
});

test('random rows and faults: nothing is allowed that an engine with the true roles and scopes denies', async () => {
  const engine = createEngine(policies);
  const counts = { allowed: 0, denied: 0, unknown: 0 };
  const most = rounds(20_000, 600);
  for (let seed = SEED; seed < SEED + most; seed += 1) {
    const random = new Random(seed);
    const roles = ['user', 'editor', 'banned', 'admin', 'other'].filter(() => random.chance(0.4));
    const truth = {
      principal: { id: 'ann', roles: roles.length === 0 ? ['other'] : roles },
      resource: {
        kind: 'doc',
        id: '1',
        scope: random.pick(['', 'acme', 'other', 'none']),
        policyVersion: random.pick(['default', '2']),
        attr: { secret: random.chance(0.5), owner: random.pick(['ann', 'bob']) },
      },
      action: random.pick(['view', 'edit', 'print']),
    };
    const whole = { id: 'ann', groups: truth.principal.roles };
    const row = {
      id: '1',
      tenant: truth.resource.scope,
      policies: truth.resource.policyVersion,
      ...truth.resource.attr,
    };
    const rows = (own: object): unknown => {
      if (random.chance(0.6)) return [own];
      const broken = Object.fromEntries(
        Object.entries(own).map(([name, value]) =>
          name === 'id' || random.chance(0.5)
            ? [name, value]
            : [name, random.pick([undefined, null, [], [''], 1, {}, ['x', null]])],
        ),
      );
      return random.pick([[], [own, own], [broken], { ann: null }, 'x', [{ ...broken, id: 'x' }]]);
    };
    const authz = engineOf([
      people(async () => rows(whole) as never, { nulls: random.pick([undefined, 'null', 'absent']) }),
      docs({ load: async () => rows(row) as never, notFound: random.pick(['unknown', 'absent']) }),
    ]);
    const sent = {
      principal: { id: 'ann', roles: random.pick([[], ['admin'], ['user']]) },
      resource: { kind: 'doc', id: '1', scope: random.pick(['', 'acme']), policyVersion: random.pick(['', 'default']) },
      action: truth.action,
    };
    const decision = await authz.decide(sent as never);
    const isAllowed = engine.isAllowed(truth as never);
    if ('why' in decision && decision.why === 'unknown') counts.unknown += 1;
    else {
      counts[decision.allowed ? 'allowed' : 'denied'] += 1;
      const used = decision.facts.map(({ fact }) => fact);
      assert.ok(used.includes('principal.roles') && used.includes('resource.scope'), `seed ${seed}`);
      if (decision.allowed && !isAllowed)
        assert.unreachable(`seed ${seed}: ${JSON.stringify({ truth, sent, decision })}`);
    }
  }
  assert.ok(
    counts.allowed > most / 50 && counts.denied > most / 50 && counts.unknown > most / 20,
    JSON.stringify(counts),
  );
});

test.run();
