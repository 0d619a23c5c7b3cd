import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bool, json, opaque } from '../../packages/cel/library/types.js';
import { Source } from '../diagnostics/source.js';
import { joinAll, joinAny, fails, holds, not, toPredicate } from './polarity.js';
import type { Predicate } from './predicate.js';
import type { Operator, Value } from './value.js';

const attribute = (name: string): Value => ({
  kind: 'select',
  operand: { kind: 'field', of: 'resource', name: 'attr', type: json },
  name,
  type: json,
});
const operator = (name: Operator, ...operands: readonly Value[]): Value => ({
  kind: 'operator',
  operator: name,
  operands,
  type: bool,
});
const [a, b, c] = ['a', 'b', 'c'].map(attribute) as [Value, Value, Value];
const is = (value: Value, polarity: boolean): Predicate => ({ kind: 'is', value, polarity });

test('a negation evaluates its operand with the other polarity: a failure is neither', () => {
  assert.equal(holds(operator('not', a)), is(a, false));
  assert.equal(fails(operator('not', a)), is(a, true));
  assert.equal(holds(operator('not', operator('not', a))), is(a, true));
});

test('the negation of a conjunction is a disjunction of negations, and vice versa', () => {
  assert.equal(holds(operator('not', operator('and', a, b))), { kind: 'or', operands: [is(a, false), is(b, false)] });
  assert.equal(holds(operator('not', operator('or', a, b))), { kind: 'and', operands: [is(a, false), is(b, false)] });
});

test('chains are flat', () => {
  assert.equal(holds(operator('and', operator('and', a, b), c)), {
    kind: 'and',
    operands: [is(a, true), is(b, true), is(c, true)],
  });
});

test('an inequality is a false equality, unless the equality itself may fail', () => {
  assert.equal(holds(operator('notEquals', a, b)), {
    kind: 'compare',
    comparison: 'equals',
    left: a,
    right: b,
    polarity: false,
  });
  const range: Value = { ...a, type: opaque('net.IP') } as Value;
  const differs = operator('notEquals', range, b);
  assert.equal(holds(differs), is(differs, true));
});

test('a ternary is its condition and one branch, or its negation and the other', () => {
  const choice = operator('conditional', a, b, c);
  const expected = {
    kind: 'or',
    operands: [
      { kind: 'and', operands: [is(a, true), is(b, true)] },
      { kind: 'and', operands: [is(a, false), is(c, true)] },
    ],
  };
  assert.equal(holds(choice), expected);
});

test('a ternary in the condition of a ternary does not double its size', () => {
  let value: Value = a;
  for (let depth = 0; depth < 60; depth += 1) value = operator('conditional', value, b, c);
  assert.ok(JSON.stringify(holds(value)).length < 100_000);
});

test('`none` is two-valued: it holds where its parts fail (docs/spec/policy-language.md#results-of-conditions)', () => {
  const none = toPredicate({
    kind: 'none',
    of: [
      {
        kind: 'expr',
        expression: { text: 'a', spanOf: () => ({ source: new Source('a.yaml', 'a'), start: 0, end: 1 }) },
        value: a,
      },
    ],
  });
  assert.equal(none, { kind: 'not', operand: is(a, true) });
});

test('constants are folded', () => {
  const yes: Predicate = { kind: 'constant', value: true };
  const no: Predicate = { kind: 'constant', value: false };
  assert.equal([joinAll([]), joinAny([]), joinAll([yes, no]), joinAny([no, yes]), not(no)], [yes, no, no, yes, yes]);
  assert.equal(joinAll([yes, is(a, true)]), is(a, true));
});

test.run();
