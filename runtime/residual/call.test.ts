import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as cel from '../cel/index.js';
import { call } from './call.js';
import { operandText } from './debug.js';
import { equals } from './operators.js';
import { rowOf } from './row.js';
import { optionalSelect } from './selection.js';
import { isUnplannable, type Term } from './term.js';
import { operandOf } from './wire.js';

const optional = optionalSelect(rowOf({}).attributes, 'a');
const text = (term: Term): string => operandText(operandOf(term, 'flat'));

test('an optional attribute is asked for by has()', () => {
  assert.is(text(call('hasValue', cel.optionalHasValue, optional)), '(has request.resource.attr.a)');
  assert.is(
    text(equals(call('orValue', cel.optionalOrValue, optional, 'none'), 'x')),
    '(if (has request.resource.attr.a) (eq request.resource.attr.a "x") false)',
  );
});

test('an optional is not a value that a filter can compare, on either side', () => {
  assert.ok(isUnplannable(equals(optional, 'x')));
  assert.ok(isUnplannable(equals('x', optional)));
});

test.run();
