import { glob } from '../../runtime/policy/index.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { globMatch } from '../support/oracle/glob-match.js';
import { Random } from '../support/oracle/random.js';

const PIECES = [
  'a',
  'b',
  ':',
  '*',
  '**',
  '?',
  '[ab]',
  '[!a]',
  '[a-b]',
  '[!:]',
  '{a,b}',
  '{a*,:b}',
  '{',
  '}',
  ',',
  '\\*',
  '\\',
  '[',
  ']',
  '😀',
];
const LETTERS = ['a', 'b', ':', 'c', '*', '😀', ','];

test('engine and model match random globs alike', () => {
  const random = new Random(7);
  let matched = 0;
  for (let i = 0; i < 4000; i++) {
    const pattern = random.times(1, 5, () => random.pick(PIECES)).join('');
    const matches = glob(pattern);
    for (let j = 0; j < 12; j++) {
      const text = random.times(0, 5, () => random.pick(LETTERS)).join('');
      const expected = globMatch(pattern, text);
      if (expected) matched++;
      assert.is(matches(text), expected, `${pattern} on ${text}`);
    }
  }
  assert.ok(matched > 1000);
});

test.run();
