import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EvaluationLimitError, MAX_DEPTH } from './meter.js';
import { distinct, first, flatten, last, listOf, listOfOptionals, listsRange, slice, sort } from './lists.js';
import { CelError, Duration, Message, Optional, Uint, type Result, type Value } from './values.js';

const text = (result: Result) => (result as CelError).message;
const NESTED = (levels: number): Value => (levels === 0 ? 1n : [NESTED(levels - 1)]);

test('a list literal evaluates all elements, and any error is the result', () => {
  const failure = new CelError('x');
  assert.equal(listOf([1, 'a']), [1, 'a']);
  assert.is(listOf([1, failure, undefined]), failure);
  assert.is(listOf([undefined, failure]), undefined);
});

test('an optional element is dropped when it is none, and must be optional', () => {
  assert.equal(
    listOfOptionals([
      [true, new Optional(5)],
      [true, new Optional(undefined)],
      [false, 1],
    ]),
    [5, 1],
  );
  assert.is(text(listOfOptionals([[true, 5]])), 'cannot initialize optional list element from non-optional value 5');
});

test('slice takes a range within the list', () => {
  assert.equal(slice([1, 2, 3, 4], 1n, 3n), [2, 3]);
  assert.equal(slice([1, 2, 3, 4], 4n, 4n), []);
  assert.is(text(slice([1, 2, 3, 4], 1n, 5n)), 'cannot slice(1, 5), list is length 4');
  assert.is(text(slice([1], -1n, 2n)), 'cannot slice(-1, 2), negative indexes not supported');
  assert.is(text(slice([1], 3n, 1n)), 'cannot slice(3, 1), start index must be less than or equal to end index');
  assert.is(text(slice([1], 5, 2n)), 'no such overload: slice(list, double, int)');
});

test('flatten takes one level by default, and keeps other elements', () => {
  const list = [1, [2, [3]]];
  assert.equal(flatten(list), [1, 2, [3]]);
  assert.equal(flatten(list, 0n), list);
  assert.equal(flatten(list, 2n), [1, 2, 3]);
  assert.is(text(flatten(list, -1n)), 'level must be non-negative');
  assert.is(text(flatten('a')), 'no such overload: string.flatten()');
  assert.is(text(flatten(null, 1n)), 'no such overload: null_type.flatten(int)');
  assert.is(text(flatten([1], 'a')), 'no such overload: list(dyn).flatten(string)');
  assert.throws(
    () => flatten([NESTED(MAX_DEPTH + 5)], 1_000_000n),
    (error: unknown) => error instanceof EvaluationLimitError,
  );
});

test('sort takes one comparable type', () => {
  assert.equal(sort([3n, 1n, 2n]), [1n, 2n, 3n]);
  assert.equal(sort([true, false]), [false, true]);
  assert.equal(sort(['😀', '\uffff']), ['\uffff', '😀']);
  assert.equal(sort([new Duration(2n), new Duration(1n)]), [new Duration(1n), new Duration(2n)]);
  assert.equal(sort([]), []);
  assert.is(text(sort([1n, 2])), 'list elements must have the same type');
  assert.is(text(sort([[1], [2]])), 'list elements must be comparable');
  assert.is(text(sort('a')), 'no such overload');
  assert.is(text(sort(null)), 'no such overload: sort');
});

test('distinct keeps the first of equal values; NaN is never equal', () => {
  assert.equal(distinct([1n, 1, new Uint(1n), 2]), [1n, 2]);
  assert.equal(distinct([[1], [1]]), [[1]]);
  assert.is((distinct([Number.NaN, Number.NaN]) as Value[]).length, 2);
  assert.is(text(distinct('a')), 'no such overload: distinct(string)');
});

test('first and last are none of an empty list', () => {
  assert.equal(first([1, 2]), new Optional(1));
  assert.equal(last([1, 2]), new Optional(2));
  assert.equal(first([]), new Optional(undefined));
  assert.equal(last([]), new Optional(undefined));
});

test('lists.range counts from 0', () => {
  assert.equal(listsRange(3n), [0n, 1n, 2n]);
  assert.is(text(listsRange(-1n)), 'lists.range: size must be non-negative, got -1');
  assert.is(text(listsRange(5)), 'no such overload: lists.range(double)');
  assert.instance(listsRange(2n ** 40n), CelError);
});

test('distinct fails the call for deeply nested values of any type', () => {
  const nestings: readonly ((inner: Value) => Value)[] = [
    (inner) => [inner],
    (inner) => ({ a: inner }),
    (inner) => new Optional(inner),
    (inner) => new Message('authz.Message', { a: inner }),
  ];
  for (const nest of nestings) {
    const nested = (levels: number): Value => (levels === 0 ? 1n : nest(nested(levels - 1)));
    assert.is((distinct([nested(100), nested(100)]) as Value[]).length, 1);
    assert.throws(
      () => distinct([nested(MAX_DEPTH + 1)]),
      (error: unknown) => error instanceof EvaluationLimitError && error.reason === 'depth',
    );
  }
});

test.run();
