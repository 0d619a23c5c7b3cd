import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isHazardous, isInherited } from './hazards.js';

const listMembers = (prototype: object) => Object.getOwnPropertyNames(prototype);

test('members of Object.prototype are hazardous', () => {
  for (const name of listMembers(Object.prototype)) assert.ok(isInherited(name) && isHazardous(name), name);
});

test('members of other JSON types are hazardous', () => {
  for (const prototype of [Array.prototype, String.prototype, Number.prototype, Boolean.prototype]) {
    for (const name of listMembers(prototype)) assert.ok(isHazardous(name), name);
  }
});

test('an index of a list or a string is hazardous', () => {
  assert.ok(['0', '42', '4294967295'].every(isHazardous));
});

test('ordinary names are not hazardous', () => {
  for (const name of ['owner', 'status', 'size', 'name', 'id', 'a0', '']) assert.not(isHazardous(name), name);
});

test('a name that only strings and lists have is not hazardous for objects', () => {
  for (const name of ['length', 'sub', 'values', 'at', 'keys', 'link'])
    assert.ok(isHazardous(name) && !isInherited(name), name);
});

test.run();
