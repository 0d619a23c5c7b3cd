import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allOf, anyOf, not } from './condition.js';
import { simplify } from './simplify.js';
import { and, complement, or } from './logic.js';
import { rowOf } from './row.js';
import type { Condition, Term, Unknown } from './term.js';

const row = rowOf({});
const is = (term: Term): Condition => ({ kind: 'is', term: term as Unknown });
const [a, b, c] = ['a', 'b', 'c'].map((name) => is(row.attr(name))) as [Condition, Condition, Condition];

test('a condition is dropped when its siblings imply it, also across levels', () => {
  assert.equal(simplify(allOf(b, anyOf(a, b))), b);
  assert.equal(simplify(anyOf(b, allOf(a, b))), b);
  assert.equal(simplify(allOf(a, anyOf(b, allOf(a, c)))), allOf(a, anyOf(b, c)));
});

test('the negation of a sibling is false in a conjunction, and true in a disjunction', () => {
  assert.is(simplify(allOf(a, not(a))), false);
  assert.is(simplify(anyOf(a, b, not(a))), true);
  assert.equal(simplify(allOf(not(a), anyOf(a, b))), allOf(not(a), b));
});

test('the CEL complement is false next to its operand, and not true where the operand is not', () => {
  const complementOfA = is(complement(row.attr('a')));
  assert.is(simplify(allOf(a, complementOfA)), false);
  assert.equal(simplify(anyOf(a, complementOfA)), anyOf(a, complementOfA));
});

test('the logic of an expression becomes logic of conditions', () => {
  assert.equal(simplify(is(and(row.attr('a'), row.attr('b')))), allOf(a, b));
  assert.equal(simplify(allOf(a, is(or(row.attr('a'), row.attr('b'))))), a);
});

test('nested conditions of one kind are flattened, without duplicates', () => {
  assert.equal(simplify({ kind: 'and', operands: [a, { kind: 'and', operands: [b, a] }] }), allOf(a, b));
});

test('more than sixty parts are not simplified', () => {
  const many = Array.from({ length: 61 }, (_, index) => is(row.attr(`x${index}`)));
  assert.equal(
    simplify(anyOf(...many, allOf(many[0] as Condition, a))),
    anyOf(...many, allOf(many[0] as Condition, a)),
  );
});

test.run();
