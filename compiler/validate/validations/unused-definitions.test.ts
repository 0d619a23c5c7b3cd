import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, conditional, resourcePolicy, warningsOf, when } from '../../../tests/support/warnings.js';

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

test('any mention is a use: an optional one, one that folding removes, V and C as a whole', () => {
  assert.equal(unused(conditional('V.?b.hasValue() || false && V.c && C.l == 1', LOCAL)), []);
  assert.equal(
    unused(resourcePolicy([allow('[view]', '[user]', ", output: {when: {ruleActivated: '[V, C]'}}")], LOCAL)),
    [],
  );
});

test('local variables of derived roles are used by the conditions of the definitions', () => {
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

test('imported variables may be there for others', () => {
  const exported = "exportVariables: {name: e, definitions: {p: 'P.id', q: 'P.id'}}";
  assert.equal(unused(conditional('V.p == "x"', ', variables: {import: [e]}'), exported), []);
});

test.run();
