import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PartialDecisions } from '../../packages/analysis/partial/partial-decisions.js';
import { guard } from '../../runtime/engine/parts.js';
import { compiled } from '../support/facts/families.js';
import { bytesInUse } from '../support/heap.js';

/*
 * Conditions of which a fact is unknown, form by form: what is decided holds for every value of it, and what is not decided
 * depends on it.
 */

const test = suite('conditions with unknown facts');

/** Values that an unknown fact may have; undefined if there is none. */
const VALUES = [undefined, null, true, false, 0, 1, 5, 9, 'a', 'b', '', [], ['a'], [1, 'b'], {}, { a: 1 }, { a: 'a' }];

/** Conditions about the attributes `a` and `b`, of which one or both are unknown; `k` is `"a"` and `n` is 3. */
const CONDITIONS: readonly string[] = [
  'R.attr.a',
  '!R.attr.a',
  'has(R.attr.a)',
  '!has(R.attr.a)',
  'has(R.attr.a.a)',
  '"a" in R.attr',
  '!("a" in R.attr)',
  'R.attr.k in R.attr',
  'R.attr["a"] == 1',
  'R.attr[R.attr.k] == 1',
  'R.attr[R.attr.b] == "a"',
  'R.attr.a == R.attr.a',
  'R.attr.a == null',
  'R.attr.a + 1.0 > 5.0',
  'R.attr.a < 5.0 || R.attr.a >= 5.0',
  '!(R.attr.a < 5.0) && !(R.attr.a >= 5.0)',
  'R.attr.a in ["a", 1]',
  '"a" in R.attr.a',
  'size(R.attr.a) == 0',
  'size(R.attr) > 3',
  'R.attr.?a.orValue(5.0) > 4.0',
  'R.attr.?a.hasValue()',
  'R.attr.?a.or(R.attr.?k).value() == "a"',
  'optional.of(R.attr.n).orValue(R.attr.a) == 3.0',
  '[R.attr.a, 1.0].size() == 2',
  '[R.attr.a][0] == 1.0',
  '{"a": R.attr.a}.size() == 1',
  '{"a": R.attr.a}["a"] == 1.0',
  'R.attr.a ? true : false',
  'R.attr.a ? R.attr.b : !R.attr.b',
  'R.attr.n > 2.0 ? R.attr.a : R.attr.b',
  '(R.attr.a ? 1.0 : 2.0) > 0.0',
  'R.attr.a && R.attr.b',
  'R.attr.a || R.attr.b',
  'R.attr.a && R.attr.missing',
  'R.attr.a || R.attr.missing',
  '!(R.attr.a && R.attr.missing)',
  '!(R.attr.a || R.attr.missing)',
  'R.attr.a && false',
  'R.attr.a || true',
  'R.attr.a || R.attr.n == 3.0',
  'R.attr.a.exists(x, x == "a")',
  'R.attr.a.all(x, x == "a")',
  'R.attr.a.all(x, x == "a") ? true : true',
  '(R.attr.a == 1.0) ? true : true',
  'R.attr.a.exists_one(x, x == "a")',
  'R.attr.a.map(x, x).size() == 1',
  'R.attr.a.filter(x, x == "a").size() == 1',
  '["a", "b"].exists(x, x == R.attr.a)',
  '["a", "b"].all(x, x == R.attr.a)',
  '["a", "b"].all(x, x == "a" || R.attr.a)',
  '["a", "b"].exists(x, x == "b" && R.attr.a)',
  '["a", "b"].exists_one(x, x == R.attr.a)',
  '["a", "b"].exists_one(x, x == "a" || R.attr.a)',
  '["a", "b"].map(x, x == R.attr.a)[0]',
  '["a", "b"].filter(x, R.attr.a).size() == 2',
  'cel.bind(x, R.attr.a, x == 1.0 || x == "a")',
  'cel.bind(x, R.attr, x.a == 1.0)',
  'R.attr == {"k": "a", "n": 3.0}',
  'R.attr.exists(k, k == "a")',
  'V.a',
  'has(V.a)',
  '!has(V.a)',
  'has(V.sum)',
  '!has(V.sum)',
  'V.sum > 5.0',
  'V.opt == 5.0',
  'V.opt',
  '!V.opt',
  'V.first',
  '!V.first',
  '"first" in runtime.effectiveDerivedRoles',
  '!("first" in runtime.effectiveDerivedRoles)',
  '"second" in runtime.effectiveDerivedRoles',
  'size(runtime.effectiveDerivedRoles) == 0',
  '"third" in runtime.effectiveDerivedRoles',
  'runtime.effectiveDerivedRoles == ["first"]',
  'request.resource.attr.a == 1.0',
  'has(request.resource.attr.a)',
  'string(R.attr.a) == "a"',
  'R.attr.a.startsWith("a")',
  'type(R.attr.a) == string',
  'type(R.attr.a) == null_type',
  'timestamp(R.attr.a) < now()',
  'P.id in R.attr.a',
  'P.attr.a == R.attr.a',
  'R.attr.a != R.attr.b',
];

const POLICY = {
  'roles.yaml': {
    derivedRoles: {
      name: 'roles',
      definitions: [
        { name: 'first', parentRoles: ['user'], condition: { match: { expr: 'R.attr.a == "a"' } } },
        { name: 'second', parentRoles: ['user'], condition: { match: { expr: 'V.a == R.attr.b' } } },
        { name: 'third', parentRoles: ['user'], condition: { match: { expr: 'has(V.sum)' } } },
      ],
      variables: { local: { a: 'R.attr.a', sum: 'R.attr.a + 1.0' } },
    },
  },
  'doc.yaml': {
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      importDerivedRoles: ['roles'],
      variables: {
        local: {
          a: 'R.attr.a',
          sum: 'R.attr.a + 1.0',
          opt: 'R.attr.?a',
          first: '"first" in runtime.effectiveDerivedRoles',
        },
      },
      rules: CONDITIONS.flatMap((expr, index) => [
        {
          actions: [`allow:${index}`],
          effect: 'EFFECT_ALLOW',
          roles: ['user'],
          condition: { match: { expr } },
        },
        { actions: [`deny:${index}`], effect: 'EFFECT_ALLOW', roles: ['user'] },
        { actions: [`deny:${index}`], effect: 'EFFECT_DENY', roles: ['user'], condition: { match: { expr } } },
        { actions: [`of:${index}`], effect: 'EFFECT_ALLOW', derivedRoles: ['first'], condition: { match: { expr } } },
      ]),
    },
  },
};

const OPTIONS = { clock: () => ({ seconds: 1_700_000_000, nanos: 0, offset: 0 }) };

const policies = compiled(
  Object.fromEntries(
    Object.entries(POLICY).map(([path, document]) => [
      path,
      JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document }),
    ]),
  ),
  OPTIONS,
);
if (policies === undefined) throw new Error('the policies do not compile');
const { engine, program } = policies;
const decider = new PartialDecisions(program, guard, OPTIONS);

type Side = { readonly [name: string]: unknown };

const KNOWN: Side = { k: 'a', n: 3 };

for (const [index, expr] of CONDITIONS.entries())
  test(expr, () => {
    for (const place of ['allow', 'deny', 'of'])
      for (const unknown of [['a'], ['b'], ['a', 'b']]) {
        // The one that is known has each value once.
        const knowns: readonly Side[] =
          unknown.length === 2
            ? [{}]
            : VALUES.map((value) => (value === undefined ? {} : { [unknown[0] === 'a' ? 'b' : 'a']: value }));
        for (const known of knowns) {
          const attr = { ...KNOWN, ...known };
          const request = (more: Side) => ({
            principal: { id: 'a', roles: ['user'], attr: { a: 1 } },
            resource: { kind: 'doc', id: '1', attr: { ...attr, ...more } as never },
            action: `${place}:${index}`,
          });
          const answer = decider.partial(request({}), new Set(unknown.map((name) => `resource.attr.${name}`)));
          const completions = VALUES.flatMap((a) => (unknown.length === 2 ? VALUES : [a]).map((b) => [a, b] as const));
          const outcomes = new Set(
            completions.map(([a, b]) =>
              engine.isAllowed(
                request(
                  Object.fromEntries(
                    unknown.flatMap((name, at) => {
                      const value = at === 0 ? a : b;
                      return value === undefined ? [] : [[name, value]];
                    }),
                  ),
                ),
              ),
            ),
          );
          const at = `${place}, ${unknown.join(' and ')} unknown, ${JSON.stringify(attr)}`;
          if (typeof answer === 'boolean') assert.equal([...outcomes], [answer], `${at}: ${answer}`);
          else
            for (const fact of answer)
              assert.ok(unknown.includes(fact.replace('resource.attr.', '')), `${at}: asks for ${fact}`);
        }
      }
  });

/** Conditions that are decided although a fact is unknown, so that it is not asked for. */
const DECIDED: readonly (readonly [expr: string, answer: boolean])[] = [
  ['R.attr.a && R.attr.missing', false],
  ['R.attr.a && false', false],
  ['R.attr.a || true', true],
  ['R.attr.a || R.attr.n == 3.0', true],
  ['optional.of(R.attr.n).orValue(R.attr.a) == 3.0', true],
];

for (const [expr, answer] of DECIDED)
  test(`${expr} is decided`, () => {
    const resource = { kind: 'doc', id: '1', attr: { ...KNOWN } as never };
    const request = {
      principal: { id: 'a', roles: ['user'] },
      resource,
      action: `allow:${CONDITIONS.indexOf(expr)}`,
    };
    assert.is(decider.partial(request, new Set(['resource.attr.a'])), answer);
  });

test('a value that is sent for an unknown fact does not count', () => {
  const resource = { kind: 'doc', id: '1', attr: { ...KNOWN, a: true } };
  const request = { principal: { id: 'a', roles: ['user'] }, resource, action: 'allow:0' };
  assert.equal(
    [...(decider.partial(request, new Set(['resource.attr.a'])) as ReadonlySet<string>)],
    ['resource.attr.a'],
  );
});

test('an unknown entry of a computed name asks for that entry alone', () => {
  const ask = (expr: string, unknown: readonly string[]) =>
    decider.partial(
      {
        principal: { id: 'a', roles: ['user'] },
        resource: { kind: 'doc', id: '1', attr: { ...KNOWN } as never },
        action: `allow:${CONDITIONS.indexOf(expr)}`,
      },
      new Set(unknown.map((name) => `resource.attr.${name}`)),
    );
  assert.equal([...(ask('R.attr[R.attr.k] == 1', ['a', 'b']) as ReadonlySet<string>)], ['resource.attr.a']);
  assert.equal([...(ask('R.attr[R.attr.b] == "a"', ['a', 'b']) as ReadonlySet<string>)].sort(), [
    'resource.attr.a',
    'resource.attr.b',
  ]);
  assert.equal(
    [...(ask('"first" in runtime.effectiveDerivedRoles', ['a', 'b']) as ReadonlySet<string>)],
    ['resource.attr.a'],
  );
});

test('memory does not grow with the roles and actions that requests name', () => {
  const texts = {
    'p.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: {
        resource: 'doc',
        version: 'default',
        rules: Array.from({ length: 20 }, (_, index) => ({
          actions: ['read:*'],
          effect: 'EFFECT_ALLOW',
          roles: ['user'],
          condition: { match: { expr: `R.attr.n == ${index}` } },
        })),
      },
    }),
  };
  const own = new PartialDecisions(compiled(texts, OPTIONS)?.program as typeof program, guard, OPTIONS);
  const ask = (number: number): void => {
    const principal = { id: 'a', roles: ['user', `role ${number % 16}`] };
    const answer = own.partial(
      { principal, resource: { kind: 'doc', id: '1' }, action: `read:${number}` },
      new Set(['resource.attr.n']),
    );
    assert.ok(typeof answer === 'object');
  };
  // Many roles have long keys, and large formulas.
  const askLong = (number: number): void => {
    const roles = Array.from({ length: 1000 }, (_, index) => `role ${index} of ${number}`);
    own.partial(
      { principal: { id: 'a', roles }, resource: { kind: 'doc', id: '1' }, action: 'read:1' },
      new Set(['resource.attr.n']),
    );
  };
  const askMany = (from: number): number => {
    for (let number = from; number < from + 11_000; number += 1) ask(number);
    return bytesInUse();
  };
  const [none, some, more] = [bytesInUse(), askMany(0), askMany(11_000)];
  assert.ok(more - some < (some - none) / 4, `${none}, ${some}, ${more}`);
  const askManyLong = (from: number): number => {
    for (let number = from; number < from + 100; number += 1) askLong(number);
    return bytesInUse();
  };
  const [long, longer] = [askManyLong(0), askManyLong(100)];
  assert.ok(longer - long < 2_000_000, `${long}, ${longer}`);
});

test.run();
