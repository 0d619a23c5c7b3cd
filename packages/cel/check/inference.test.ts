import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dyn, int, json, listType, nullType, parameter, string, timestamp } from '../library/types.js';
import { Inference } from './inference.js';

const A = parameter('A');

test('a free parameter binds to the actual type, and later occurrences must agree', () => {
  const inference = new Inference('static');
  assert.ok(inference.assignableAll([int, listType(int)], [A, listType(A)]));
  assert.equal(inference.substitute(A), int);
  assert.not.ok(inference.assignable(string, A));
});

test('a rejected attempt leaves no binding', () => {
  const inference = new Inference('static');
  assert.not.ok(inference.assignableAll([int, string], [A, A]));
  assert.equal(inference.substitute(A), A);
});

test('binding widens to dyn', () => {
  const inference = new Inference('static');
  assert.ok(inference.assignableAll([int, dyn], [A, A]));
  assert.equal(inference.substitute(A), dyn);
});

test('types with parameters are assignable parameter by parameter', () => {
  const inference = new Inference('static');
  assert.not.ok(inference.assignable(listType(int), listType(string)));
  assert.ok(inference.assignable(listType(listType(int)), listType(dyn)));
});

test('a parameter is never bound to a type that contains it', () => {
  const inference = new Inference('static');
  assert.not.ok(inference.assignable(listType(A), A));
});

test('null is assignable to a time and not to a scalar', () => {
  const inference = new Inference('static');
  assert.ok(inference.assignable(nullType, timestamp));
  assert.not.ok(inference.assignable(nullType, int));
});

test('the static type trusts a literal, the certain type does not', () => {
  const statically = new Inference('static');
  statically.assignableAll([json, listType(int)], [listType(A), listType(A)]);
  assert.equal(statically.substitute(A), int);

  const certainly = new Inference('certain');
  certainly.assignableAll([json, listType(int)], [listType(A), listType(A)]);
  assert.equal(certainly.substitute(A), dyn);
});

test.run();
