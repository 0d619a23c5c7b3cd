import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filterText } from './debug.js';
import { filterOf } from './filter.js';
import { complement, conditional, or } from './logic.js';
import { equals, greaterThan, inCollection, notEquals } from './operators.js';
import { rowOf } from './row.js';
import { index } from './selection.js';
import type { Condition, Term } from './term.js';
import { holds, isFalse } from './truth.js';

const row = rowOf({});
const text = (condition: Condition): string => filterText(filterOf(condition));
const FAILURE: Term = undefined;

test('a leaf that is known is true or false; a failure and a value of another type are false', () => {
  assert.is(holds(true), true);
  assert.is(holds('text'), false);
  assert.is(holds(FAILURE), false);
});

test('a || FAILURE is true where a is, and never false', () => {
  assert.is(text(holds(or(row.attr('a'), FAILURE))), 'request.resource.attr.a');
  assert.is(holds(complement(or(row.attr('a'), FAILURE))), false);
  assert.is(isFalse(or(row.attr('a'), FAILURE)), false);
});

test('membership in an empty list is never true, and false where the element can be read', () => {
  assert.is(holds(inCollection(row.attr('x'), [])), false);
  assert.is(text(holds(complement(inCollection(row.attr('x'), [])))), '(has request.resource.attr.x)');
});

test('an attribute never equals bytes', () => {
  assert.is(holds(equals(row.attr('x'), new Uint8Array([1]))), false);
});

test('a known map that is indexed by an attribute is a disjunction over its entries', () => {
  const level = index({ eng: 3, hr: 1 }, row.attr('k'));
  assert.is(text(holds(greaterThan(level, 1))), '(eq request.resource.attr.k "eng")');
  assert.is(text(holds(notEquals(level, 1))), '(eq request.resource.attr.k "eng")');
});

test('a failure in a branch is false there', () => {
  assert.is(text(holds(conditional(row.attr('c'), FAILURE, row.attr('x')))), '(if request.resource.attr.c false request.resource.attr.x)');
});

test.run();
