import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { attempt, attemptAll, attemptAny, attemptNone } from './attempt.js';
import { filterText } from './debug.js';
import { filterOf } from './filter.js';
import { or } from './logic.js';
import { equals, lessThan } from './operators.js';
import { rowOf } from './row.js';
import type { Condition } from './term.js';

const row = rowOf({ known: 1 });
const text = (condition: Condition): string => filterText(filterOf(condition));

test('an equality can be evaluated where its attributes are present', () => {
  assert.is(text(attempt(equals(row.attr('a'), 'x')).evaluates), '(has request.resource.attr.a)');
});

test('an ordering can be evaluated where it is true or false', () => {
  assert.is(
    text(attempt(lessThan(row.attr('n'), 5)).evaluates),
    '(or (lt request.resource.attr.n 5) (not (lt request.resource.attr.n 5)))',
  );
});

test('a known value can be evaluated unless it failed; one that is not a boolean is false', () => {
  assert.equal(attempt(row.attr('known')), { holds: false, evaluates: true });
  assert.equal(attempt(undefined), { holds: false, evaluates: false });
});

test('an attribute combined with false must be a boolean', () => {
  assert.is(
    text(attempt(or(row.attr('a'), false)).evaluates),
    '(or request.resource.attr.a (not request.resource.attr.a))',
  );
});

test('all is evaluated up to the first false part, any and none up to the first true part', () => {
  const yes = { holds: true, evaluates: true };
  const no = { holds: false, evaluates: true };
  const fails = { holds: false, evaluates: false };
  assert.is(attemptAll(no, fails).evaluates, true);
  assert.is(attemptAll(yes, fails).evaluates, false);
  assert.is(attemptAny(yes, fails).evaluates, true);
  assert.is(attemptAny(no, fails).evaluates, false);
  assert.equal(attemptNone(yes, fails), { holds: false, evaluates: true });
  assert.equal(attemptNone(no, no), { holds: true, evaluates: true });
});

test.run();
