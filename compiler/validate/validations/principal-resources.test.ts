import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, resourcePolicy, warningCodesOf } from '../../../tests/support/warnings.js';

const policies = (kind: string) => resourcePolicy([allow('[view]', '[user]')]).replace('album', JSON.stringify(kind));
const codes = (kind: string, resource: string) =>
  warningCodesOf(
    policies(kind),
    `principalPolicy: {principal: ann, version: default, rules: [{resource: ${JSON.stringify(resource)}, actions: [{action: view, effect: EFFECT_ALLOW}]}]}`,
  );

test('a glob with a separator matches no kind made of plain names (4.1)', () => {
  for (const glob of ['album:*', 'leave-*', 'a/*', '*@b'])
    assert.equal(codes('album:object', glob), ['principal-policy/never-matches'], glob);
});

test('a text without a star is sanitised like the kind, and a glob may match kinds that are not', () => {
  assert.equal(codes('album:object', 'album:object'), []);
  assert.equal(codes('album', 'photo:object'), []);
  assert.equal(codes('album:object', 'album_*'), []);
  assert.equal(codes('album:1', 'album:*'), []);
  assert.equal(codes('album', '{a:b,album}*'), []);
});

test.run();
