import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as cel from '../../packages/cel/runtime/index.js';
import { call, typeName } from './call.js';
import { operandText } from './debug.js';
import { macro } from './macros.js';
import { equals } from './operators.js';
import { findProblem } from './problem.js';
import { rowOf } from './row.js';
import { select } from './selection.js';
import { isUnplannable, type Term } from './term.js';
import { holds } from './truth.js';
import { writeTerm } from './wire.js';

const row = rowOf({});
const text = (term: Term): string => operandText(writeTerm(term, 'flat'));
const isX = (t: Term): Term => equals(t, 'x');

test('over a known range a macro is expanded element by element', () => {
  assert.is(
    text(macro('exists', cel.exists, ['t'], ['a', 'b'], (t) => equals(t, row.attr('x')))),
    '(in request.resource.attr.x ["a","b"])',
  );
  assert.is(macro('all', cel.all, ['t'], [], isX), true);
  assert.is(macro('exists', cel.exists, ['t'], ['x'], isX), true);
});

test('over an unknown range the body comes first, then the variables', () => {
  assert.is(
    text(macro('exists', cel.exists, ['t'], row.attr('l'), isX)),
    '(exists request.resource.attr.l (lambda (eq t "x") t))',
  );
  const entries = macro('all2', cel.all2, ['k', 'v'], row.attr('m'), (_, v) => isX(v as Term));
  assert.is(text(entries), '(all request.resource.attr.m (lambda (eq v "x") k v))');
});

test('a map of its own variable is a filter, because its lambda would look like one with two variables', () => {
  assert.is(
    text(macro('mapWhere', cel.mapWhere, ['t'], row.attr('l'), isX, (t) => t)),
    '(filter request.resource.attr.l (lambda (eq t "x") t))',
  );
  assert.is(
    text(macro('mapWhere', cel.mapWhere, ['t'], row.attr('l'), isX, (t) => select(t, 'name'))),
    '(transformList request.resource.attr.l (lambda (eq t "x") t.name t))',
  );
});

test('a transformation to a type has no wire form', () => {
  assert.ok(isUnplannable(macro('mapWhere', cel.mapWhere, ['t'], row.attr('l'), isX, () => typeName('int'))));
});

test('a failed range is the result', () => {
  assert.is(macro('exists', cel.exists, ['t'], undefined, isX), undefined);
});

test('values of a row are doubles, to which no int can be added; a map key may be an int', () => {
  const isNext = (t: Term): Term => equals(call('add', cel.add, t, 1n), 2n);
  assert.is(holds(macro('exists', cel.exists, ['t'], row.attr('l'), isNext)), false);
  assert.is(holds(macro('exists2', cel.exists2, ['k', 'v'], row.attr('m'), (_, v) => isNext(v as Term))), false);
  assert.is(
    text(macro('exists2', cel.exists2, ['k', 'v'], row.attr('m'), isNext)),
    '(exists request.resource.attr.m (lambda (eq (add k 1) 2) k v))',
  );
});

test('elements of a known list have the type that all of them share, unless that is int', () => {
  const once = (list: Term, more: Term): Term =>
    macro('existsOne', cel.existsOne, ['t'], list, (t) => equals(call('add', cel.add, t, more), row.attr('x')));
  assert.is(text(once([1.5, 2.5], 1)), '(exists_one [1.5,2.5] (lambda (eq (add t 1) request.resource.attr.x) t))');
  assert.is(findProblem(once([1.5, 'a'], 1)), 'a number whose kind counts');
  assert.is(findProblem(once([1n, 2n], 1n)), 'a number whose kind counts');
});

test.run();
