import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, resourcePolicy, warningCodesOf } from '../../../tests/support/warnings.js';

const actions = (glob: string) => warningCodesOf(resourcePolicy([allow(`[${JSON.stringify(glob)}]`, '[user]')]));
const UNRELIABLE = ['glob/unreliable'];

test('an invalid glob, three stars, an open brace, or a star in braces with other text is unreliable (4.3)', () => {
  for (const glob of [
    '[*',
    '[]*',
    '[z-a]*',
    '***',
    'a:***',
    '{a*,b',
    'x{view*,edit}',
    '{view*,edit}:z',
    '{a*,b}{c,d}',
    '*{a*,b}',
  ]) {
    assert.equal(actions(glob), UNRELIABLE, glob);
  }
});

test('all other globs are reliable', () => {
  for (const glob of [
    '*',
    '**',
    'a:*',
    'a:**:c',
    '{view*,edit}',
    'x{a,b}*',
    '[abc]*',
    '[!a-c]*',
    '?*',
    '\\{*',
    'a}*',
  ]) {
    assert.equal(actions(glob), [], glob);
  }
});

test('brackets and braces without a star are literal where a star makes the glob, and globs in role policies are, too', () => {
  assert.equal(actions('{view,edit}'), ['glob/literal']);
  assert.equal(actions('view[ab]'), ['glob/literal']);
  for (const text of ['view', 'view?', 'a{b}', 'a:b', 'a[]']) assert.equal(actions(text), [], text);
  const role = (action: string) =>
    `rolePolicy: {role: r, version: default, rules: [{resource: album, allowActions: ["${action}"]}]}`;
  const album = resourcePolicy([allow('[view]', '[user]')]);
  assert.equal(warningCodesOf(album, role('{view,edit}')), []);
  assert.equal(warningCodesOf(album, role('[view')), UNRELIABLE);
});

test('roles, parent roles and resources are checked', () => {
  assert.equal(warningCodesOf(resourcePolicy([allow('[view]', '["[*"]')])), UNRELIABLE);
  const roles = 'derivedRoles: {name: r, definitions: [{name: owner, parentRoles: ["{a,b}"]}]}';
  assert.equal(
    warningCodesOf(
      roles,
      resourcePolicy(['{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner]}'], ', importDerivedRoles: [r]'),
    ),
    ['glob/literal'],
  );
  assert.equal(
    warningCodesOf(
      'principalPolicy: {principal: p, version: default, rules: [{resource: "a***", actions: [{action: "[*", effect: EFFECT_ALLOW}]}]}',
    ),
    ['glob/unreliable', 'glob/unreliable'],
  );
});

test.run();
