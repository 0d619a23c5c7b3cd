import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dimension, testFilter } from './filter.js';

const matches = (filters: string | readonly string[], dimension: Dimension, text: string): boolean | undefined =>
  testFilter([filters].flat()).get(dimension)?.(text);

test('the globs of a dimension are alternatives; blanks around them and the case of the dimension are ignored', () => {
  for (const text of ['alice', 'bob'])
    assert.is(matches(' Principal = alice , bob ; action=view', 'principal', text), true);
  assert.is(matches('principal=alice,bob', 'principal', 'Alice'), false);
  assert.is(matches('principal=alice', 'action', 'view'), undefined);
});

test('several filters are combined', () => {
  assert.is(matches(['action=view', 'action=edit;test=t'], 'action', 'view'), true);
  assert.is(matches(['action=view', 'action=edit;test=t'], 'action', 'edit'), true);
  assert.is(matches(['action=view', 'action=edit;test=t'], 'test', 'u'), false);
});

test('a star stops at colons unless it stands alone; alternatives and ranges are supported', () => {
  assert.is(matches('action=view*', 'action', 'view:public'), false);
  assert.is(matches('action=*', 'action', 'view:public'), true);
  assert.is(matches('action={view,edit}:*', 'action', 'edit:all'), true);
  assert.is(matches('action=v[a-z]ew,x?', 'action', 'xy'), true);
});

test('an empty string is not a filter', () => {
  assert.is(testFilter(['', ' ; ']).size, 0);
});

for (const [filter, reason] of [
  ['alice', 'expected DIMENSION=GLOB,GLOB'],
  ['color=red', 'unknown dimension `color`'],
  ['test=', '`test` has no pattern'],
  ['test=,', '`test` has no pattern'],
  ['test=[z-a]', '`[z-a]` is not a glob'],
] as const) {
  test(`\`${filter}\` is not a filter`, () => {
    assert.throws(
      () => testFilter([filter]),
      (error: Error) => error.message.startsWith('invalid test filter') && error.message.includes(reason),
    );
  });
}

test.run();
