import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LENIENT, STRICT } from './algebra.js';
import { equals } from './operators.js';
import { ANY_ROW, rowOf } from './row.js';
import { ofRow } from './row-condition.js';

const test = suite('conditions that read only the row');

test('are evaluated once for each algebra while nothing is known of the row', () => {
  let evaluations = 0;
  const isPublic = ofRow((row, q) => {
    evaluations += 1;
    return q.holds(equals(row.attr('visibility'), 'public'));
  });
  const first = isPublic(ANY_ROW, LENIENT);
  assert.is(isPublic(ANY_ROW, LENIENT), first);
  assert.is(evaluations, 1);
  assert.equal(isPublic(ANY_ROW, STRICT), { holds: first, evaluates: isPublic(ANY_ROW, STRICT).evaluates });
  assert.is(evaluations, 2);
  assert.is(isPublic(rowOf({ visibility: 'public' }), LENIENT), true);
  assert.is(isPublic(rowOf({ visibility: 'private' }), LENIENT), false);
  assert.is(isPublic(ANY_ROW, LENIENT), first);
});

test.run();
