import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as cel from '../../packages/cel/runtime/index.js';
import { call } from './call.js';
import { operandText } from './debug.js';
import { equals, greaterThan } from './operators.js';
import { rowOf } from './row.js';
import { optionalSelect } from './selection.js';
import { failed, isUnplannable, type Term } from './term.js';
import { writeTerm } from './wire.js';

const optional = optionalSelect(rowOf({}).attributes, 'a');
const text = (term: Term): string => operandText(writeTerm(term, 'flat'));

test('an optional attribute becomes a has() test', () => {
  assert.is(text(call('hasValue', cel.optionalHasValue, optional)), '(has request.resource.attr.a)');
  assert.is(
    text(equals(call('orValue', cel.optionalOrValue, optional, 'none'), 'x')),
    '(if (has request.resource.attr.a) (eq request.resource.attr.a "x") false)',
  );
});

test('an optional cannot be compared in a filter, on either side', () => {
  assert.ok(isUnplannable(equals(optional, 'x')));
  assert.ok(isUnplannable(equals('x', optional)));
});

test('an integer that no double holds is planned only next to values that CEL compares as doubles or not at all', () => {
  const large = 9007199254740993n;
  const attribute = rowOf({}).attr('a');
  const double = call('double', cel.toDouble, attribute);
  const string = call('string', cel.toText, attribute);
  const bool = call('bool', cel.toBool, attribute);
  for (const term of [attribute, double, string, bool]) assert.not(isUnplannable(equals(term, large)));
  assert.is(text(equals(attribute, large)), '(eq request.resource.attr.a 9007199254740992)');
  assert.ok(isUnplannable(equals(call('size', cel.size, attribute), large)));
});

test('arithmetic of attributes is arithmetic of doubles, so it can be continued with a constant', () => {
  const [a, b] = [rowOf({}).attr('a'), rowOf({}).attr('b')];
  for (const [operator, run] of Object.entries({
    add: cel.add,
    sub: cel.subtract,
    mult: cel.multiply,
    div: cel.divide,
  })) {
    const inner = call(operator, run, a, b);
    for (const [left, right] of [
      [inner, 1],
      [1, inner],
      [inner, inner],
    ] as const)
      assert.not(isUnplannable(greaterThan(call('add', cel.add, left, right), 1)), operator);
    // No row has an int.
    assert.ok(failed(call('add', cel.add, inner, 1n)), operator);
  }
  // The sum may be a string.
  assert.not(isUnplannable(equals(call('add', cel.add, call('add', cel.add, a, b), 'x'), 'abx')));
});

test.run();
