import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { typeCheckOf } from './type-check.js';

const FILE = 'scripts/mutate/fixture/compare.ts';

test('each change is checked separately: type errors do not affect the next one, and unused names are no error', () => {
  const hasRightTypes = typeCheckOf(dirname(dirname(import.meta.dirname)));
  assert.is(hasRightTypes(FILE, 'export const isSame = (a: number, b: number): boolean => a && b;\n'), false);
  assert.is(hasRightTypes(FILE, 'export const isSame = (a: number, b: number): boolean => a !== b;\n'), true);
  assert.is(hasRightTypes(FILE, 'export const isSame = (a: number, b: number): boolean => false;\n'), true);
});

test.run();
