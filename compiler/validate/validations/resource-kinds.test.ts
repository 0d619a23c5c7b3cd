import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, resourcePolicy, warningCodesOf, warningsOf } from '../../../tests/support/warnings.js';

const policies = (kind: string) => resourcePolicy([allow('[view]', '[user]')]).replace('album', JSON.stringify(kind));
const role = (resource: string) =>
  `rolePolicy: {role: r, version: default, rules: [{resource: ${JSON.stringify(resource)}, allowActions: [view]}]}`;
const reasons = (kind: string, resource: string) =>
  warningsOf(policies(kind), role(resource)).map((line) => line.replace(/^.*: /, ''));
const SEPARATORS = ['kinds are looked up with `_` in place of `:`, `@`, `-` and `/`'];

test('resources of role policies are compared unchanged with sanitised kinds (4.1)', () => {
  assert.equal(reasons('album:object', 'album:object'), SEPARATORS);
  assert.equal(reasons('leave-request', 'leave-request'), SEPARATORS);
  assert.equal(reasons('album:object', 'album:*'), SEPARATORS);
  assert.equal(reasons('album:object', 'album_object'), []);
  assert.equal(reasons('album:object', 'album_*'), []);
  assert.equal(reasons('album:object', '*'), []);
});

test('kinds that are not plain names keep their characters', () => {
  assert.equal(reasons('album:1', 'album:1'), []);
  assert.equal(reasons('album:1', 'album:*'), []);
  assert.equal(reasons('my album', 'my album'), []);
});

test('a resource without a resource policy is reported (8.6)', () => {
  assert.equal(reasons('album', 'albun'), ['no resource policy has this kind']);
  assert.equal(reasons('album', 'photo*'), []);
});

const codes = (kind: string, resource: string) =>
  warningCodesOf(
    policies(kind),
    `principalPolicy: {principal: ann, version: default, rules: [{resource: ${JSON.stringify(resource)}, actions: [{action: view, effect: EFFECT_ALLOW}]}]}`,
  );

test('a glob with a separator matches no plain kind (4.1)', () => {
  for (const glob of ['album:*', 'leave-*', 'a/*', '*@b'])
    assert.equal(codes('album:object', glob), ['principal-policy/never-matches'], glob);
});

test('a resource without a star is sanitised like the kind, and a glob may match kinds that are not sanitised', () => {
  assert.equal(codes('album:object', 'album:object'), []);
  assert.equal(codes('album', 'photo:object'), []);
  assert.equal(codes('album:object', 'album_*'), []);
  assert.equal(codes('album:1', 'album:*'), []);
  assert.equal(codes('album', '{a:b,album}*'), []);
});

test.run();
