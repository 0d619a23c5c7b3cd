import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  allow,
  conditional,
  resourcePolicy,
  warningCodesOf,
  warningsOf,
  when,
} from '../../../tests/support/warnings.js';

const unused = (policy: string, ...others: readonly string[]) =>
  warningsOf(policy, ...others).map((line) => line.replace(/`([^`]*)`.*$/, '$1'));
const LOCAL = ", variables: {local: {a: 'P.id', b: 'V.a', c: 'C.k'}}, constants: {local: {k: 1, l: 2}}";

test('a variable is used by a condition or an output, directly or through another variable (6.1)', () => {
  assert.equal(unused(conditional('V.b == "x" && V.c == 1.0', LOCAL)), ['constant/unused: constant l']);
  assert.equal(unused(conditional('V.a == "x" && C.l == 1', LOCAL)), [
    'variable/unused: variable b',
    'variable/unused: variable c',
    'constant/unused: constant k',
  ]);
  assert.equal(
    unused(
      resourcePolicy(
        [
          allow(
            '[view]',
            '[user]',
            `, output: {when: {conditionNotMet: 'V.b + string(V.c)'}}${when('C.l == R.attr.x')}`,
          ),
        ],
        LOCAL,
      ),
    ),
    [],
  );
});

test('any mention is a use: an optional one, one that folding removes, or V and C as whole values', () => {
  assert.equal(unused(conditional('V.?b.hasValue() || false && V.c && C.l == 1', LOCAL)), []);
  assert.equal(
    unused(resourcePolicy([allow('[view]', '[user]', ", output: {when: {ruleActivated: '[V, C]'}}")], LOCAL)),
    [],
  );
});

test('local variables of derived roles are used by conditions of their definitions', () => {
  const roles =
    "derivedRoles: {name: r, variables: {local: {x: 'P.id', y: 'P.id'}}, definitions: [{name: owner, parentRoles: [user], condition: {match: {expr: 'R.attr.owner == V.x'}}}]}";
  assert.equal(
    unused(
      resourcePolicy(['{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner]}'], ', importDerivedRoles: [r]'),
      roles,
    ),
    ['variable/unused: variable y'],
  );
});

test('imported variables may be unused', () => {
  const exported = "exportVariables: {name: e, definitions: {p: 'P.id', q: 'P.id'}}";
  assert.equal(unused(conditional('V.p == "x"', ', variables: {import: [e]}'), exported), []);
});

const ROLES = 'derivedRoles: {name: r-1, definitions: [{name: owner, parentRoles: [user]}]}';
const VARIABLES = "exportVariables: {name: e, definitions: {p: 'C.k == 1'}}";
const CONSTANTS = 'exportConstants: {name: c, definitions: {k: 1}}';
const plain = (fields: string) => resourcePolicy([allow('[view]', '[user]')], fields);
const OWNER = '{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner]}';

test('an import without any used definition is reported, even if others use the set', () => {
  const user = resourcePolicy([OWNER], ', importDerivedRoles: [r_1]').replace('album', 'photo');
  assert.equal(warningsOf(ROLES, plain(', importDerivedRoles: [r-1]'), user), [
    'import/unused: nothing from the imported derived roles `r-1` is used',
  ]);
  assert.equal(warningsOf(CONSTANTS, plain(', constants: {import: [c]}')), [
    'import/unused: nothing from the imported constants `c` is used',
  ]);
  assert.equal(warningsOf('exportVariables: {name: e, definitions: {}}', plain(', variables: {import: [e]}')), [
    'import/unused: nothing from the imported variables `e` is used',
  ]);
});

test('one used definition of the set is enough, also through an imported variable', () => {
  assert.equal(
    warningsOf(VARIABLES, CONSTANTS, conditional('V.p', ', variables: {import: [e]}, constants: {import: [c]}')),
    [],
  );
  assert.equal(warningsOf(ROLES, resourcePolicy([OWNER], ', importDerivedRoles: [r_1]')), []);
});

const USED_ROLES =
  'derivedRoles: {name: r, definitions: [{name: owner, parentRoles: [user]}, {name: friend, parentRoles: [user]}]}';
const through = (kind: string, role: string) =>
  resourcePolicy(
    [`{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [${role}]}`],
    ', importDerivedRoles: [r]',
  ).replace('album', kind);

test('a derived role that no rule of any importing policy names is reported', () => {
  assert.equal(warningsOf(USED_ROLES, through('album', 'owner')), [
    'derived-role/never-used: no rule names the derived role `friend`',
  ]);
  assert.equal(warningsOf(USED_ROLES, through('album', 'owner'), through('photo', 'friend')), []);
});

test('for a set without any used definition the import is reported, or the file', () => {
  assert.equal(
    warningCodesOf(USED_ROLES, 'resourcePolicy: {resource: album, version: default, importDerivedRoles: [r]}'),
    ['import/unused'],
  );
  assert.equal(warningCodesOf(USED_ROLES), ['file/never-imported']);
});

test('derived roles and exports without an import are reported (1)', () => {
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
