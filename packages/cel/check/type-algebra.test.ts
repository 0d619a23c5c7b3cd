import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CelType, dyn, json } from '../library/types.js';
import { sameType } from './type-algebra.js';

const list = (element: CelType): CelType => ({ kind: 'list', element });
const map = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });
const [int, uint, string] = ['int', 'uint', 'string'].map((kind) => ({ kind })) as [CelType, CelType, CelType];

test('types are equal when their kinds and all of their parameters are', () => {
  assert.is(sameType(list(int), list({ ...int })), true);
  assert.is(sameType(map(string, list(int)), map(string, list(int))), true);
  assert.is(sameType(map(string, int), map(string, uint)), false);
  assert.is(sameType(map(int, string), map(uint, string)), false);
  assert.is(sameType(list(int), int), false);
});

test('any type is not the same as any JSON', () => {
  assert.is(sameType(dyn, json), false);
  assert.is(sameType(list(dyn), list(json)), false);
  assert.is(sameType(list(json), list({ ...json })), true);
});

test.run();
