import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resourcePolicy, warningCodesOf, warningsOf } from '../../../tests/support/warnings.js';

const ROLES =
  'derivedRoles: {name: r, definitions: [{name: owner, parentRoles: [user]}, {name: friend, parentRoles: [user]}]}';
const through = (kind: string, role: string) =>
  resourcePolicy(
    [`{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [${role}]}`],
    ', importDerivedRoles: [r]',
  ).replace('album', kind);

test('a derived role is unused that no rule of any importing policy names', () => {
  assert.equal(warningsOf(ROLES, through('album', 'owner')), [
    'derived-role/never-used: no rule names the derived role `friend`',
  ]);
  assert.equal(warningsOf(ROLES, through('album', 'owner'), through('photo', 'friend')), []);
});

test('of a set of which nothing is used the import is unused, or the file', () => {
  assert.equal(warningCodesOf(ROLES, 'resourcePolicy: {resource: album, version: default, importDerivedRoles: [r]}'), [
    'import/unused',
  ]);
  assert.equal(warningCodesOf(ROLES), ['file/never-imported']);
});

test.run();
