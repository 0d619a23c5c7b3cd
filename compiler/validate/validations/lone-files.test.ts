import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { conditional, warningsOf } from '../../../tests/support/warnings.js';

test('derived roles and exports that nobody imports have no effect (1)', () => {
  assert.equal(warningsOf('exportConstants: {name: a-b, definitions: {k: 1}}'), [
    'file/never-imported: no policy imports export_constants.a_b',
  ]);
  assert.equal(warningsOf("exportVariables: {name: e, definitions: {p: 'what is this'}}"), [
    'file/never-imported: no policy imports export_variables.e',
  ]);
});

test('an import from any document counts, by sanitised name; disabled documents are absent', () => {
  assert.equal(
    warningsOf(
      'exportConstants: {name: a-b, definitions: {k: 1}}',
      conditional('R.attr.x == C.k', ', constants: {import: [a_b]}'),
    ),
    [],
  );
  const roles =
    "derivedRoles: {name: r, constants: {import: [c]}, definitions: [{name: owner, parentRoles: [user], condition: {match: {expr: 'R.attr.x == C.k'}}}]}";
  assert.equal(warningsOf('exportConstants: {name: c, definitions: {k: 1}}', roles), [
    'file/never-imported: no policy imports derived_roles.r',
  ]);
  assert.equal(warningsOf('disabled: true\nexportConstants: {name: c, definitions: {k: 1}}'), []);
});

test.run();
