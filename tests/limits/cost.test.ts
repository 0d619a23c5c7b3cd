import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, EvaluationLimitError, explanations, mergeErrors } from '../../runtime/engine/index.js';
import type { CompiledBundle } from '../../runtime/engine/bundle.js';
import type { CompiledTraces } from '../../runtime/engine/decide/evaluation.js';
import type { Attributes } from '../../runtime/policy/index.js';
import { selects } from '../../runtime/residual/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { assertLinear } from '../support/growth.js';

/**
 * A call whose conditions exceed the cost limit fails. If such a condition counted as false instead, a DENY would not
 * apply. The limit counts steps, so results do not depend on the machine.
 */
const test = suite('the cost of conditions');

/** Each variable uses the previous one twice. */
const DOUBLED = Object.fromEntries([
  ['s0', 'R.attr.s'],
  ...Array.from({ length: 40 }, (_, index) => [`s${index + 1}`, `V.s${index} + V.s${index}`]),
]);

const policyOf = (condition: string, kind = 'item'): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  variables: { local: ${JSON.stringify(DOUBLED)} }
  rules:
    - { actions: ["*"], effect: EFFECT_ALLOW, roles: ["*"] }
    - { actions: ["*"], effect: EFFECT_DENY, roles: ["*"], condition: { match: { expr: ${JSON.stringify(condition)} } } }
`;

const numbers = Array.from({ length: 20_000 }, (_, index) => index);
const texts = numbers.map((index) => `element-${index}`);
const maps = numbers.map((index) => ({ id: `element-${index}`, at: { n: index } }));
const wide = Object.fromEntries(texts.map((text, index) => [text, index]));
const long = 'a'.repeat(400_000);
let nested: unknown = 'x';
for (let level = 0; level < 1_500; level++) nested = [nested];
let copy: unknown = 'x';
for (let level = 0; level < 1_500; level++) copy = [copy];

/** Steps, and much less than the conditions below need. */
const COST = 200_000;

const HOSTILE: readonly (readonly [condition: string, attr: Attributes])[] = [
  ['R.attr.a.exists(x, R.attr.b.exists(y, x + y == -1.0))', { a: numbers, b: numbers }],
  ['R.attr.a.all(x, !(x in R.attr.b) || x != "")', { a: texts, b: texts.toReversed() }],
  ['R.attr.a.map(x, R.attr.b.filter(y, y == x)).size() == 1', { a: maps, b: maps }],
  ['R.attr.s.replace("a", R.attr.s) == "x"', { s: long }],
  ['R.attr.s.replace("", R.attr.s).replace("a", R.attr.s) == "x"', { s: 'a'.repeat(30_000) }],
  ['R.attr.a.join(R.attr.s) == "x"', { a: texts, s: long }],
  ['R.attr.a.map(x, R.attr.s + x).exists(x, x == "")', { a: texts, s: long }],
  ['R.attr.a.map(x, "%s%s".format([R.attr.s, x])).exists(x, x == "")', { a: texts, s: long }],
  ['R.attr.a.exists(x, R.attr.s.split("").exists(y, y == x))', { a: texts, s: long }],
  ['R.attr.a.exists(x, R.attr.s.lastIndexOf(x) == 1)', { a: texts, s: long }],
  ['R.attr.a.exists(x, R.attr.s.matches(x))', { a: texts.map((text) => `(a|b)*${text}`), s: long }],
  ['R.attr.s.matches(R.attr.p)', { s: 'x', p: '(a|b)*'.repeat(80_000) }],
  ['R.attr.a.exists(x, size(R.attr.m) == x)', { a: numbers, m: wide }],
  ['R.attr.a.exists(x, optional.ofNonZeroValue(R.attr.m).hasValue() && x == -1.0)', { a: numbers, m: wide }],
  ['R.attr.a.exists(x, math.greatest(R.attr.b) < x - 30000.0)', { a: numbers.slice(0, 1000), b: numbers }],
  ['R.attr.a.exists(x, isIP(R.attr.s + x))', { a: texts.slice(0, 100), s: long }],
  ['R.attr.a.exists(x, R.attr.s.inIPAddrRange("10.0.0.0/8") || x == "")', { a: texts.slice(0, 100), s: long }],
  ['R.attr.a.exists(x, x.sort().size() == 0 || x.split(x, x) == [])', { a: Array.from({ length: 300_000 }, () => 0) }],
  [
    'R.attr.a.exists(x, R.attr.q.inIPAddrRange(R.attr.s + x))',
    { a: numbers.slice(0, 500).map(String), q: '10.0.0.1', s: `10.0.0.0/${'1'.repeat(100_000)}` },
  ],
  [
    'R.attr.a.exists(x, spiffeMatchExact("spiffe://b").matchesID(R.attr.s + x))',
    { a: texts.slice(0, 200), s: `spiffe://a/${long}` },
  ],
  ['R.attr.a.exists(x, timestamp(0).getHours(R.attr.s) == -1)', { a: numbers, s: 'Europe/Berlin' }],
  ['R.attr.a.exists(x, timestamp(0).getHours(R.attr.s + x) == 25)', { a: texts.slice(0, 200), s: `${long}:` }],
  ['regex.extractAll(R.attr.s, R.attr.p).size() == 0', { s: 'a'.repeat(10_000), p: 'a(.*b)?' }],
  ['regex.replace(R.attr.s, R.attr.p, R.attr.q) == ""', { s: 'a'.repeat(20_000), p: 'a', q: '\\\\0'.repeat(100) }],
  [
    'R.attr.a.exists(x, hierarchy(R.attr.s, R.attr.p).size() == 0 || x == "")',
    { a: texts.slice(0, 2000), s: 'a'.repeat(4000), p: `${'a'.repeat(1000)}b${'a'.repeat(1000)}` },
  ],
  [
    'R.attr.a.exists(x, R.attr.s.contains(R.attr.p) || x == "")',
    { a: texts.slice(0, 2000), s: 'a'.repeat(4000), p: `${'a'.repeat(1000)}b${'a'.repeat(1000)}` },
  ],
  [
    'R.attr.a.exists(x, hierarchy(R.attr.b) == hierarchy(R.attr.b + [x]))',
    { a: texts.slice(0, 1000), b: texts.slice(0, 5000) },
  ],
  ['R.attr.a.exists(x, json.encode(R.attr.m) == x)', { a: texts.slice(0, 30), m: wide }],
  ['R.attr.a.exists(x, R.attr.p.format([x, x]) == "")', { a: numbers, p: '%.100f%.100e' }],
  ['R.attr.a.map(x, lists.range(x.size() + 90000)).size() == 1', { a: texts }],
];

/** A policy for each condition of a list: kind `item0` for the first. */
async function eachLoaded(conditions: readonly string[]): ReturnType<typeof loaded> {
  const texts = conditions.map((condition, index) => [`item${index}.yaml`, policyOf(condition, `item${index}`)]);
  return loaded(compileTexts(Object.fromEntries(texts)));
}

const hostile = await eachLoaded(HOSTILE.map(([condition]) => condition));
const traces = (await hostile.traced?.()) as CompiledTraces;

for (const [index, [condition, attr]] of HOSTILE.entries()) {
  test(`fails the call: ${condition}`, () => {
    const { policies } = hostile;
    const kind = `item${index}`;
    const principal = { id: 'alice', roles: ['user'], attr: {} };
    const resource = { kind, id: 'item', attr };
    for (const strictEvaluation of [false, true]) {
      const engine = createEngine(policies as CompiledBundle, {
        traced: traces,
        strictEvaluation,
        limits: { evaluationCost: COST },
        use: [explanations()],
      });
      assert.throws(() => engine.check({ principal, resources: [{ resource, actions: ['view'] }] }), isLimit('cost'));
      assert.throws(() => engine.isAllowed({ principal, resource, action: 'view' }), isLimit('cost'));
      assert.throws(() => engine.for(principal).can('view', resource), isLimit('cost'));
      assert.throws(() => engine.plan({ principal, resource: { kind, attr }, actions: ['view'] }), isLimit('cost'));
      assert.ok(
        mergeErrors(engine.explain({ principal, resources: [{ resource, actions: ['view'] }] })).some(
          ({ expression }) => expression === '',
        ),
      );
      // The next call has its own limit.
      assert.type(
        engine.isAllowed({
          principal,
          resource: { ...resource, attr: { a: ['y'], b: ['y'], s: 'z', p: 'y' } },
          action: 'view',
        }),
        'boolean',
      );
    }
  });
}

test('doubling variables are charged for every evaluation, even of empty values', async () => {
  const { policies } = await loaded(compileTexts({ 'item.yaml': policyOf('V.s40 == R.attr.s') }));
  const engine = createEngine(policies as CompiledBundle, { limits: { evaluationCost: 1_000_000 } });
  assert.throws(
    () =>
      engine.isAllowed({
        principal: { id: 'alice', roles: ['user'] },
        resource: { kind: 'item', id: 'item', attr: { s: '' } },
        action: 'view',
      }),
    isLimit('cost'),
  );
});

const DEEP = [
  'R.attr.a == R.attr.b',
  'R.attr.a != R.attr.b',
  '[R.attr.a, R.attr.b].distinct().size() == 1',
  'R.attr.a in [R.attr.b]',
  '"%s".format([R.attr.a]) == "x"',
  'hasIntersection([R.attr.a], [R.attr.b])',
];

const deep = createEngine((await eachLoaded(DEEP)).policies as CompiledBundle);

for (const [index, condition] of DEEP.entries()) {
  test(`fails the call for deeply nested values: ${condition}`, () => {
    const engine = deep;
    const resource = { kind: `item${index}`, id: 'item', attr: { a: nested, b: copy } };
    assert.throws(
      () => engine.isAllowed({ principal: { id: 'alice', roles: ['user'] }, resource, action: 'view' }),
      isLimit('depth'),
    );
  });
}

/** Each level would overflow the stack somewhere, or double the size of a plan. */
const levels = (count: number): unknown => Array.from({ length: count }).reduce<unknown>((inner) => [inner], 'x');

test('a plan fails for values nested 100,000 levels deep, in time that does not grow with the depth', async () => {
  const conditions = [
    'R.attr.x == P.attr.a',
    'R.attr.x == P.attr.a || R.attr.x == P.attr.b',
    'R.attr.x in [P.attr.a, P.attr.b] && !(R.attr.y == P.attr.b)',
    'R.attr.list == [P.attr.a] || R.attr.list == [P.attr.b]',
    'size(R.attr) > 1 && R.attr.x == R.attr.a || size(R.attr) > 1 && R.attr.x == P.attr.a',
  ];
  const engine = createEngine((await eachLoaded(conditions)).policies as CompiledBundle);
  for (const [index, condition] of conditions.entries()) {
    const plan = (count: number): unknown => {
      const principal = { id: 'alice', roles: ['user'], attr: { a: levels(count), b: levels(count) } };
      return engine.plan({
        principal,
        resource: { kind: `item${index}`, attr: { a: levels(count) } as Attributes },
        actions: ['view'],
      }).filter.kind;
    };
    assert.is(plan(100), 'KIND_CONDITIONAL');
    assert.throws(() => plan(100_000), isLimit('depth'), condition);
    assert.is(plan(100), 'KIND_CONDITIONAL');
  }
});

test('a plan of macros within macros takes time that grows with its elements, and fails before they fill the memory', async () => {
  const condition = 'P.attr.a.exists(x, P.attr.b.exists(y, R.attr.z == x + y))';
  const { policies } = await loaded(compileTexts({ 'item.yaml': policyOf(condition) }));
  const engine = createEngine(policies as CompiledBundle);
  const plan = (count: number): unknown => {
    const [a, b] = ['a', 'b'].map((name) => Array.from({ length: count }, (_, index) => `${name}${index}`));
    const principal = { id: 'alice', roles: ['user'], attr: { a, b } as Attributes };
    return engine.plan({ principal, resource: { kind: 'item', attr: {} }, actions: ['view'] }).filter.kind;
  };
  assert.is(plan(60), 'KIND_CONDITIONAL');
  // Pairs of elements.
  await assertLinear('planning', 8 * 8, (pairs) => () => plan(Math.sqrt(pairs)));
  assert.throws(() => plan(300), isLimit('cost'));
  assert.is(plan(10), 'KIND_CONDITIONAL');
});

test('evaluating a filter against a row has the limits of a check', async () => {
  const { policies } = await loaded(
    compileTexts({
      'item.yaml': policyOf('R.attr.a.exists(x, R.attr.b.exists(y, x + y == -1.0)) || R.attr.c == R.attr.d'),
    }),
  );
  const { filter } = createEngine(policies as CompiledBundle).plan({
    principal: { id: 'alice', roles: ['user'] },
    resource: { kind: 'item' },
    actions: ['view'],
  });
  assert.throws(() => selects(filter, { attr: { a: numbers, b: numbers, c: 1, d: 2 } }), isLimit('cost'));
  assert.throws(
    () => selects(filter, { attr: { a: [], b: [], c: levels(100_000), d: levels(100_000) } }),
    isLimit('depth'),
  );
  assert.is(selects(filter, { attr: { a: [1], b: [-2], c: 1, d: 2 } }), false);
  assert.is(selects(filter, { attr: { a: [1], b: [2], c: 1, d: 2 } }), true);
});

test('50 resources with `exists` over 10,000 elements pass', async () => {
  const { policies } = await loaded(compileTexts({ 'item.yaml': policyOf('R.attr.a.exists(x, x == -1.0)') }));
  const engine = createEngine(policies as CompiledBundle);
  const actions = Array.from({ length: 10 }, (_, index) => `view:${index}`);
  const resources = Array.from({ length: 50 }, (_, index) => ({
    resource: { kind: 'item', id: `item-${index}`, attr: { a: numbers.slice(0, 10_000) } },
    actions,
  }));
  const results = engine.check({ principal: { id: 'alice', roles: ['user'] }, resources });
  assert.ok(results.every((result) => result.actions.every(({ effect }) => effect === 1)));
});

test('each resource of a check has its own memory limit', async () => {
  const { policies } = await loaded(compileTexts({ 'item.yaml': policyOf('R.attr.s + R.attr.s == "x"') }));
  const engine = createEngine(policies as CompiledBundle, { limits: { evaluationMemory: 10_000 } });
  const check = (count: number, length: number): readonly number[] =>
    engine
      .check({
        principal: { id: 'alice', roles: ['user'] },
        resources: Array.from({ length: count }, (_, index) => ({
          resource: { kind: 'item', id: `item-${index}`, attr: { s: 'a'.repeat(length) } },
          actions: ['view'],
        })),
      })
      .flatMap(({ actions }) => actions.map(({ effect }) => effect));
  assert.equal(
    check(50, 1_000),
    Array.from({ length: 50 }, () => 1),
  );
  assert.throws(() => check(1, 3_000), isLimit('cost'));
});

test('limits that are not reached do not change decisions', async () => {
  const conditions = [
    'R.attr.a.distinct().size() == 3',
    'R.attr.a.intersect(R.attr.b).size() == 2',
    'R.attr.a.except(R.attr.b) == [3.0]',
    'R.attr.a.isSubset(R.attr.b)',
    'sets.equivalent(R.attr.m, R.attr.n)',
  ];
  const attr = {
    a: [1, 2, 3, 1, 2],
    b: [2, 1],
    m: [{ x: [1, { y: null }] }, { z: -0 }],
    n: [{ z: 0 }, { x: [1, { y: null }] }],
  };
  const expected = [true, true, true, false, true];
  const { policies } = await eachLoaded(conditions);
  for (const [index, condition] of conditions.entries()) {
    const ask = (limits: object): boolean =>
      createEngine(policies as CompiledBundle, { limits }).isAllowed({
        principal: { id: 'alice', roles: ['user'] },
        resource: { kind: `item${index}`, id: 'item', attr },
        action: 'view',
      });
    assert.is(
      ask({}),
      ask({ evaluationCost: Number.MAX_SAFE_INTEGER, evaluationMemory: Number.MAX_SAFE_INTEGER }),
      condition,
    );
    assert.is(ask({}), !expected[index], condition);
  }
});

test.run();

function isLimit(reason: 'cost' | 'depth'): (error: unknown) => boolean {
  return (error) => error instanceof EvaluationLimitError && error.reason === reason;
}
