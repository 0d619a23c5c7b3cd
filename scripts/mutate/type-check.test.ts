import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { typeCheckOf } from './type-check.js';

const FILE = 'scripts/mutate/fixture/compare.ts';

test('a change is checked by itself: wrong types leave no trace in the next, and what is unused is no error', () => {
  const hasRightTypes = typeCheckOf(dirname(dirname(import.meta.dirname)));
  assert.is(hasRightTypes(FILE, 'export const isSame = (a: number, b: number): boolean => a && b;\n'), false);
  assert.is(hasRightTypes(FILE, 'export const isSame = (a: number, b: number): boolean => a !== b;\n'), true);
  assert.is(hasRightTypes(FILE, 'export const isSame = (a: number, b: number): boolean => false;\n'), true);
});

test.run();
