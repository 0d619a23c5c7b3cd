import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { STRICT } from './algebra.js';
import { filterText } from './debug.js';
import { filterOf } from './filter.js';
import { or } from './logic.js';
import { equals, lessThan } from './operators.js';
import { rowOf } from './row.js';
import type { Condition } from './term.js';

const row = rowOf({ known: 1 });
const text = (condition: Condition): string => filterText(filterOf(condition));

test('an equality can be evaluated where its attributes are present', () => {
  assert.is(text(STRICT.holds(equals(row.attr('a'), 'x')).evaluates), '(has request.resource.attr.a)');
});

test('an ordering can be evaluated where it is true or false', () => {
  assert.is(
    text(STRICT.holds(lessThan(row.attr('n'), 5)).evaluates),
    '(or (lt request.resource.attr.n 5) (not (lt request.resource.attr.n 5)))',
  );
});

test('a known value can be evaluated unless it failed; one that is not a boolean is false', () => {
  assert.equal(STRICT.holds(row.attr('known')), { holds: false, evaluates: true });
  assert.equal(STRICT.holds(undefined), { holds: false, evaluates: false });
});

test('an attribute combined with false must be a boolean', () => {
  assert.is(
    text(STRICT.holds(or(row.attr('a'), false)).evaluates),
    '(or request.resource.attr.a (not request.resource.attr.a))',
  );
});

test('all is evaluated up to the first false part, any and none up to the first true part', () => {
  const yes = { holds: true, evaluates: true };
  const no = { holds: false, evaluates: true };
  const fails = { holds: false, evaluates: false };
  assert.is(STRICT.allOf(no, fails).evaluates, true);
  assert.is(STRICT.allOf(yes, fails).evaluates, false);
  assert.is(STRICT.anyOf(yes, fails).evaluates, true);
  assert.is(STRICT.anyOf(no, fails).evaluates, false);
  assert.equal(STRICT.noneOf(yes, fails), { holds: false, evaluates: true });
  assert.equal(STRICT.noneOf(no, no), { holds: true, evaluates: true });
});

test('the opposite of a condition can be evaluated where the condition can', () => {
  assert.equal(STRICT.not({ holds: true, evaluates: false }), { holds: false, evaluates: false });
});

test.run();
