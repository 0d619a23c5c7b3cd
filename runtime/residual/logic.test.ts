import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isFailure } from '../../packages/cel/runtime/index.js';
import { and, complement, conditional, or } from './logic.js';
import { rowOf } from './row.js';
import { kept, type Term, unplannable } from './term.js';

const x = rowOf({}).attr('x');
const y = rowOf({}).attr('y');
const FAILURE = undefined;

test('false decides a conjunction and true a disjunction, whatever the other operand is', () => {
  assert.is(and(x, false), false);
  assert.is(and(FAILURE, false), false);
  assert.is(or(true, FAILURE), true);
  assert.is(or(x, true), true);
});

test('a failure is kept next to an unknown operand', () => {
  assert.equal(and(x, FAILURE), kept('and', [x, FAILURE]));
  assert.ok(isFailure(and(true, FAILURE) as undefined));
});

test('a known operand that is not a boolean is a failure', () => {
  assert.ok(isFailure(and('text', true) as undefined));
});

test('neutral operands are dropped, and two equal ones become one that must be a boolean', () => {
  assert.equal(and(true, x), complement(complement(x)));
  assert.equal(or(x, rowOf({}).attr('x')), complement(complement(x)));
  assert.equal(complement(and(true, x)), complement(x));
  assert.equal(and(x, y), kept('and', [x, y]));
});

test('the complement of an inexpressible condition is inexpressible', () => {
  const term = unplannable('because');
  assert.is(complement(term), term);
  assert.is(complement(true), false);
});

test('a known condition chooses its branch, and one that is not a boolean fails', () => {
  assert.is(conditional(true, x, y), x);
  assert.is(conditional(false, x, y), y);
  assert.ok(isFailure(conditional('text', x, y) as undefined));
  assert.equal(nodeOf(conditional(x, 1, 2)), { kind: 'call', operator: 'if', operands: [x, 1, 2] });
});

test.run();

function nodeOf(term: Term): unknown {
  return (term as { readonly node?: unknown }).node;
}
