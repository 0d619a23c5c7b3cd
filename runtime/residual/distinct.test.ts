import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { distinct } from './distinct.js';

const test = suite('distinct elements');

const HASHES: { readonly [name: string]: (element: number) => number } = {
  'hashes differ': (element) => Math.imul(element, 0x01000193),
  'hashes are near each other': (element) => element,
  'some hashes are equal': (element) => element % 3,
  'all hashes are equal': () => 0,
  'hashes are negative': (element) => -element,
};

for (const [name, likenessOf] of Object.entries(HASHES))
  test(`the first of equal elements is kept, in any number, where ${name}`, () => {
    for (const count of [0, 1, 2, 8, 9, 16, 17, 63, 64, 200]) {
      const elements = Array.from({ length: count }, (_, index) => Object.freeze({ value: (index * 7) % 40 }));
      const firsts = elements.filter(({ value }, index) => elements.findIndex((one) => one.value === value) === index);
      const found = distinct(
        elements,
        (a, b) => a.value === b.value,
        ({ value }) => likenessOf(value),
      );
      assert.is(found.length, firsts.length);
      for (const [index, element] of found.entries()) assert.is(element, firsts[index]);
    }
  });

test.run();
