import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sqlFacts } from '../../packages/adapters/facts.js';
import { delegation, tenants } from '../../runtime/engine/index.js';
import {
  absent,
  createFactsEngine,
  type FactsDecision,
  type FactSource,
  type FactsOptions,
} from '../../runtime/facts/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

/*
 * What could make a fact that is not known count as one that there is not, which switches a DENY off. Each case decides
 * about a resource that is locked, or a principal who is banned, and must not be allowed.
 */

const test = suite('facts that are not known');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - {actions: [open], effect: EFFECT_ALLOW, roles: [user, editor]}
    - {actions: [open], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: R.attr.locked}}}
    - {actions: [close, wait], effect: EFFECT_ALLOW, roles: [user]}
    - {actions: [close], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: R.attr.locked || R.attr.label == "y"}}}
    - {actions: [wait], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: now() < timestamp(R.attr.until)}}}
    - {actions: [first], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 'R.attr.map(k, k)[0] == "a"'}}}
    - {actions: [none], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: '!R.attr.locked'}}}
    - {actions: [divide], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 1.0 / R.attr.n > 0.0 && (R.attr.label == "x" || true)}}}
    - {actions: [divide-first], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: '1.0 / R.attr.l[size(R.attr.l) - 1] > 0.0'}}}
    - {actions: [share], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 'P.id in R.attr.friends && R.attr.locked'}}}
    - {actions: [claim], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: '"admins" in request.auxData.jwt.groups && R.attr.locked'}}}
    - {actions: [own], effect: EFFECT_ALLOW, roles: [owner]}
    - {actions: [own], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 'R.attr.locked && R.id == "2"'}}}
    - {actions: [list], effect: EFFECT_ALLOW, roles: [editor]}
    - {actions: [list], effect: EFFECT_DENY, roles: [editor], condition: {match: {expr: P.attr.banned}}}
`;
const SCOPED = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  scope: acme
  rules: [{actions: [none], effect: EFFECT_DENY, roles: [user]}]
`;
const TENANTS = `apiVersion: api.authz.dev/v1
tenantRoles:
  scope: "*"
  rolePrefix: "tenant:"
  grants: [{role: editor, resources: [{resource: doc, actions: ["*"]}]}]
`;
const { policies } = await loaded(compileTexts({ 'p.yaml': POLICY, 'q.yaml': SCOPED }, { facts: true }));

const ann = { id: 'ann', roles: ['user'] };
const TYPES = { locked: 'boolean', folder: 'string', banned: 'boolean', label: 'string' } as const;

function source(provides: readonly string[], load: FactSource['load'], more: Partial<FactSource> = {}): FactSource {
  return { of: 'doc', provides, types: TYPES, load, ...more };
}

function open(
  sources: readonly FactSource[],
  resource: { readonly id?: string; readonly scope?: string; readonly attr?: object } = {},
  more: Partial<FactsOptions> = {},
): Promise<FactsDecision> {
  return createFactsEngine(policies, { sources, ...more }).decide({
    principal: ann,
    resource: { kind: 'doc', id: '1', ...resource } as never,
    action: 'open',
  });
}

function assertUnknown(decision: FactsDecision, reason: string): void {
  assert.ok('unknown' in decision, JSON.stringify(decision));
  assert.equal(
    decision.unknown.map((one) => one.reason),
    [reason],
    JSON.stringify(decision),
  );
}

const folders = (load: FactSource['load'], more: Partial<FactSource> = {}): FactSource =>
  source(['locked'], load, { key: { fact: 'resource.attr.folder' }, keyField: 'folder', notFound: 'absent', ...more });

test('a key that was not found is not known, although a source without a row says that there is no fact', async () => {
  const locked = folders(async () => ({ f: { locked: true } }));
  // A replica that does not have the document yet.
  const decision = await open([source(['folder', 'label'], async () => ({})), locked]);
  assertUnknown(decision, 'not found');
});

test('a request for another scope does not make a fact missing', async () => {
  const locked = folders(async () => ({ f: { locked: true } }), { when: { scope: 'acme' } });
  assertUnknown(await open([locked], { scope: '' }), 'not found');
  const docs = source(['locked'], async () => ({}), { notFound: 'absent', when: { scope: 'acme' } });
  assertUnknown(await open([docs], { scope: '' }), 'not found');
});

test('a row that is gone is not used again when the source fails', async () => {
  let answer: () => object = () => ({ '1': { locked: false } });
  const docs = source(['locked'], async () => answer() as never, { cache: { maxStale: 60_000 } });
  const authz = createFactsEngine(policies, { sources: [docs] });
  const ask = () => authz.decide({ principal: ann, resource: { kind: 'doc', id: '1' }, action: 'open' });
  assert.ok((await ask()).allowed);
  answer = () => ({});
  assertUnknown(await ask(), 'not found');
  answer = () => {
    throw new Error('away');
  };
  assertUnknown(await ask(), 'failed');
});

test('facts that were found by a key are not those of the key that a later request returns', async () => {
  for (const [old, notFound] of [
    ['f', 'unknown'],
    [null, 'absent'],
  ] as const) {
    const realNow = Date.now;
    let time = 0;
    Date.now = () => time;
    try {
      let folder: string | null = old;
      const docs = source(['folder'], async () => ({ '1': { folder } }), {
        cache: { maxAge: 60_000 },
        nulls: 'null',
        cost: 0,
      });
      const rows = { f: { locked: false }, g: { locked: true } };
      const state = source(['locked'], async () => rows, {
        key: { fact: 'resource.attr.folder' },
        keyField: 'folder',
        cost: 1,
        notFound,
      });
      const label = source(['label'], async () => ({ '1': { label: 'x' } }), { cost: 2 });
      const authz = createFactsEngine(policies, { sources: [docs, state, label], maxSkew: 1000 });
      const request = { principal: ann, resource: { kind: 'doc', id: '1' } };
      // Keeps the folder, which is then so much older than the others that it is asked for once more.
      await authz.decide({ ...request, action: 'open' });
      folder = 'g';
      time = 30_000;
      const decision = await authz.decide({ ...request, action: 'close' });
      assert.is(decision.allowed, false, JSON.stringify(decision));
    } finally {
      Date.now = realNow;
    }
  }
});

test('of two rows for a key none counts, and neither does the row of another key', async () => {
  const load = (answer: unknown) => open([source(['locked'], async () => answer as never)]);
  const free = { locked: false };
  assertUnknown(
    await load([
      { id: '1', ...free },
      { id: '1', locked: true },
    ]),
    'ambiguous',
  );
  assertUnknown(
    await load(
      new Map<unknown, object>([
        ['1', free],
        [1, { locked: true }],
      ]),
    ),
    'ambiguous',
  );
  assertUnknown(await load({ '1': { id: '2', ...free } }), 'shape');
  assert.ok(
    (
      await load([
        { id: '2', locked: true },
        { id: 1n, ...free },
      ])
    ).allowed,
  );
});

test('a text that is no time is not one that conditions fail to read', async () => {
  for (const until of [
    '2020-13-01T00:00:00Z',
    '2020-02-30T00:00:00Z',
    '2020-01-01T25:00:00Z',
    '0000-01-01T00:00:00Z',
  ]) {
    const docs = source(['until'], async () => ({ '1': { until } }), { types: { until: 'timestamp' } });
    const authz = createFactsEngine(policies, { sources: [docs] });
    const decision = await authz.decide({ principal: ann, resource: { kind: 'doc', id: '1' }, action: 'wait' });
    assertUnknown(decision, 'type');
  }
});

test('an answer that comes late does not replace what was asked for later', async () => {
  const realNow = Date.now;
  let time = 1000;
  Date.now = () => time;
  try {
    const answers: ((rows: object) => void)[] = [];
    const load = (): Promise<never> => new Promise((resolve) => answers.push(resolve as (rows: object) => void));
    const docs = source(['locked'], load, { cache: { maxAge: 60_000 } });
    const authz = createFactsEngine(policies, { sources: [docs] });
    const request = { principal: ann, resource: { kind: 'doc', id: '1' }, action: 'open' };
    const early = authz.decide(request);
    time = 2000;
    const fresh = authz.decide(request, { fresh: true });
    answers[1]?.({ '1': { locked: true } });
    assert.is((await fresh).allowed, false);
    answers[0]?.({ '1': { locked: false } });
    await early;
    assert.is((await authz.decide(request)).allowed, false);
    assert.is(answers.length, 2);
  } finally {
    Date.now = realNow;
  }
});

/** Runs something with a clock that it moves. */
async function withClock(work: (set: (time: number) => void) => Promise<void>): Promise<void> {
  const realNow = Date.now;
  let time = 1000;
  Date.now = () => time;
  try {
    await work((next) => {
      time = next;
    });
  } finally {
    Date.now = realNow;
  }
}

/** Answers of a source that come when a test says so. */
function lateAnswers(): { readonly load: FactSource['load']; readonly answers: ((rows: object) => void)[] } {
  const answers: ((rows: object) => void)[] = [];
  return {
    answers,
    load: (): Promise<never> => new Promise((resolve) => answers.push(resolve as (rows: object) => void)),
  };
}

test('an answer that comes late does not bring back a row that was found to be gone', () =>
  withClock(async (set) => {
    const { answers, load } = lateAnswers();
    const docs = source(['locked'], load, { cache: { maxAge: 60_000 } });
    const authz = createFactsEngine(policies, { sources: [docs] });
    const request = { principal: ann, resource: { kind: 'doc', id: '1' }, action: 'open' };
    const early = authz.decide(request);
    set(2000);
    const fresh = authz.decide(request, { fresh: true });
    answers[1]?.({});
    assertUnknown(await fresh, 'not found');
    answers[0]?.({ '1': { locked: false } });
    await early;
    const after = authz.decide(request);
    answers[2]?.({});
    assertUnknown(await after, 'not found');
  }));

test('a request of another decision is waited for only if it is as young as a row that is kept may be', () =>
  withClock(async (set) => {
    for (const [maxAge, isAllowed] of [
      [0, false],
      [500, false],
      [5000, true],
    ] as const) {
      set(1000);
      const { answers, load } = lateAnswers();
      const docs = source(['locked'], load, { cache: { maxAge, maxStale: 60_000 } });
      const authz = createFactsEngine(policies, { sources: [docs] });
      const request = { principal: ann, resource: { kind: 'doc', id: '1' }, action: 'open' };
      const early = authz.decide(request);
      // Somebody locks it.
      set(2000);
      const later = authz.decide(request);
      answers[0]?.({ '1': { locked: false } });
      assert.ok((await early).allowed);
      answers[1]?.({ '1': { locked: true } });
      assert.is((await later).allowed, isAllowed, `maxAge ${maxAge}`);
    }
  }));

test('a clock that is set back does not make rows younger', () =>
  withClock(async (set) => {
    for (const cache of [{ maxAge: 1000 }, { maxAge: 1000, maxStale: 5000 }]) {
      const state = { locked: false, fails: false, calls: 0 };
      const load = async () => {
        state.calls += 1;
        if (state.fails) throw new Error('away');
        return { '1': { locked: state.locked } };
      };
      const authz = createFactsEngine(policies, { sources: [source(['locked'], load, { cache })] });
      const ask = () => authz.decide({ principal: ann, resource: { kind: 'doc', id: '1' }, action: 'open' });
      set(10_000_000);
      assert.is((await ask()).allowed, true);
      state.locked = true;
      set(5_000_000);
      assert.is((await ask()).allowed, false);
      // What was asked for after the clock was set is kept.
      set(5_000_500);
      assert.is((await ask()).allowed, false);
      assert.is(state.calls, 2);
      set(20_000_000);
      state.fails = true;
      assert.ok('unknown' in (await ask()));
      state.fails = false;
      state.locked = false;
      set(6_000_000);
      // A key is not paused for longer than a failure pauses it, nor is a row of the future used while the source fails.
      assert.is((await ask()).allowed, true);
      state.fails = true;
      set(1_000_000);
      assert.ok('unknown' in (await ask()));
    }
  }));

test('what a caller may not send does not count in a scope of which the source knows nothing', async () => {
  for (const scope of ['acme', 'acme.hr', '', 'other', '.acme']) {
    const sources = [
      source(['locked'], async () => ({ '1': { locked: true } }), { when: { scope: 'acme' }, caller: 'ignore' }),
    ];
    const engine = { lenientScopeSearch: true };
    const decision = await open(sources, { scope, attr: { locked: false } }, { engine });
    assert.is(decision.allowed, false, scope);
    if (scope !== 'acme' && scope !== '.acme') assertUnknown(decision, 'not found');
    const refusing = sources.map((own) => ({ ...own, caller: 'refuse' as const }));
    const refused = await open(refusing, { scope, attr: { locked: false } }, { engine }).catch((error: Error) => error);
    assert.instance(refused, TypeError, scope);
  }
  // Nobody else decides whose facts are read.
  const key = source(['folder'], async () => ({ '1': { folder: 'secret' } }), { when: { scope: 'acme' } });
  const rows = folders(async () => ({ public: { locked: false }, secret: { locked: true } }));
  assertUnknown(await open([key, rows], { attr: { folder: 'public' } }), 'not found');
});

test('conditions see attributes in one order, whatever was known first', async () => {
  const part = (name: string, more: Partial<FactSource> = {}): FactSource =>
    source([name], async (keys: readonly string[]) => new Map(keys.map((key) => [key, { [name]: true }])), {
      types: { [name]: 'boolean' },
      ...more,
    });
  for (const [cost, other] of [
    [1, 2],
    [2, 1],
    [1, 1],
  ])
    for (const maxAge of [0, 60_000]) {
      const sources = [part('a', { cost, cache: { maxAge } }), part('b', { cost: other })];
      const authz = createFactsEngine(policies, { sources });
      const ask = async (attr: object) =>
        (await authz.decide({ principal: ann, resource: { kind: 'doc', id: '1', attr }, action: 'first' })).allowed;
      for (let call = 0; call < 2; call += 1)
        assert.equal([await ask({}), await ask({ a: true }), await ask({ b: true })], [true, true, false]);
    }
});

test('what is sent decides as the engine decides it, however it is written', async () => {
  const other = source(['label'], async (keys: readonly string[]) => new Map(keys.map((key) => [key, { label: 'x' }])));
  const authz = createFactsEngine(policies, { sources: [other] });
  class Row {
    constructor(readonly n: unknown) {}
  }
  const list = [-0];
  for (const attr of [
    { n: -0 },
    { n: 0 },
    { l: [-0] },
    { l: list, m: list },
    { l: [{ toJSON: () => 0 }, -0] },
    new Row(-0),
    { n: Number.NaN },
    { n: 1 / 0 },
  ])
    for (const action of ['divide', 'divide-first']) {
      const request = { principal: ann, resource: { kind: 'doc', id: '1', attr: attr as never }, action };
      const expected = authz.engine.isAllowed(request);
      assert.is((await authz.decide(request)).allowed, expected, `${action} ${JSON.stringify(attr)}`);
      const now = authz.decideNow({ ...request, resource: { ...request.resource, attr: attr as never } });
      assert.ok(now === undefined || now.allowed === expected);
    }
});

test('what is nested too deeply fails a call as it fails the engine', async () => {
  const authz = createFactsEngine(policies, { sources: [source(['label'], async () => ({}))] });
  const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown;
  let deeper: unknown = 1;
  for (let level = 0; level < 200_000; level += 1) deeper = [deeper];
  const cycle: unknown[] = [];
  cycle.push(cycle, cycle);
  for (const l of [deep, deeper, cycle]) {
    const request = {
      principal: ann,
      resource: { kind: 'doc', id: '1', attr: { l } as never },
      action: 'divide-first',
    };
    const error = await authz.decide(request).catch(({ name, message }: Error) => `${name} ${message}`);
    let expected: unknown;
    try {
      expected = authz.engine.isAllowed(request);
    } catch (thrown) {
      expected = `${(thrown as Error).name} ${(thrown as Error).message}`;
    }
    assert.match(String(expected), 'nested');
    assert.is(error, expected);
  }
});

test('what a caller changes while facts are fetched does not count', async () => {
  const answers: (() => void)[] = [];
  const slow = source(
    ['locked'],
    (keys) =>
      new Promise<never>((resolve) => {
        answers.push(() => resolve(new Map(keys.map((key) => [key, { locked: key === '1' }])) as never));
      }),
  );
  const roles = ['user'];
  const friends = ['bob'];
  const jwt = { groups: ['none'] };
  const principal = { id: 'ann', roles };
  const resource = { kind: 'doc', id: '1', attr: { friends } };
  const actions = ['open', 'share', 'claim', 'own'];
  const authz = createFactsEngine(policies, { sources: [slow] });
  const many = authz.decideMany({ principal, resources: [resource], actions, auxData: { jwt } } as never);
  const one = authz.decide({ principal, resource, action: 'own', auxData: { jwt } });
  const session = authz.for(principal, { auxData: { jwt } }).decide('share', resource);
  const others = authz.for(principal);
  roles.push('editor', 'owner');
  friends.push('ann');
  jwt.groups.push('admins');
  resource.id = '2';
  resource.kind = 'other';
  actions.splice(0, 3);
  await new Promise((resolve) => setImmediate(resolve));
  for (const answer of answers) answer();
  const decisions = await many;
  assert.equal([...(decisions.get(0)?.keys() ?? [])].sort(), ['claim', 'open', 'own', 'share']);
  for (const [action, { allowed }] of decisions.get(0) ?? []) assert.is(allowed, false, action);
  assert.is((await one).allowed, false);
  assert.is((await session).allowed, false);
  const later = others.decide('own', { kind: 'doc', id: '2' });
  await new Promise((resolve) => setImmediate(resolve));
  for (const answer of answers) answer();
  assert.is((await later).allowed, false);
});

test('a request decides by its accessors, as the engine reads them', async () => {
  class Doc {
    readonly id = '1';
    get kind(): string {
      return 'doc';
    }
    get scope(): string {
      return 'acme';
    }
  }
  const free = source(['locked'], async () => ({ '1': { locked: false } }));
  const decision = await createFactsEngine(policies, { sources: [free] }).decide({
    principal: ann,
    resource: new Doc() as never,
    action: 'none',
  });
  // Only the policy of the scope denies it.
  assert.is(decision.allowed, false);
});

test('a fact that must be fresh is found by a key that is fresh', async () => {
  let folder = 'free';
  const key = source(['folder'], async () => ({ '1': { folder } }), { cache: { maxAge: 60_000 } });
  const rows = folders(async () => ({ free: { locked: false }, vault: { locked: true } }), {
    cache: { maxAge: 60_000 },
  });
  const authz = createFactsEngine(policies, { sources: [key, rows] });
  const request = { principal: ann, resource: { kind: 'doc', id: '1' }, action: 'open' };
  assert.is((await authz.decide(request)).allowed, true);
  folder = 'vault';
  assert.is((await authz.decide(request, { fresh: ['resource.attr.locked'] })).allowed, false);
});

/** A table of PostgreSQL whose ids the database compares as it does, which finds one row. */
function table(type: 'integer' | 'uuid' | 'text', row: object | undefined, asked: unknown[] = []): FactSource {
  return sqlFacts(
    async (_, [keys]) => {
      asked.push(...(keys as unknown[]));
      return row === undefined ? [] : [row];
    },
    {
      name: 'docs',
      dialect: 'postgresql',
      id: { column: 'id', type },
      columns: { locked: { column: 'locked', type: 'boolean' } },
    },
    { of: 'doc', notFound: 'absent' },
  );
}

test('an id that the database may read as that of another row is not one without a row', async () => {
  for (const id of ['01', ' 1', '1 ', '+1', '-0', '1_0', '0x1', '1.0', '1e0', '١', '99999999999999999999'])
    assertUnknown(await open([table('integer', undefined)], { id }), 'shape');
  const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
  for (const id of [uuid.toUpperCase(), `{${uuid}}`, uuid.replaceAll('-', ''), ` ${uuid}`, `${uuid}\n`])
    assertUnknown(await open([table('uuid', undefined)], { id }), 'shape');
  // No spelling of an id of this type.
  assert.ok((await open([table('integer', undefined)], { id: 'guest' })).allowed);
  assert.ok((await open([table('uuid', undefined)], { id: 'guest' })).allowed);
  assert.ok((await open([table('integer', undefined)], { id: '7' })).allowed);
});

test('a row that the database finds by another spelling of its id is not no row', async () => {
  // Collations without case and accents, columns of fixed length, and other forms of Unicode.
  for (const [id, stored] of [
    ['ANN', 'ann'],
    ['ann', 'ann   '],
    ['\u00e9', 'e\u0301'],
    ['\u00e9', 'e'],
    ['stra\u00dfe', 'strasse'],
    ['\uff41', 'a'],
  ] as const) {
    assertUnknown(await open([table('text', { id: stored, locked: true })], { id }), 'shape');
    const rows = [{ id: stored, locked: true }];
    if (stored !== 'strasse')
      assertUnknown(await open([source(['locked'], async () => rows, { notFound: 'absent' })], { id }), 'ambiguous');
  }
  // Columns of integers and of UUIDs.
  const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
  for (const [id, stored] of [
    ...['01', ' 1', '+1', '1.0', '1e0', '0x1', '1x'].map((spelt) => [spelt, 1] as const),
    ['1_0', 10],
    ['-00', 0],
    ...[`{${uuid}}`, uuid.replaceAll('-', ''), uuid.toUpperCase()].map((spelt) => [spelt, uuid] as const),
  ] as const) {
    const rows = [{ id: stored, locked: true }];
    assertUnknown(await open([source(['locked'], async () => rows, { notFound: 'absent' })], { id }), 'ambiguous');
  }
  for (const key of ['x', '2', '10', '-1', uuid]) {
    const others = source(['locked'], async () => ({ [key]: { locked: true } }), { notFound: 'absent' });
    assert.ok((await open([others])).allowed, key);
  }
});

test('what another script adds to all objects is not sent', async () => {
  const docs = source(['locked'], async () => ({ '1': { locked: true } }));
  const authz = createFactsEngine(policies, { sources: [docs] });
  const request = { principal: ann, resource: { kind: 'doc', id: '1', attr: {} }, action: 'open' };
  const sent = { ...request, resource: { kind: 'doc', id: '1', attr: { locked: false } } };
  assert.is(authz.decideNow(sent)?.allowed, true);
  const polluted = Object.prototype as { locked?: unknown };
  Object.defineProperty(polluted, 'locked', { value: false, configurable: true });
  assert.is(authz.decideNow(request), undefined);
  delete polluted.locked;
  polluted.locked = false;
  try {
    assert.is(authz.decideNow(sent)?.allowed, true);
    assert.is(authz.decideNow(request), undefined);
    assert.is((await authz.decide(request)).allowed, false);
    assertUnknown(await open([source(['locked'], async () => ({ '1': {} }))]), 'shape');
    assertUnknown(await open([source(['locked'], async () => ({ '1': { id: '1', label: 'x' } }))]), 'shape');
  } finally {
    delete polluted.locked;
  }
});

test('what was sent before in the same order of names is not sent again', () => {
  const docs = source(['locked', 'label'], async () => ({ '1': { locked: true, label: 'x' } }));
  const authz = createFactsEngine(policies, { sources: [docs] });
  const isDecided = (attr: object) =>
    authz.decideNow({ principal: ann, resource: { kind: 'doc', id: '1', attr: attr as never }, action: 'close' }) !==
    undefined;
  for (let round = 0; round < 3; round += 1) {
    assert.ok(isDecided({ locked: false, label: 'x' }));
    assert.ok(isDecided({ label: 'x', locked: false }));
    assert.ok(isDecided({ label: 'x', more: 1, locked: false }));
    assert.ok(isDecided({ label: 'x', more: undefined, locked: false }));
    assert.ok(isDecided({ label: 'x', more: 1, locked: absent }));
    for (const attr of [
      {},
      { locked: false },
      { label: 'x' },
      { label: 'x', more: 1 },
      { label: 'x', locked: undefined },
      { locked: undefined, label: 'x' },
      Object.create({ locked: false, label: 'x' }),
      Object.assign(Object.create({ locked: false }), { label: 'x' }),
    ])
      assert.not(isDecided(attr), JSON.stringify(attr));
  }
});

test('what an actor is not known to be decides as what the principal is not known to be', async () => {
  const people = (rows: object): FactSource => source(['banned'], async () => rows as never, { of: 'principal' });
  const list = (rows: object) =>
    createFactsEngine(policies, { sources: [people(rows)], engine: { use: [delegation()] } }).decide({
      principal: { id: 'ann', roles: ['editor'], actors: [{ id: 'bot', roles: ['editor'] }] },
      resource: { kind: 'doc', id: '1' },
      action: 'list',
    });
  const free = { banned: false };
  assert.is((await list({ ann: free, bot: free })).allowed, true);
  const banned = await list({ ann: free, bot: { banned: true } });
  assert.is('why' in banned && banned.why, 'policy');
  assertUnknown(await list({ ann: free }), 'not found');
  assertUnknown(await list({ bot: free }), 'not found');
});

test('roles that a tenant defines read what the roles read that they stand for', async () => {
  const { policies: own } = await loaded(
    compileTexts({ 'p.yaml': POLICY, 'q.yaml': SCOPED, 't.yaml': TENANTS }, { facts: true }),
  );
  const people = source(['banned'], async () => ({ ann: { banned: true } }), { of: 'principal' });
  const documents = (tenant: string) => ({ tenant, roles: { desk: { roles: ['editor'] } } });
  const authz = createFactsEngine(own, { sources: [people], engine: { use: [tenants({ documents })] } });
  const desk = { id: 'ann', roles: ['tenant:desk'], scope: 'acme' };
  const resource = { kind: 'doc', id: '1', scope: 'acme' };
  assert.is((await authz.decide({ principal: desk, resource, action: 'list' })).allowed, false);
  assert.is((await authz.decide({ principal: desk, resource, action: 'open' })).allowed, true);
  const principal = await authz.principal(desk, { kinds: ['doc'], actions: ['list'], scope: 'acme' });
  assert.equal(principal.attr, { banned: true });
  const plan = authz.engine.plan({ principal, resource: { kind: 'doc', scope: 'acme' }, actions: ['list'] });
  assert.is(plan.filter.kind, 'KIND_ALWAYS_DENIED');
});

test.run();
