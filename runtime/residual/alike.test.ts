import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as cel from '../../packages/cel/runtime/index.js';
import { EvaluationLimitError, Timestamp, Uint, type Value } from '../../packages/cel/runtime/index.js';
import { assertLinear } from '../../tests/support/growth.js';
import { sameCondition, sameTerm, sameValue } from './alike.js';
import { call, list, struct } from './call.js';
import { allOf, anyOf, not } from './condition.js';
import { likenessOfTerm } from './likeness.js';
import { and, complement, conditional, or } from './logic.js';
import { macro } from './macros.js';
import { equals, inCollection } from './operators.js';
import { rowOf } from './row.js';
import { has, index, optionalSelect, select } from './selection.js';
import { simplify } from './simplify.js';
import type { Condition, Term, Unknown } from './term.js';
import { holds } from './truth.js';

const row = rowOf({});
const is = (term: Term): Condition => ({ kind: 'is', term: term as Unknown });

const nested = (levels: number, innermost: unknown): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => [inner], innermost);

test('values are alike by all that they are made of', () => {
  assert.is(sameValue({ a: [1, { b: null }] }, { a: [1, { b: null }] }), true);
  assert.is(sameValue({ a: [1, { b: null }] }, { a: [1, { c: null }] }), false);
  assert.is(sameValue([1, 2], [1]), false);
  assert.is(sameValue([0], [-0]), false);
  assert.is(sameValue(new Map([['a', [1]]]), new Map([['a', [1]]])), true);
  assert.is(sameValue(new Map([['a', [1]]]), new Map([['a', [2]]])), false);
  assert.is(sameValue(new Map([['a', 1]]), new Map()), false);
});

test('terms that are made twice of the same parts are alike', () => {
  const [a, b] = [row.attr('a'), row.attr('b')];
  const made: { readonly [name: string]: () => Term } = {
    'a list': () => list('x', a),
    'a map': () => struct(['x', a], ['y', 1n]),
    'a comparison': () => equals(a, b),
    'a membership in a list': () => inCollection(a, list('x', b)),
    'a choice': () => conditional(a, b, 'x'),
    'a logical operator': () => and(or(a, b), complement(b)),
    'a field of an unknown element': () => select(index(a, b), 'x'),
    'a test of presence': () => has(a, 'x'),
    'an optional': () => optionalSelect(a, 'x'),
    'a call': () => call('lowerAscii', cel.lowerAscii, a),
    'a macro over a list': () => macro('exists', cel.exists, ['e'], list('x', a), (e) => equals(e, b)),
    'a macro over a constant': () => macro('exists', cel.exists, ['e'], ['x', 'y'], (e) => equals(e, b)),
  };
  for (const [name, make] of Object.entries(made)) {
    assert.ok(sameTerm(make(), make()), name);
    assert.is(likenessOfTerm(make()), likenessOfTerm(make()), name);
  }
  const condition = (): Condition => holds(made['a macro over a list']?.() as Term);
  assert.ok(sameCondition(simplify(anyOf(allOf(is(b), condition()), condition())), condition()));
});

test('values nested 1,000 levels are compared, and deeper ones fail the call', () => {
  assert.is(sameValue(nested(1000, 'x'), nested(1000, 'x')), true);
  assert.is(sameValue(nested(1000, 'x'), nested(1000, 'y')), false);
  for (const wrapped of [
    (value: unknown): unknown => value,
    (value: unknown): unknown => ({ value }),
    (value: unknown): unknown => new Map([['a', value]]),
  ]) {
    assert.throws(
      () => sameTerm(wrapped(nested(100_000, 'x')) as Value, wrapped(nested(100_000, 'x')) as Value),
      (error: unknown) => error instanceof EvaluationLimitError && error.reason === 'depth',
    );
  }
});

test('the likeness of a list does not look into its elements', () => {
  let reads = 0;
  let list: unknown[] = ['x'];
  for (let level = 0; level < 20; level += 1) {
    const inner = list;
    list = [];
    Object.defineProperty(list, 0, {
      enumerable: true,
      get: () => {
        reads += 1;
        return inner;
      },
    });
  }
  assert.type(likenessOfTerm(list as Value), 'number');
  assert.ok(reads <= 2, `${reads} reads`);
  assert.is(likenessOfTerm(nested(3, 'x') as Value), likenessOfTerm(nested(3, 'x') as Value));
  assert.is.not(likenessOfTerm(['a', 'b']), likenessOfTerm(['a', 'c']));
});

test('similar values differ in their likeness', () => {
  const similar: { readonly [name: string]: (i: number) => Value } = {
    'short strings': (i) => `team-${String(i).padStart(6, '0')}/members`,
    'long strings': (i) => `${'x'.repeat(1_500)}${i}${'y'.repeat(1_500)}`,
    fractions: (i) => i / 5_000,
    'large numbers': (i) => i * 2 ** 40,
    'large integers': (i) => BigInt(i) << 40n,
    'unsigned integers': (i) => new Uint(BigInt(i) << 40n),
    lists: (i) => ['a', i, 'z'],
    objects: (i) => ({ id: `o${i}`, kind: 'group' }),
    timestamps: (i) => new Timestamp(1_700_000_000, i, 0),
  };
  for (const [name, make] of Object.entries(similar)) {
    const found = new Set(Array.from({ length: 5_000 }, (_, i) => likenessOfTerm(make(i))));
    assert.ok(found.size > 4_900, `${name}: ${found.size} of 5,000 differ`);
  }
});

test('equal values have one likeness', () => {
  const pairs: readonly (readonly [Value, Value])[] = [
    [
      { a: 1, b: 'x' },
      { b: 'x', a: 1 },
    ],
    [Number.NaN, -Number.NaN],
    [new Timestamp(1, 2, 0), new Timestamp(1, 2, 0)],
    [new Uint(3n), new Uint(3n)],
    ['x'.repeat(9_000), 'x'.repeat(9_000)],
    [Array.from({ length: 20 }, (_, i) => i), Array.from({ length: 20 }, (_, i) => i)],
  ];
  for (const [one, other] of pairs) {
    assert.ok(sameValue(one, other));
    assert.is(likenessOfTerm(one), likenessOfTerm(other));
  }
});

test('joining many similar conditions takes time in proportion to their number', async () => {
  await assertLinear('a disjunction', 600, (size) => {
    const team = row.attr('team');
    const conditions = Array.from({ length: size }, (_, i) => is(equals(team, `team-${String(i).padStart(6, '0')}/x`)));
    return () => simplify(anyOf(...conditions));
  });
});

test('a map of the caller with the fields of a timestamp is not that timestamp', () => {
  const since = new Timestamp(1_700_000_000, 0, 0);
  const lookalike = { seconds: 1_700_000_000, nanos: 0, offset: 0 };
  assert.is(sameValue(since, new Timestamp(1_700_000_000, 0, 0)), true);
  assert.is(sameValue(since, lookalike), false);

  const either = anyOf(is(equals(row.attr('t'), since)), not(is(equals(row.attr('t'), lookalike))));
  assert.equal(simplify(either), either);
});

test('calls are alike by their function and their operands', () => {
  const size = (of: Term): Term => call('size', cel.size, of);
  assert.is(sameTerm(size(row.attr('a')), size(row.attr('a'))), true);
  assert.is(sameTerm(size(row.attr('a')), size(row.attr('b'))), false);
  // Names whose likeness is the same: it does not look at the middle of long strings.
  const long = (middle: string): Term => size(row.attr(`${'a'.repeat(3_000)}${middle}${'b'.repeat(3_000)}`));
  assert.is(likenessOfTerm(long('X')), likenessOfTerm(long('Y')));
  assert.is(sameTerm(long('X'), long('Y')), false);
  assert.is(sameTerm(size(row.attr('a')), call('size', cel.toInt, row.attr('a'))), false);
});

test.run();
