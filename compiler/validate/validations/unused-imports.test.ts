import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, conditional, resourcePolicy, warningsOf } from '../../../tests/support/warnings.js';

const ROLES = 'derivedRoles: {name: r-1, definitions: [{name: owner, parentRoles: [user]}]}';
const VARIABLES = "exportVariables: {name: e, definitions: {p: 'C.k == 1'}}";
const CONSTANTS = 'exportConstants: {name: c, definitions: {k: 1}}';
const plain = (fields: string) => resourcePolicy([allow('[view]', '[user]')], fields);
const OWNER = '{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner]}';

test('an import of which nothing is used is unused, whatever others use of the set', () => {
  const user = resourcePolicy([OWNER], ', importDerivedRoles: [r_1]').replace('album', 'photo');
  assert.equal(warningsOf(ROLES, plain(', importDerivedRoles: [r-1]'), user), [
    'import/unused: nothing of the imported derived roles `r-1` is used',
  ]);
  assert.equal(warningsOf(CONSTANTS, plain(', constants: {import: [c]}')), [
    'import/unused: nothing of the imported constants `c` is used',
  ]);
  assert.equal(warningsOf('exportVariables: {name: e, definitions: {}}', plain(', variables: {import: [e]}')), [
    'import/unused: nothing of the imported variables `e` is used',
  ]);
});

test('one name of the set is enough, also by way of an imported variable', () => {
  assert.equal(
    warningsOf(VARIABLES, CONSTANTS, conditional('V.p', ', variables: {import: [e]}, constants: {import: [c]}')),
    [],
  );
  assert.equal(warningsOf(ROLES, resourcePolicy([OWNER], ', importDerivedRoles: [r_1]')), []);
});

test.run();
