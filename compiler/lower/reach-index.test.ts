import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { literalOrGlob } from '../../runtime/policy/index.js';
import { ReachIndex } from './reach-index.js';

const TEXTS = [
  'a',
  'ab',
  'a:b',
  'a:*',
  'a*',
  '*',
  '**',
  '*b',
  'a:**:c',
  '?*',
  '{a,b:*}*',
  '[ab]*',
  'a\\:*',
  '!*',
  'x**y',
  'a:b*c',
  '',
  'é*',
  '😀*',
  'a]*',
  'a,*',
];
const NAMES = [...TEXTS, 'a:', 'a:b:c', 'xy', 'xzy', 'b', 'ba', ':', '😀x', 'éa', 'a]b', 'a,b', '!x'];

test('an entry is found for exactly the names that one of its patterns matches, in ascending order', () => {
  const entries = TEXTS.flatMap((text, index) => [[text], [text, TEXTS[(index * 7 + 3) % TEXTS.length] as string]]).map(
    (texts, entry) => [entry, texts] as const,
  );
  const index = new ReachIndex(entries);
  for (const name of NAMES) {
    const expected = entries
      .filter(([, texts]) => texts.some((text) => literalOrGlob(text)(name)))
      .map(([entry]) => entry);
    assert.equal(index.reaching(name), expected, name);
  }
});

test('looking up n names among n rules tries only the globs with a matching prefix', () => {
  for (const size of [1000, 8000]) {
    const index = new ReachIndex(Array.from({ length: size }, (_, entry) => [entry, [`a${entry}`, `a${entry}:*`]]));
    for (let name = 0; name < size; name += 1) assert.equal(index.reaching(`a${name}`), [name]);
    assert.ok(index.tried <= 4 * size, `${index.tried} tries for ${size} rules`);
  }
});

test.run();
