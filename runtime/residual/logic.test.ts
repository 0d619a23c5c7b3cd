import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isFailure } from '../cel/index.js';
import { and, complement, conditional, or } from './logic.js';
import { rowOf } from './row.js';
import { kept, type Term, unplannable } from './term.js';

const x = rowOf({}).attr('x');
const y = rowOf({}).attr('y');
const FAILURE = undefined;

test('false decides a conjunction and true a disjunction, whatever the other side is', () => {
  assert.is(and(x, false), false);
  assert.is(and(FAILURE, false), false);
  assert.is(or(true, FAILURE), true);
  assert.is(or(x, true), true);
});

test('a failure stays beside what is unknown', () => {
  assert.equal(and(x, FAILURE), kept('and', [x, FAILURE]));
  assert.ok(isFailure(and(true, FAILURE) as undefined));
});

test('a known operand that is no boolean is a failure', () => {
  assert.ok(isFailure(and('text', true) as undefined));
});

test('what says nothing is left out, and two that are alike are one that has to be a boolean', () => {
  assert.equal(and(true, x), complement(complement(x)));
  assert.equal(or(x, rowOf({}).attr('x')), complement(complement(x)));
  assert.equal(complement(and(true, x)), complement(x));
  assert.equal(and(x, y), kept('and', [x, y]));
});

test('the complement of what no filter can say is that', () => {
  const term = unplannable('because');
  assert.is(complement(term), term);
  assert.is(complement(true), false);
});

test('a known condition chooses its branch, one that is no boolean fails', () => {
  assert.is(conditional(true, x, y), x);
  assert.is(conditional(false, x, y), y);
  assert.ok(isFailure(conditional('text', x, y) as undefined));
  assert.equal(nodeOf(conditional(x, 1, 2)), { kind: 'call', operator: 'if', operands: [x, 1, 2] });
});

test.run();

function nodeOf(term: Term): unknown {
  return (term as { readonly node?: unknown }).node;
}
