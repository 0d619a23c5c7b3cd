import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { operandText } from './debug.js';
import { and, complement, or } from './logic.js';
import { equals, inCollection, negate } from './operators.js';
import { rowOf } from './row.js';
import { has, index, select } from './selection.js';
import type { Term } from './term.js';
import { writeTerm } from './wire.js';

const row = rowOf({});
const x = row.attr('x');
const flat = (term: Term, asked: 'truth' | 'value' = 'value'): string => operandText(writeTerm(term, 'flat', asked));
const reference = (term: Term): string => operandText(writeTerm(term, 'reference'));

test('a path is one dotted variable, with brackets only around names that no variable can have', () => {
  assert.is(flat(select(select(row.attributes, 'a'), 'b')), 'request.resource.attr.a.b');
  assert.is(flat(index(row.attributes, 'say "x"')), '(index request.resource.attr "say \\"x\\"")');
  assert.is(flat(index(row.attr('m'), 'k')), 'request.resource.attr.m.k');
  assert.is(reference(index(row.attr('m'), 'k')), '(index request.resource.attr.m "k")');
});

test('operands are never swapped', () => {
  assert.is(flat(equals('u1', x)), '(eq "u1" request.resource.attr.x)');
});

test('membership in a list of one is an equality, and in a map it is membership in its keys', () => {
  assert.is(flat(inCollection(x, ['a'])), '(eq request.resource.attr.x "a")');
  assert.is(flat(inCollection(x, { b: 1, a: 2 })), '(in request.resource.attr.x ["a","b"])');
});

test('`and` and `or` are flattened, and equalities of one attribute become a membership; reference shapes keep both', () => {
  const term = or(or(equals(x, 'a'), equals(x, 'b')), equals(x, 'c'));
  assert.is(flat(term), '(in request.resource.attr.x ["a","b","c"])');
  assert.is(
    reference(term),
    '(or (or (eq request.resource.attr.x "a") (eq request.resource.attr.x "b")) (eq request.resource.attr.x "c"))',
  );
});

test('a presence test is dropped next to what implies it where only truth counts, and kept under a not', () => {
  const guarded = and(has(row.attributes, 'x'), equals(x, 'a'));
  assert.is(flat(guarded, 'truth'), '(eq request.resource.attr.x "a")');
  assert.is(
    flat(complement(guarded), 'truth'),
    '(not (and (has request.resource.attr.x) (eq request.resource.attr.x "a")))',
  );
});

test('the negation of a number is a subtraction, in reference shapes a separate operator', () => {
  assert.is(flat(negate(x)), '(sub 0 request.resource.attr.x)');
  assert.is(reference(negate(x)), '(-_ request.resource.attr.x)');
});

test.run();
