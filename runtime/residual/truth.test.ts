import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as cel from '../../packages/cel/runtime/index.js';
import { call, struct } from './call.js';
import { filterText } from './debug.js';
import { filterOf, REFERENCE } from './filter.js';
import { complement, conditional, or } from './logic.js';
import { equals, greaterThan, inCollection, lessThan, notEquals } from './operators.js';
import { readAttribute, rowOf } from './row.js';
import { index, select } from './selection.js';
import type { Condition, Term } from './term.js';
import { holds, isFalse } from './truth.js';

const row = rowOf({});
const text = (condition: Condition): string => filterText(filterOf(condition));
const FAILURE: Term = undefined;

test('a known leaf is true or false; a failure and a value of another type are false', () => {
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

test('an attribute never equals a timestamp, so it differs from one wherever it can be read', () => {
  const since = new cel.Timestamp(1, 0, 0);
  assert.is(holds(equals(row.attr('x'), since)), false);
  assert.is(holds(equals(since, row.attr('x'))), false);
  assert.is(text(holds(complement(equals(row.attr('x'), since)))), '(has request.resource.attr.x)');
  assert.is(
    text(holds(notEquals(row.attr('x'), since))),
    '(ne request.resource.attr.x (timestamp "1970-01-01T00:00:01Z"))',
  );
});

test('a known map indexed by an attribute is a disjunction over its entries', () => {
  const level = index({ eng: 3, hr: 1 }, row.attr('k'));
  assert.is(text(holds(greaterThan(level, 1))), '(eq request.resource.attr.k "eng")');
  assert.is(text(holds(notEquals(level, 1))), '(eq request.resource.attr.k "eng")');
});

test('a failure in a branch is false in that branch', () => {
  assert.is(
    text(holds(conditional(row.attr('c'), FAILURE, row.attr('x')))),
    '(and (not request.resource.attr.c) request.resource.attr.x)',
  );
});

test('where a value is used, a known false next to an attribute leaves a boolean, not the attribute', () => {
  assert.is(
    text(holds(equals(row.attr('owner'), or(false, row.attr('f'))))),
    '(eq request.resource.attr.owner (not (not request.resource.attr.f)))',
  );
  assert.is(
    text(holds(equals(row.attr('owner'), or(row.attr('f'), readAttribute({}, 'f', true))))),
    '(eq request.resource.attr.owner (not (not request.resource.attr.f)))',
  );
  assert.is(text(holds(or(false, row.attr('f')))), 'request.resource.attr.f');
});

test('membership in an empty list has a value where the element can be read', () => {
  const none = inCollection(row.attr('x'), []);
  assert.is(
    text(holds(equals(row.attr('owner'), none))),
    '(and (has request.resource.attr.x) (eq request.resource.attr.owner false))',
  );
});

test('a comparison of a ternary is a ternary of comparisons', () => {
  const chosen = conditional(row.attr('c'), 1, row.attr('x'));
  assert.is(
    text(holds(lessThan(chosen, row.attr('n')))),
    '(if request.resource.attr.c (lt 1 request.resource.attr.n) (lt request.resource.attr.x request.resource.attr.n))',
  );
  assert.is(
    filterText(filterOf(holds(lessThan(chosen, row.attr('n'))), REFERENCE)),
    '(lt (if request.resource.attr.c 1 request.resource.attr.x) request.resource.attr.n)',
  );
});

test('a field of a map literal fails where another entry fails', () => {
  const map = struct(['a', row.attr('x')], ['b', row.attr('y')]);
  assert.is(
    text(holds(equals(select(map, 'a'), 'v'))),
    '(and (has request.resource.attr.y) (eq request.resource.attr.x "v"))',
  );
});

test('durations are written to the nanosecond', () => {
  for (const [written, read] of [
    ['90000000.000000001s', '90000000.000000001s'],
    ['2562047h47m16.854775807s', '9223372036.854775807s'],
    ['-2562047h47m16.854775808s', '-9223372036.854775808s'],
    ['-0.5s', '-0.5s'],
  ] as const) {
    assert.is(
      text(holds(lessThan(call('duration', cel.toDuration, row.attr('d')), cel.toDuration(written)))),
      `(lt (duration request.resource.attr.d) (duration "${read}"))`,
    );
    assert.equal(cel.toDuration(read), cel.toDuration(written));
  }
});

test.run();
