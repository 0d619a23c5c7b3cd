import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { roleBits } from './modules.js';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `role${index}`);

test('roles get bits in order of first appearance, and `*` gets none', () => {
  const { literals, globs, crowded } = roleBits([['*'], ['user', 'admin'], ['admin', 'guest']]);
  assert.equal(
    literals.map(({ role, bit }) => [role, bit]),
    [
      ['user', 1],
      ['admin', 2],
      ['guest', 4],
    ],
  );
  assert.equal(globs, []);
  assert.is(crowded, false);
});

test('a named role also has the bits of the globs that match it', () => {
  const { literals, globs } = roleBits([['guest:trusted'], ['guest:*', '**:trusted', 'user']]);
  assert.equal(
    globs.map(({ pattern, bit }) => [pattern, bit]),
    [
      ['guest:*', 4],
      ['**:trusted', 8],
    ],
  );
  assert.equal(
    literals.map(({ role, alsoGlobs }) => [role, alsoGlobs]),
    [
      ['guest:trusted', [4, 8]],
      ['user', []],
    ],
  );
});

test('thirty roles have a bit each', () => {
  const { literals, crowded } = roleBits(numbered(30).map((role) => [role]));
  assert.is(new Set(literals.map(({ bit }) => bit)).size, 30);
  assert.ok(literals.every(({ bit }) => bit > 0 && bit < 1 << 30));
  assert.is(crowded, false);
});

test('roles that no rule distinguishes share a bit when there are too many', () => {
  const { literals, crowded } = roleBits([[...numbered(40), 'boss'], ['boss']]);
  assert.is(new Set(literals.map(({ bit }) => bit)).size, 2);
  assert.is(crowded, false);
});

test('when that is not enough, bits are reused and the policy is crowded', () => {
  const { literals, globs, crowded } = roleBits([...numbered(40).map((role) => [role]), ['x*']]);
  assert.is(crowded, true);
  assert.is(literals[0]?.bit, literals[30]?.bit);
  assert.ok([...literals, ...globs].every(({ bit }) => bit > 0 && bit < 1 << 30));
});

test.run();
