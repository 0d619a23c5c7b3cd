import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import {
  createFactsEngine,
  type FactSource,
  FactsUnavailableError,
  type FactsOptions,
} from '../../runtime/facts/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

/* The options of sources and of decisions: how old facts may be, what is asked again, and what else a decision tells. */

const test = suite('options of sources');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.owner == P.attr.team}}
      output: {when: {ruleActivated: R.attr.label}}
    - {actions: [open], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: '!R.attr.locked'}}}
    - {actions: [list], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.owner == P.attr.team && P.attr.level > 1}}}
    - {actions: [free], effect: EFFECT_ALLOW, roles: [user]}
    - {actions: [lock], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: has(R.attr.locked)}}}
    - {actions: [lock], effect: EFFECT_ALLOW, roles: [user]}
  schemas: {resourceSchema: {ref: "authz:///doc.json"}}
`;
const SCHEMA = { type: 'object', properties: { owner: { type: 'string' }, label: { type: 'string', maxLength: 3 } } };
const { policies } = await loaded(
  compileTexts({ 'p.yaml': POLICY }, { facts: true, schemaTexts: new Map([['doc.json', JSON.stringify(SCHEMA)]]) }),
);

const ann = { id: 'ann', roles: ['user'] };
const doc = { kind: 'doc', id: '1' };
const TYPES = {
  owner: 'string',
  locked: 'boolean',
  folder: 'string',
  label: 'string',
  team: 'string',
  level: 'number',
} as const;

/** Time passes when a test says so. */
const realNow = Date.now;
let later = 0;
test.before.each(() => {
  later = 0;
  const start = realNow();
  Date.now = () => start + later;
});
test.after.each(() => {
  Date.now = realNow;
});

type Calls = FactSource & { readonly calls: string[] };

/** A source that counts, and fails while it has no rows. */
function source(
  provides: readonly string[],
  load: () => { readonly [name: string]: unknown } | undefined,
  more: Partial<FactSource> = {},
): Calls {
  const calls: string[] = [];
  return {
    of: 'doc',
    provides,
    types: TYPES,
    calls,
    load: async (keys) => {
      calls.push(keys.join());
      const row = load();
      if (row === undefined) throw new Error('away');
      return new Map(keys.map((key) => [key, row]));
    },
    ...more,
  };
}

const team = (value = 'a'): Calls => source(['team', 'level'], () => ({ team: value, level: 2 }), { of: 'principal' });

function open(sources: readonly FactSource[], more: Partial<FactsOptions> = {}, options: object = {}) {
  return createFactsEngine(policies, { sources, ...more }).decide(
    { principal: ann, resource: doc, action: 'open' },
    options,
  );
}

test('rows are used again until they are as old as `maxAge`, and not after `fresh`', async () => {
  const state = { locked: false };
  const locked = source(['locked'], () => ({ ...state }), { cache: { maxAge: 60_000 } });
  const authz = createFactsEngine(policies, { sources: [locked] });
  const ask = async (options: object = {}) =>
    (await authz.decide({ principal: ann, resource: doc, action: 'open' }, options)).allowed;
  assert.ok(await ask());
  state.locked = true;
  later = 59_000;
  assert.ok(await ask());
  assert.is(locked.calls.length, 1);
  assert.not(await ask({ fresh: ['resource.attr.locked'] }));
  // What was fetched is kept for others.
  assert.not(await ask());
  assert.is(locked.calls.length, 2);
  state.locked = false;
  assert.not(await ask({ fresh: ['resource.attr.owner'] }));
  later = 120_000;
  assert.ok(await ask());
  assert.is(locked.calls.length, 3);
  // A transaction sees its own rows, and others do not see them.
  state.locked = true;
  assert.not(await ask({ tx: {} }));
  assert.ok(await ask());
  assert.is(authz.decideNow({ principal: ann, resource: doc, action: 'open' })?.allowed, true);
});

test('while a source is away its rows are used until `maxStale`, and each key is asked once in a second', async () => {
  let isAway = false;
  const locked = source(['locked'], () => (isAway ? undefined : { locked: false }), {
    cache: { maxAge: 1000, maxStale: 60_000 },
  });
  const authz = createFactsEngine(policies, { sources: [locked] });
  const ask = async () => authz.decide({ principal: ann, resource: doc, action: 'open' });
  const reason = async () => {
    const decision = await ask();
    return 'unknown' in decision ? decision.unknown[0]?.reason : decision.facts[0];
  };
  await ask();
  isAway = true;
  later = 30_000;
  assert.equal(await reason(), {
    fact: 'resource.attr.locked',
    from: 'doc',
    at: Date.now() - later,
    age: later,
    stale: true,
  });
  assert.equal((await ask()).facts[0]?.stale, true);
  assert.is(locked.calls.length, 2);
  later = 61_000;
  assert.is(await reason(), 'stale');
  assert.is(locked.calls.length, 3);
  isAway = false;
  later = 61_500;
  assert.is(await reason(), 'stale');
  assert.is(locked.calls.length, 3);
  later = 63_000;
  assert.ok((await ask()).allowed);
});

test('one request of a source serves all decisions that wait for it, and ends with none of them', async () => {
  let answer: (row: object) => void = () => {};
  const calls: (readonly string[])[] = [];
  const slow: FactSource = {
    of: 'doc',
    provides: ['locked'],
    types: TYPES,
    cache: { maxAge: 60_000 },
    load: (keys) => {
      calls.push(keys);
      return new Promise<never>((resolve) => {
        answer = () => resolve({ '1': { locked: false } } as never);
      });
    },
  };
  const authz = createFactsEngine(policies, { sources: [slow] });
  const caller = new AbortController();
  const request = { principal: ann, resource: doc, action: 'open' };
  const [gone, waits] = [authz.decide(request, { signal: caller.signal }), authz.decide(request)];
  await new Promise((resolve) => setImmediate(resolve));
  caller.abort();
  const decision = await gone;
  assert.ok('unknown' in decision && decision.unknown[0]?.reason === 'aborted');
  answer({});
  assert.ok((await waits).allowed);
  assert.equal(calls, [['1']]);
  const before = new AbortController();
  before.abort();
  const aborted = await open([source(['locked'], () => ({ locked: false }))], {}, { signal: before.signal });
  assert.ok('unknown' in aborted && aborted.unknown[0]?.reason === 'aborted');
});

test('keys are fetched first, through a chain, and a caller does not choose them', async () => {
  const folders = source(['folder'], () => ({ folder: 'f' }));
  const locked = source(['locked'], () => ({ locked: true }), { key: { fact: 'resource.attr.label' } });
  const labels = source(['label'], () => ({ label: 'l' }), { key: { fact: 'resource.attr.folder' } });
  const authz = createFactsEngine(policies, { sources: [locked, labels, folders] });
  const decision = await authz.decide({
    principal: ann,
    resource: { ...doc, attr: { folder: 'mine', label: 'mine' } },
    action: 'open',
  });
  assert.is(decision.allowed, false);
  assert.equal([folders.calls, labels.calls, locked.calls], [['1'], ['f'], ['l']]);
  assert.equal(decision.facts.map(({ fact }) => fact).sort(), [
    'resource.attr.folder',
    'resource.attr.label',
    'resource.attr.locked',
  ]);
});

test('facts further apart than `maxSkew` are fetched once more, and then fail', async () => {
  const owner = (cache: FactSource['cache']) =>
    source(['owner', 'label'], () => ({ owner: 'a', label: 'x' }), { cache });
  const decide = async (own: Calls, people: Calls, maxSkew: number) => {
    const authz = createFactsEngine(policies, { sources: [own, people], maxSkew });
    await authz.decide({ principal: ann, resource: doc, action: 'view' });
    later += 5000;
    return authz.decide({ principal: ann, resource: doc, action: 'view' });
  };
  const first = owner({ maxAge: 60_000 });
  assert.ok((await decide(first, team(), 10_000)).allowed);
  assert.is(first.calls.length, 1);
  const again = owner({ maxAge: 60_000 });
  assert.ok((await decide(again, team(), 1000)).allowed);
  assert.is(again.calls.length, 2);
  // A source that is away has only its old row.
  let isAway = false;
  const stale = source(['owner', 'label'], () => (isAway ? undefined : { owner: 'a', label: 'x' }), {
    cache: { maxAge: 1, maxStale: 60_000 },
  });
  const people = {
    ...team(),
    load: async () => {
      isAway = true;
      return { ann: { team: 'a', level: 2 } };
    },
  } as unknown as Calls;
  const decision = await decide(stale, people, 1000);
  assert.ok(
    'unknown' in decision && decision.unknown.every(({ reason }) => reason === 'skew'),
    JSON.stringify(decision),
  );
});

test('outputs are those of an engine with all facts, which are all fetched', async () => {
  const owner = source(['owner'], () => ({ owner: 'a' }));
  const label = source(['label'], () => ({ label: 'x' }));
  const authz = createFactsEngine(policies, { sources: [owner, label, team()] });
  const request = { principal: ann, resource: doc, action: 'view' };
  const plain = await authz.decide(request);
  assert.equal([plain.allowed, 'outputs' in plain, label.calls.length], [true, false, 0]);
  const told = await authz.decide(request, { outputs: true });
  const [expected] = createEngine(policies).check({
    principal: { ...ann, attr: { team: 'a', level: 2 } },
    resources: [{ resource: { ...doc, attr: { owner: 'a', label: 'x' } }, actions: ['view'] }],
  });
  assert.equal('outputs' in told && told.outputs, expected?.outputs);
  assert.is(label.calls.length, 1);
  // What it would tell is not known without one of them.
  const failing = createFactsEngine(policies, { sources: [owner, source(['label'], () => undefined), team()] });
  assert.ok((await failing.decide(request)).allowed);
  assert.ok('unknown' in (await failing.decide(request, { outputs: true })));
});

test('a principal is given the attributes that plans read', async () => {
  const people = team();
  const authz = createFactsEngine(policies, { sources: [people, source(['owner'], () => undefined)] });
  const query = { kinds: ['doc'], actions: ['list'] };
  const principal = await authz.principal(ann, query);
  assert.equal(principal, { ...ann, attr: { team: 'a', level: 2 } });
  assert.is(
    authz.engine.plan({ principal, resource: { kind: 'doc' }, actions: ['list'] }).filter.kind,
    'KIND_CONDITIONAL',
  );
  assert.equal(await authz.principal(ann, { kinds: ['doc'], actions: ['open', 'free'] }), { ...ann, attr: {} });
  assert.is(people.calls.length, 1);
  await createFactsEngine(policies, { sources: [source(['team'], () => undefined, { of: 'principal' })] })
    .principal(ann, query)
    .then(
      () => assert.unreachable(),
      (error: unknown) => assert.instance(error, FactsUnavailableError),
    );
});

test('where schemas reject, what they mention is fetched, and nothing else', async () => {
  const label = source(['label'], () => ({ label: 'too long' }));
  const owner = source(['owner'], () => ({ owner: 'a' }));
  const locked = source(['locked', 'folder'], () => ({ locked: true }));
  const decide = async (schemaEnforcement: 'reject' | 'none', action: string) =>
    createFactsEngine(policies, { sources: [label, owner, locked], engine: { schemaEnforcement } }).decide({
      principal: ann,
      resource: doc,
      action,
    });
  assert.ok((await decide('none', 'free')).allowed);
  assert.equal([label.calls.length, owner.calls.length], [0, 0]);
  const rejected = await decide('reject', 'free');
  assert.equal([rejected.allowed, 'why' in rejected && rejected.why], [false, 'policy']);
  assert.equal([label.calls.length, owner.calls.length, locked.calls.length], [1, 1, 0]);
});

test('`nulls` says what null is, also of an attribute of any type', async () => {
  for (const type of ['boolean', 'any'] as const)
    for (const [nulls, expected] of [
      ['absent', true],
      ['null', false],
      [undefined, type === 'any' ? false : 'unknown'],
    ] as const) {
      const own = source(['locked'], () => ({ locked: null }), { types: { locked: type }, nulls });
      const decision = await createFactsEngine(policies, { sources: [own] }).decide({
        principal: ann,
        resource: doc,
        action: 'lock',
      });
      const outcome = !decision.allowed && decision.why === 'unknown' ? 'unknown' : decision.allowed;
      assert.is(outcome, expected, `${type}, ${nulls}`);
    }
});

test.run();
