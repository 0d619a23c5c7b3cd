import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rounds } from '../../tests/support/effort.js';
import { assertLinear } from '../../tests/support/growth.js';
import { glob, literalAndGlob, literalOrGlob } from './glob.js';

const table: readonly (readonly [pattern: string, yes: readonly string[], no: readonly string[]])[] = [
  ['view:*', ['view:x', 'view:'], ['view', 'view:x:y']],
  ['a:*:c', ['a:b:c', 'a::c'], ['a:c', 'a:b:d:c']],
  ['*:*', ['a:b', ':'], ['a', 'a:b:c']],
  ['view*', ['view', 'viewx'], ['view:x']],
  ['a:**', ['a:', 'a:b:c'], ['a']],
  ['?*', ['a', 'ab', '😀'], [':', 'a:b', '']],
  ['?', ['a', '😀'], ['', 'ab', ':']],
  ['{a,b:*}:z', ['a:z', 'b:q:z'], ['a:q:z']],
  ['*', ['', 'a', 'a:b:c'], []],
  ['**', ['', 'a:b'], []],
  ['a:**:c', ['a:c', 'a:b:c', 'a:b:d:c'], ['a', 'a:']],
  ['a**a', ['a', 'aa', 'a:a'], ['', 'ab']],
  ['a*a', ['aa', 'aba'], ['a', 'a:a']],
  ['*:read', [':read', 'x:read'], ['read', 'a:b:read']],
  ['a***', ['a', 'ab', 'a:b'], ['b']],
  ['[abc]*', ['a', 'bx'], ['d', '']],
  ['[a-c]', ['a', 'b', 'c'], ['d', 'ab', '-']],
  ['[!abc]', ['d', ':'], ['a', '']],
  ['[!a-c]', ['d', ':'], ['b']],
  ['[ab-c]', ['a', 'b', '-', 'c'], ['d']],
  ['[\\]a]', [']', 'a'], ['\\']],
  ['[a:]*', [':', 'a'], ['b']],
  ['{}', [''], ['a']],
  ['{view*,edit}', ['viewx', 'edit'], ['view:x', 'editx']],
  ['x{a,{b,c}d}y', ['xay', 'xbdy', 'xcdy'], ['xby', 'xy']],
  ['{a,b', ['a', 'b'], ['{a,b']],
  ['a}b,c*', ['a}b,c', 'a}b,cd'], ['a']],
  ['\\*x*', ['*x', '*xy'], ['ax']],
  ['ab\\', ['ab'], ['ab\\']],
  ['View*', ['View'], ['view']],
  ['*a*b*', ['ab', 'xaybz'], ['ba', 'a:b']],
  ['**a:*', ['a:', 'x:a:y'], ['a', 'a:b:c']],
];

for (const [pattern, yes, no] of table) {
  test(`the glob ${pattern} matches as defined in 4.3`, () => {
    const matches = glob(pattern);
    for (const text of yes) assert.ok(matches(text), `${pattern} should match ${text}`);
    for (const text of no) assert.not.ok(matches(text), `${pattern} should not match ${text}`);
  });
}

test('an invalid glob never matches', () => {
  for (const pattern of ['[*', '[]', '[]*', '[!]', '[a-cx]', '[a-]', '[z-a]', '[a', 'x[*']) {
    for (const text of [pattern, '', 'a', 'x', '*']) assert.not.ok(glob(pattern)(text), `${pattern} on ${text}`);
  }
});

test('a long string costs one lookup per character', async () => {
  const [many, none] = [glob('*a*b*c*'), glob('[a-z]*{a,b}*:')];
  await assertLinear('matching', 10_000, (size) => {
    const text = 'abc'.repeat(size);
    return () => {
      assert.ok(many(text));
      assert.not.ok(none(text));
    };
  });
});

test('a pattern with thousands of state sets matches correctly, whatever was evicted', () => {
  const matches = glob('*a????????????');
  let seed = 1;
  for (let round = 0; round < rounds(3, 1); round++) {
    let text = '';
    // 13 characters have 8192 sets of states, and more are evicted on the way.
    for (let length = 0; length < rounds(20_000, 12_000); length++) {
      seed = (seed * 48271) % 2147483647;
      text += seed % 2 === 0 ? 'a' : 'b';
    }
    for (let end = text.length - 50; end <= text.length; end += 10)
      assert.is(matches(text.slice(0, end)), text[end - 13] === 'a');
  }
});

test('a pattern of a rule is a glob only if it contains a star', () => {
  assert.ok(literalOrGlob('view?')('view?'));
  assert.not.ok(literalOrGlob('view?')('viewx'));
  assert.ok(literalOrGlob('{a,b}')('{a,b}'));
  assert.ok(literalOrGlob('{a,b}*')('bx'));
});

test('an allowed action is the string itself or any match of it', () => {
  assert.ok(literalAndGlob('view?')('view?'));
  assert.ok(literalAndGlob('view?')('viewx'));
  assert.ok(literalAndGlob('[*')('[*'));
  assert.not.ok(literalAndGlob('[ab]x')('[ab]'));
});

test('the time of a match grows linearly with the string', () => {
  const text = `${'a'.repeat(20_000)}b`;
  assert.not.ok(glob(`${'*a'.repeat(20)}*c`)(text));
  assert.not.ok(glob('{a*,{a*,{a*,a}}}{a*,a}*c')(text));
});

test('a deeply nested pattern does not overflow the stack', () => {
  assert.ok(glob(`${'{'.repeat(20_000)}a*${'}'.repeat(20_000)}`)('ab'));
});

test.run();
