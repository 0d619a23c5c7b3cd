import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { filterOf } from './filter.js';
import { and } from './logic.js';
import { equals } from './operators.js';
import { ANY_ROW, type Row, rowOf } from './row.js';
import { ofRow } from './row-term.js';
import type { Term } from './term.js';
import { holds } from './truth.js';

const test = suite('parts of conditions that read only the row');

const isPublic = (row: Row): Term => equals(row.attr('visibility'), 'public');

test('are evaluated once while nothing is known of the row', () => {
  let evaluations = 0;
  const counted = ofRow((row) => {
    evaluations += 1;
    return isPublic(row);
  });
  const first = counted(ANY_ROW);
  assert.is(counted(ANY_ROW), first);
  assert.is(evaluations, 1);
  assert.is(counted(rowOf({ visibility: 'public' })), true);
  assert.is(counted(rowOf({ visibility: 'private' })), false);
  assert.is(counted(ANY_ROW), first);
});

test('are written as others are, and no caller can change what plans share', () => {
  const filterWith = (part: (row: Row) => Term) =>
    filterOf(holds(and(part(ANY_ROW), equals(ANY_ROW.attr('owner'), 'alice'))));
  const filter = filterWith(ofRow(isPublic));
  assert.equal(filter, filterWith(isPublic));
  const [part] =
    filter.kind === 'KIND_CONDITIONAL' && 'expression' in filter.condition ? filter.condition.expression.operands : [];
  assert.ok(part !== undefined && 'expression' in part);
  assert.throws(() => (part.expression.operands as unknown[]).push({ value: true }), TypeError);
});

test.run();
