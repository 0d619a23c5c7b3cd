import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { importKey, ruleName, sanitize, scopedKey } from './names.js';

test('a plain name is sanitised character run by character run (4.1)', () => {
  const examples = {
    'album:object': 'album_object',
    'a:b/c:d-e': 'a_b_c_d_e',
    'john@doe.com': 'john_doe.com',
    'a.b': 'a.b',
    'a@-/b': 'a_b',
  };
  for (const [name, expected] of Object.entries(examples)) assert.is(sanitize(name), expected);
});

test('any other name is unchanged (4.1)', () => {
  for (const name of ['a b', 'leave request', '1-a', '-a', '_a-b', 'é-x', 'a:1b', 'a::b', 'album:*', 'a-b\n', '']) {
    assert.is(sanitize(name), name);
  }
});

test('a long name is sanitised in linear time', () => {
  const name = `${'a:'.repeat(200_000)}!`;
  assert.is(sanitize(name), name);
});

test('a key consists of kind, version and scope, without the root scope (4.2)', () => {
  assert.is(scopedKey('resource', 'a-b', 'default', ''), 'resource.a_b.vdefault');
  assert.is(scopedKey('principal', 'j@d', '1', 'acme.hr'), 'principal.j_d.v1/acme.hr');
  assert.is(importKey('derived_roles', 'd-1.x'), 'derived_roles.d_1.x');
});

test('an unnamed rule is named by its position', () => {
  assert.equal([0, 41, 1233].map(ruleName), ['rule-001', 'rule-042', 'rule-1234']);
});

test.run();
