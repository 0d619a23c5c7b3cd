import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { didYouMean } from './did-you-mean.js';

const guess = (written: string, ...known: string[]) => didYouMean(written, known).map((note) => note.message);

test('typos are recognised: a missing, doubled, exchanged or wrong-case letter', () => {
  assert.equal(guess('ownr', 'owner', 'teammate'), ['did you mean `owner`?']);
  assert.equal(guess('ownerr', 'owner'), ['did you mean `owner`?']);
  assert.equal(guess('onwer', 'owner'), ['did you mean `owner`?']);
  assert.equal(guess('Owner', 'owner'), ['did you mean `owner`?']);
});

test('at most one name is suggested: the nearest, then the first by name', () => {
  assert.equal(guess('role_x', 'role_b', 'role_a'), ['did you mean `role_a`?']);
  assert.equal(guess('teammates', 'teamwork', 'teammate'), ['did you mean `teammate`?']);
});

test('very different names are not suggested', () => {
  assert.equal(guess('owner', 'admin', 'user', ''), []);
  assert.equal(guess('x', 'y'), []);
  assert.equal(guess('', 'a'), []);
});

test('very long names are not compared', () => {
  assert.equal(guess('a'.repeat(100_000), `${'a'.repeat(99_999)}b`), []);
});

test.run();
