import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filterText, operandText } from './debug.js';
import { expression } from './operand.js';

test('always allowed is (true), always denied is (false)', () => {
  assert.is(filterText({ kind: 'KIND_ALWAYS_ALLOWED' }), '(true)');
  assert.is(filterText({ kind: 'KIND_ALWAYS_DENIED' }), '(false)');
});

test('a bare variable has no parentheses', () => {
  assert.is(
    filterText({ kind: 'KIND_CONDITIONAL', condition: { variable: 'request.resource.attr.public' } }),
    'request.resource.attr.public',
  );
});

test('a call without operands keeps the blank after the operator', () => {
  assert.is(operandText(expression('now')), '(now )');
});

test('values are JSON without white space, and zero keeps its sign', () => {
  assert.is(operandText({ value: 'q"uo\\te\n<é>' }), '"q\\"uo\\\\te\\n<é>"');
  assert.is(operandText({ value: ['a', 1, null, -0] }), '["a",1,null,-0]');
  assert.is(operandText({ value: 1e21 }), '1e+21');
});

test.run();
