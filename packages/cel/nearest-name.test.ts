import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nearestName } from './nearest-name.js';

const guess = (written: string, ...known: string[]) => nearestName(written, known);

test('typos are recognised: a missing, doubled, exchanged or wrong-case letter', () => {
  assert.is(guess('ownr', 'owner', 'teammate'), 'owner');
  assert.is(guess('ownerr', 'owner'), 'owner');
  assert.is(guess('onwer', 'owner'), 'owner');
  assert.is(guess('Owner', 'owner'), 'owner');
});

test('at most one name is suggested: the nearest, then the first by name', () => {
  assert.is(guess('role_x', 'role_b', 'role_a'), 'role_a');
  assert.is(guess('teammates', 'teamwork', 'teammate'), 'teammate');
});

test('very different names are not suggested', () => {
  assert.is(guess('owner', 'admin', 'user', ''), undefined);
  assert.is(guess('x', 'y'), undefined);
  assert.is(guess('', 'a'), undefined);
});

test('very long names are not compared', () => {
  assert.is(guess('a'.repeat(100_000), `${'a'.repeat(99_999)}b`), undefined);
});

test.run();
