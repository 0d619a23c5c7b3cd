import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, conditional, resourcePolicy, warningCodesOf, warningsOf } from '../../../tests/support/warnings.js';

const TRUE = ['condition/always-true'];
const FALSE = ['condition/always-false'];
const matching = (match: string) => resourcePolicy([allow('[view]', '[user]', `, condition: {match: ${match}}`)]);

test('literals and operators on literals are constant', () => {
  for (const text of [
    'true',
    '1 == 1',
    '1 < 2 || R.attr.x',
    '!false',
    '"a" in ["a", "b"]',
    'true ? 1u == 1u : R.attr.x',
    '1.5 > 1.0 && "a" < "b"',
    '-1 < 0',
  ]) {
    assert.equal(warningCodesOf(conditional(text)), TRUE, text);
  }
  for (const text of ['false', '1 == 2', 'R.attr.x && false', 'R.attr.x in []', '1 + 1 == 3', '"true" == "tru"']) {
    assert.equal(warningCodesOf(conditional(text)), FALSE, text);
  }
});

test('expressions that use the request, constants or variables, or that fail, are not constant', () => {
  for (const text of [
    'R.attr.x',
    'R.attr.x == R.attr.x',
    'R.attr.x || false',
    'true && R.attr.x',
    '1 / 0 == 1',
    'dyn(true)',
    'R.attr.x in [1]',
    'now() > now()',
  ]) {
    assert.equal(warningCodesOf(conditional(text)), [], text);
  }
  assert.equal(warningCodesOf(conditional('C.debug', ', constants: {local: {debug: true}}')), []);
  assert.equal(warningCodesOf(conditional('V.debug', ", variables: {local: {debug: 'true'}}")), []);
});

test('a value that is not a boolean never holds (5.2)', () => {
  assert.equal(warningsOf(conditional('P.id')), [
    'condition/always-false: `P.id` never holds: it is a string, not a boolean',
  ]);
  assert.equal(warningsOf(conditional('R.attr.tags.map(t, t)')), [
    'condition/always-false: `R.attr.tags.map(t, t)` never holds: it is a list, not a boolean',
  ]);
  assert.equal(warningCodesOf(conditional('size(R.attr.tags)')), FALSE);
  assert.equal(warningCodesOf(conditional('42')), FALSE);
  assert.equal(warningCodesOf(conditional('R.attr.x.orValue(1)')), []);
});

test('the outermost of nested constant parts is reported', () => {
  const part = '{expr: "R.attr.x == 1"}';
  assert.equal(warningsOf(matching(`{all: {of: [${part}, {expr: "false"}]}}`)), [
    'condition/always-false: `all of` is always false',
  ]);
  assert.equal(warningsOf(matching(`{any: {of: [${part}, {expr: "true"}]}}`)), [
    'condition/always-true: `any of` is always true',
  ]);
  assert.equal(warningsOf(matching('{none: {of: [{expr: "false"}]}}')), [
    'condition/always-true: `none of` is always true',
  ]);
  assert.equal(warningsOf(matching(`{all: {of: [${part}, {expr: "true"}]}}`)), [
    'condition/always-true: `true` is always true',
  ]);
  assert.equal(warningsOf(matching(`{all: {of: [${part}, {any: {of: [${part}, {expr: "false"}]}}]}}`)), [
    'condition/always-false: `false` is always false',
  ]);
});

test('conditions of derived roles are checked once, however many policies import them', () => {
  const roles =
    'derivedRoles: {name: r, definitions: [{name: owner, parentRoles: [user], condition: {match: {expr: "1 == 2"}}}]}';
  const policy = (name: string) =>
    resourcePolicy(
      ['{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner]}'],
      ', importDerivedRoles: [r]',
    ).replace('album', name);
  assert.equal(warningCodesOf(roles, policy('a'), policy('b')), FALSE);
});

test('a long expression does not overflow the stack', () => {
  assert.equal(warningCodesOf(conditional(Array.from({ length: 2000 }, () => 'true').join(' && '))), TRUE);
});

test.run();
