import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { policyKey, sanitize, sanitizeGlob } from './names.js';

const table: readonly (readonly [string, string])[] = [
  ['album:object', 'album_object'],
  ['a:b/c:d-e', 'a_b_c_d_e'],
  ['john@doe.com', 'john_doe.com'],
  ['a.b', 'a.b'],
  ['a@-/b', 'a_b'],
  ['a__b', 'a__b'],
  ['a b', 'a b'],
  ['leave request', 'leave request'],
  ['1-a', '1-a'],
  ['-a', '-a'],
  ['_a-b', '_a-b'],
  ['é-x', 'é-x'],
  ['a:1b', 'a:1b'],
  ['a::b', 'a::b'],
  ['album:*', 'album:*'],
  ['leave-*', 'leave-*'],
  ['a-b\n', 'a-b\n'],
  ['', ''],
];

for (const [name, expected] of table) {
  test(`${JSON.stringify(name)} sanitises to ${JSON.stringify(expected)}`, () => {
    assert.is(sanitize(name), expected);
  });
}

test('the text of a glob sanitises as that of the names that it matches', () => {
  for (const [pattern, expected] of [
    ['leave-*', 'leave_*'],
    ['doc:*', 'doc_*'],
    ['*:b/c-*', '*_b_c_*'],
    ['a@-*', 'a_*'],
    ['{leave,sick}-*', '{leave,sick}_*'],
    ['[a-c]-?*', '[a-c]_?*'],
    ['a*', 'a*'],
    ['*', '*'],
    ['1-*', undefined],
    ['leave *', undefined],
    ['-*', undefined],
  ] as const)
    assert.is(sanitizeGlob(pattern), expected, pattern);
});

test('a policy key has type, sanitised name, version and, except for the root, scope', () => {
  assert.is(policyKey('resource', 'a:b/c', '20210210', 'acme'), 'resource.a_b_c.v20210210/acme');
  assert.is(policyKey('role', 'r1', 'default', ''), 'role.r1.vdefault');
});

test('sanitising takes linear time', () => {
  const name = `${'a:'.repeat(100_000)}!`;
  assert.is(sanitize(name), name);
});

test.run();
