import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createEngine,
  type Engine,
  type PrincipalInput,
  type ResourceInput,
  delegation,
  explanations,
} from '../../runtime/engine/index.js';
import { selects } from '../../runtime/residual/index.js';
import { AuthzError, inProcessClient } from '../../packages/client/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';

/** The number of random requests. */
const REQUESTS = rounds(800, 400);

/** Conditions that read a value in every way: inline, by functions, by macros, and as a whole. */
const CONDITIONS: readonly string[] = [
  'R.attr.v == "a"',
  'R.attr.v != "a"',
  'R.attr.v == P.attr.v',
  'R.attr.v != P.attr.v',
  'R.attr.v == P.id',
  'R.attr.v == true',
  'R.attr.v == null',
  'R.attr.v == 1',
  'R.attr.v < 5',
  '!(R.attr.v < 5)',
  'R.attr.v in ["a", "2020-01-01T00:00:00.000Z"]',
  '!(R.attr.v in ["a", "b"])',
  '"a" in R.attr.v',
  '!("a" in R.attr.v)',
  'P.id in R.attr.v',
  'R.attr.v in P.attr.v',
  'R.attr.v in P.roles',
  'size(R.attr.v) > 0',
  'has(R.attr.v)',
  '!has(R.attr.v)',
  'has(R.attr.v.a)',
  'R.attr.v.a == "a"',
  'R.attr.v.a != "a"',
  'R.attr.v.a.a == "a"',
  'R.attr["v"]["a"] == "a"',
  'R.attr[P.id] == "a"',
  'R.attr.v.size == 1',
  'R.attr.v.length == 1',
  'R.attr.v[0] == "a"',
  'R.attr.v.exists(x, x == "a")',
  'R.attr.v.all(x, x == "a")',
  'R.attr.v.exists(x, x.a == "a")',
  'timestamp(R.attr.v) < timestamp("2021-01-01T00:00:00Z")',
  '!(timestamp(R.attr.v) < timestamp("2021-01-01T00:00:00Z"))',
  'R.attr.v.startsWith("a")',
  'R.attr.v.matches("^[a2]")',
  'string(R.attr.v) == "a"',
  'type(R.attr.v) == string',
  'R.attr.v + R.attr.v == "aa"',
  'R.attr == {"v": "a"}',
  'size(R.attr) == 1',
  'R.attr.exists(k, k == "v")',
  'dyn(R) == dyn(P)',
  'P.attr.v == "a"',
  'P.attr.v != "a"',
  'P.attr.v.a != "a"',
  'R.attr.?v.orValue("z") == "a"',
];

/** Reads versions and scopes, so that no function decides about requests as they are given. */
const OF_PLACES = 'dyn(R) == dyn(P)';

/** Few enough that one function decides about a policy with them. */
const FEW = 4;

/** Kinds with a policy each, and their conditions: one of all, and those that a function decides about. */
const KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['doc', CONDITIONS],
  ...CONDITIONS.flatMap((_, index) => {
    const few = CONDITIONS.slice(index, index + FEW).filter((other) => other !== OF_PLACES);
    return index % FEW === 0 ? [[`given${index}`, few] as const] : [];
  }),
]);

function policy(kind: string, conditions: readonly string[]): string {
  const rules = conditions.flatMap((condition, index) => [
    `    - { actions: [allow${index}], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: ${JSON.stringify(condition)} } } }`,
    `    - { actions: [deny${index}], effect: EFFECT_ALLOW, roles: [user] }`,
    `    - { actions: [deny${index}], effect: EFFECT_DENY, roles: ["*"], condition: { match: { expr: ${JSON.stringify(condition)} } } }`,
  ]);
  return `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: ${kind}\n  version: default\n  rules:\n${rules.join('\n')}\n`;
}

class Row {
  v: unknown;
  #hidden = 'a';
  constructor(v: unknown) {
    this.v = v;
  }
  get a(): string {
    return this.#hidden;
  }
}

class Model {
  readonly stored: { readonly [name: string]: unknown };
  constructor(stored: { readonly [name: string]: unknown }) {
    this.stored = stored;
  }
  get v(): unknown {
    return this.stored['v'];
  }
  toJSON(): unknown {
    return this.stored;
  }
}

class Id {
  readonly #hex: string;
  constructor(hex: string) {
    this.#hex = hex;
  }
  toJSON(): string {
    return this.#hex;
  }
}

const cycle: { a?: unknown } = {};
cycle.a = cycle;

/** Of another realm, as applications in `vm` contexts and frames have them. */
const FOREIGN = runInNewContext('({ plain: { a: "a", b: ["a"] }, date: new Date(0), map: new Map([["a", "a"]]) })') as {
  readonly [name: string]: unknown;
};

/** A value of any kind that JavaScript has. */
function anyValue(random: Random, depth = 2): unknown {
  const inner = (): unknown => anyValue(random, depth - 1);
  if (depth > 0 && random.chance(0.4))
    return random.pick<() => unknown>([
      () => [inner()],
      () => ['a', inner(), 'b'],
      () => ({ a: inner() }),
      () => ({ a: inner(), b: undefined }),
      () => Object.assign(Object.create({ a: 'a' }), { b: inner() }),
      () => Object.assign(Object.create(null), { a: inner() }),
      () => new Map([['a', inner()]]),
      () => new Set([inner()]),
      () => new Row(inner()),
      () => new Model({ a: inner() }),
      () => {
        const value = inner();
        return { a: 'a', toJSON: () => value };
      },
      () => JSON.parse('{"__proto__": {"a": "a"}, "constructor": "a", "toJSON": "a"}'),
      () => FOREIGN.plain,
      () => new Proxy({ a: inner() }, {}),
      () => new Proxy([inner()], {}),
      () => ({
        get a() {
          return 'a';
        },
      }),
    ])();
  return random.pick<() => unknown>([
    () => 'a',
    () => 'b',
    () => '',
    () => true,
    () => 1,
    () => -0,
    () => null,
    () => undefined,
    () => 1n,
    () => Number.NaN,
    () => Number.POSITIVE_INFINITY,
    () => Symbol('a'),
    () => () => 'a',
    () => new Date('2020-01-01T00:00:00Z'),
    () => new Date(Number.NaN),
    () => Buffer.from('a'),
    () => new Uint8Array([97]),
    () => new ArrayBuffer(1),
    () => new String('a'),
    () => new Number(1),
    () => new Boolean(true),
    () => /a/,
    () => new Error('a'),
    () => new URL('http://a/'),
    () => new Id('a'),
    () => Promise.resolve('a'),
    () => new WeakMap(),
    () => [],
    () => new Array(2),
    // biome-ignore lint/suspicious/noSparseArray: programs have them
    () => [1, , 'a'],
    () => Object.assign(['a'], { toJSON: () => 'a' }),
    () => cycle,
    () => FOREIGN.date,
    () => FOREIGN.map,
  ])();
}

function attributes(random: Random): unknown {
  const v = anyValue(random);
  return random.pick<() => unknown>([
    () => ({ v }),
    () => ({ v }),
    () => ({ v }),
    () => ({ v, other: 1 }),
    () => Object.assign(Object.create(null), { v }),
    () => Object.create({ v }),
    () => new Row(v),
    () => new Model({ v }),
    () => ({ v: 'c', toJSON: () => ({ v }) }),
    () => new Proxy({ v }, {}),
    () => undefined,
    () => null,
    () => anyValue(random),
  ])();
}

type Outcome = 'allowed' | 'denied' | 'refused';

function outcomeOf(decide: () => boolean): Outcome {
  try {
    return decide() ? 'allowed' : 'denied';
  } catch (error) {
    assert.ok(error instanceof TypeError || (error as Error).name === 'EvaluationLimitError', String(error));
    return 'refused';
  }
}

async function clientOutcome(decide: () => Promise<boolean>): Promise<Outcome> {
  try {
    return (await decide()) ? 'allowed' : 'denied';
  } catch (error) {
    assert.instance(error, AuthzError);
    return 'refused';
  }
}

const test = suite('values that are not JSON');
const { policies, traced } = await loaded(
  compileTexts(Object.fromEntries([...KINDS].map(([kind, conditions]) => [`${kind}.yaml`, policy(kind, conditions)]))),
);
const engines: readonly Engine[] = [
  createEngine(policies),
  createEngine(policies, { use: [delegation()] }),
  createEngine(policies, { traced: await traced(), use: [explanations()] }),
  createEngine(policies, { traced: await traced(), strictEvaluation: true }),
];
const client = inProcessClient(policies);

test('functions decide about all kinds but one', () => {
  const functions = policies.resourcePolicies.filter(({ decide, readsPlace }) => decide && !readsPlace);
  assert.is(functions.length, KINDS.size - 1);
});

test('are decided about as a client sends them, or refused', async () => {
  const random = new Random(SEED);
  const tally = { allowed: 0, denied: 0, refused: 0, clientRefused: 0 };
  for (let request = 0; request < REQUESTS; request += 1) {
    const principal = { id: random.pick(['v', 'a']), roles: ['user'], attr: attributes(random) } as PrincipalInput;
    const kind = random.chance(0.3) ? 'doc' : random.pick([...KINDS.keys()]);
    const resource = { kind, id: 'd', attr: attributes(random) } as ResourceInput;
    const conditions = KINDS.get(kind) as readonly string[];
    const index = random.below(conditions.length);
    const action = `${random.pick(['allow', 'deny'])}${index}`;
    const place = `request ${request} of seed ${SEED}: ${conditions[index]}, ${kind}, ${action}`;
    const byClient = await clientOutcome(() => client.isAllowed({ principal, resource, action }));
    for (const engine of engines.slice(0, 3)) {
      const outcome = outcomeOf(() => engine.isAllowed({ principal, resource, action }));
      if (byClient !== 'refused' && outcome !== 'refused') assert.is(outcome, byClient, place);
      const others = {
        check: outcomeOf(
          () =>
            engine.check({ principal, resources: [{ resource, actions: [action] }] })[0]?.actions[0]?.allowed === true,
        ),
        can: outcomeOf(() => engine.for(principal).can(action, resource)),
      };
      assert.is(others.check, outcome, place);
      // A principal is converted as a whole when it is prepared.
      if (others.can !== 'refused') assert.is(others.can, outcome, place);
      tally[outcome] += 1;
    }
    if (byClient === 'refused') tally.clientRefused += 1;
    const plan = outcomeOf(() => {
      const { filter } = (engines[0] as Engine).plan({ principal, resource: { kind }, actions: [action] });
      return selects(filter, { id: 'd', attr: resource.attr as never });
    });
    if (byClient !== 'refused' && plan !== 'refused' && conditions[index] !== OF_PLACES)
      assert.is(plan, byClient, `${place}: plan`);
  }
  for (const count of Object.values(tally)) assert.ok(count > REQUESTS / 20, JSON.stringify(tally));
});

/** Requests that no engine decides about, and the field that the error names. */
const REFUSED: readonly (readonly [field: string, request: { readonly [part: string]: object }])[] = [
  ...[undefined, null, '', 5, {}, ['v']].map((id) => ['principal.id', { principal: { id } }] as const),
  ...[undefined, null, 'user', new Set(['user']), { 0: 'user', length: 1 }].map(
    (roles) => ['principal.roles', { principal: { roles } }] as const,
  ),
  ...[undefined, null, 5, ['user'], ''].map(
    (role) => ['principal.roles', { principal: { roles: ['user', 'b', role] } }] as const,
  ),
  ['principal.roles[2]', { principal: { roles: ['user', 'b', undefined] } }],
  ['principal.scope', { principal: { scope: null } }],
  ['principal.policyVersion', { principal: { policyVersion: 1 } }],
  ...['a b', '..', 'a..b', 'a.', '..a', '-a', 'a.-b', '*', 'é', 'a\n', ' '].flatMap((scope) => [
    ['principal.scope', { principal: { scope } }] as const,
    ['resource.scope', { resource: { scope } }] as const,
  ]),
  ...['a b', '1.0', '-', 'é', 'a\n'].flatMap((policyVersion) => [
    ['principal.policyVersion', { principal: { policyVersion } }] as const,
    ['resource.policyVersion', { resource: { policyVersion } }] as const,
  ]),
  ...[undefined, null, '', 5, ['doc']].map((kind) => ['resource.kind', { resource: { kind } }] as const),
  ['resource.scope', { resource: { scope: 0 } }],
  ['resource.policyVersion', { resource: { policyVersion: null } }],
  ['principal.attr', { principal: { attr: new Map() } }],
  ['principal.attr', { principal: { attr: 'a' } }],
  ['resource.attr', { resource: { attr: [] } }],
  ['resource.attr.v', { resource: { attr: { v: new Map() } } }],
  ['resource.attr.v', { resource: { attr: { v: 1n } } }],
  ['resource.attr.v[1].a', { resource: { attr: { v: ['a', { a: Symbol('a') }] } } }],
];

test('are named in the error', async () => {
  for (const [field, parts] of REFUSED) {
    const principal = { id: 'v', roles: ['user'], ...parts['principal'] } as PrincipalInput;
    const resource = { kind: 'doc', id: 'd', attr: { v: 'b' }, ...parts['resource'] } as ResourceInput;
    for (const action of ['allow0', 'deny0', 'deny34']) {
      const calls: readonly (readonly [string, (engine: Engine) => unknown])[] = [
        ['isAllowed', (engine) => engine.isAllowed({ principal, resource, action })],
        ['can', (engine) => engine.for(principal).can(action, resource)],
        ['check', (engine) => engine.check({ principal, resources: [{ resource, actions: [action] }] })],
        ['plan', (engine) => engine.plan({ principal, resource, actions: [action] })],
      ];
      for (const [call, run] of calls)
        for (const engine of engines) {
          const place = `${call} with ${field}`;
          try {
            run(engine);
            assert.unreachable(`${place} decides`);
          } catch (error) {
            assert.instance(error, TypeError, `${place}: ${error}`);
            assert.ok((error as Error).message.includes(field), `${place}: ${(error as Error).message}`);
          }
        }
    }
    if (!field.includes('attr') && parts['principal'] !== undefined)
      assert.throws(
        () =>
          engines[1]?.isAllowed({
            principal: { id: 'a', roles: ['user'], actors: [principal] },
            resource,
            action: 'deny0',
          }),
        (error: Error) => error.message.includes(field.replace('principal', 'principal.actors[0]')),
      );
    const refused = await client.isAllowed({ principal, resource, action: 'allow0' }).then(
      () => false,
      () => true,
    );
    assert.ok(refused, field);
  }
});

test('may be a resource id or an action that is not a name, which no engine takes for one', () => {
  const principal = { id: 'v', roles: ['user'] };
  for (const engine of engines)
    for (const bad of [undefined, null, 5, ['d'], '']) {
      const resource = { kind: 'doc', id: bad } as unknown as ResourceInput;
      const action = bad as unknown as string;
      const other = { kind: 'doc', id: 'd' };
      for (const call of [
        () => engine.isAllowed({ principal, resource, action: 'deny0' }),
        () => engine.for(principal).can('deny0', resource),
        () => engine.check({ principal, resources: [{ resource, actions: ['deny0'] }] }),
        () => engine.isAllowed({ principal, resource: other, action }),
        () => engine.for(principal).can(action, other),
        () => engine.check({ principal, resources: [{ resource: other, actions: ['deny0', action] }] }),
        () => engine.plan({ principal, resource: other, actions: [action] }),
      ])
        assert.throws(call, (error: Error) => error instanceof TypeError && /resource\.id|action/.test(error.message));
    }
});

test('names are required as over the network', async () => {
  const NAMES = ['principal.id', 'role', 'kind', 'id', 'action'] as const;
  for (let empty = 0; empty < 1 << NAMES.length; empty += 1) {
    const [id = '', role = '', kind = '', of = '', action = ''] = ['v', 'user', 'doc', 'd', 'allow0'].map(
      (name, index) => ((empty & (1 << index)) === 0 ? name : ''),
    );
    const principal = { id, roles: role === '' ? ['user', ''] : ['user'] };
    // Wherever policies are looked up: at the root, at a scope, and for a kind without policies.
    for (const resource of [
      { kind, id: of },
      { kind, id: of, scope: 'acme' },
      { kind: kind && 'other', id: of },
    ]) {
      const place = `${JSON.stringify(resource)} ${NAMES.filter((_, index) => (empty & (1 << index)) !== 0).join()}`;
      const isPlanned = (empty & ~(1 << NAMES.indexOf('id'))) === 0;
      const isRefused = async (call: () => unknown): Promise<boolean> => {
        try {
          await call();
          return false;
        } catch {
          return true;
        }
      };
      assert.is(await isRefused(() => client.isAllowed({ principal, resource, action })), empty !== 0, place);
      for (const engine of engines) {
        const calls = [
          () => engine.isAllowed({ principal, resource, action }),
          () => engine.for(principal).can(action, resource),
          () => engine.check({ principal, resources: [{ resource, actions: [action] }] }),
        ];
        for (const call of calls) assert.is(await isRefused(call), empty !== 0, `${place}: ${call}`);
        assert.is(await isRefused(() => engine.plan({ principal, resource, actions: [action] })), !isPlanned, place);
      }
    }
  }
});

test('actions are required as over the network: all of none would be allowed', async () => {
  const principal = { id: 'v', roles: ['user'] };
  const resource = { kind: 'doc', id: 'd' };
  for (const engine of engines) {
    assert.throws(() => engine.plan({ principal, resource, actions: [] }), /^actions is empty$/);
    assert.throws(
      () => engine.check({ principal, resources: [{ resource, actions: [] }] }),
      /^resources\[0\]\.actions is empty$/,
    );
  }
  for (const refused of [
    client.plan({ principal, resource, actions: [] }),
    client.check({ principal, resource, actions: [] }),
  ])
    await refused.then(
      () => assert.unreachable('the client decides'),
      (error: unknown) => assert.instance(error, AuthzError),
    );
});

test.run();
