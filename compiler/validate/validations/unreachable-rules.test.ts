import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  allow,
  CONSENT,
  conditional,
  deny,
  OUTPUT,
  resourcePolicy,
  warningCodesOf,
  warningsOf,
  when,
} from '../../../tests/support/warnings.js';

const IF = when('R.attr.open == true');
const codes = (...rules: readonly string[]) => warningCodesOf(resourcePolicy(rules));
const UNREACHABLE = ['rule/unreachable'];

test('an ALLOW is hidden by a DENY without condition for its actions and roles, before it or after it (8.3)', () => {
  assert.equal(codes(allow('[view]', '[user]'), deny('[view]', '[user]')), UNREACHABLE);
  assert.equal(codes(deny('["*"]', '["*"]'), allow('[view, "a:*"]', '[user, "x*"]', IF)), UNREACHABLE);
  assert.equal(codes(deny('["a:*", view]', '["u*"]'), allow('["a:b", view]', '[user]')), UNREACHABLE);
  assert.equal(warningsOf(resourcePolicy([deny('[view]', '[a]'), deny('[view]', '[b]'), allow('[view]', '[a, b]')])), [
    'rule/unreachable: rule `rule-003` can never matter: `rule-001`, `rule-002` deny all of it without condition',
  ]);
});

test('an ALLOW with an action or a role that nothing denies is not hidden', () => {
  assert.equal(codes(allow('[view, edit]', '[user]'), deny('[view]', '[user]')), []);
  assert.equal(codes(allow('[view]', '[user, admin]'), deny('[view]', '[user]')), []);
  assert.equal(codes(allow('["a:*"]', '[user]'), deny('["a:b"]', '["*"]')), []);
  assert.equal(codes(allow('["a:*"]', '[user]'), deny('["a:?*"]', '["*"]')), []);
  assert.equal(codes(allow('[view]', '[a, b]'), deny('[view]', '[a]'), deny('[edit]', '[b]')), []);
});

test('a DENY with a condition, or of an invalid glob, hides nothing', () => {
  assert.equal(codes(allow('[view]', '[user]'), deny('[view]', '[user]', IF)), []);
  assert.equal(codes(allow('[view]', '[user]'), deny('["[view*"]', '[user]')), ['glob/unreliable']);
});

test('an output is seen unless the DENY comes first (9.1)', () => {
  assert.equal(codes(allow('[view]', '[user]', OUTPUT), deny('[view]', '[user]')), []);
  assert.equal(codes(deny('[view]', '[user]'), allow('[view]', '[user]', OUTPUT)), UNREACHABLE);
});

test('a rule without condition says what the same rule with one says', () => {
  assert.equal(codes(allow('["*"]', '[user]'), allow('[view]', '[user]', IF)), UNREACHABLE);
  assert.equal(codes(deny('["*"]', '[user]', IF), deny('["*"]', '["*"]')), UNREACHABLE);
  assert.equal(codes(allow('["*"]', '[user]'), allow('[view]', '[user, guest]', IF)), []);
  assert.equal(codes(allow('["*"]', '[user]'), allow('[view]', '[user]', IF + OUTPUT)), []);
});

test('under parental consent a conditional ALLOW denies, so an ALLOW without condition does not say it (8.3)', () => {
  const rules = [allow('["*"]', '[user]'), allow('[view]', '[user]', IF)];
  assert.equal(warningCodesOf(resourcePolicy([]), resourcePolicy(rules, `, scope: a${CONSENT}`)), []);
});

test('derived roles reach through their parent roles, and a rule that is the only one to name one is left alone (7.2)', () => {
  const roles = 'derivedRoles: {name: roles, definitions: [{name: owner, parentRoles: [user]}]}';
  const owner = '{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner]}';
  const edit = '{actions: [edit], effect: EFFECT_ALLOW, derivedRoles: [owner]}';
  const imports = ', importDerivedRoles: [roles]';
  assert.equal(warningCodesOf(roles, resourcePolicy([owner, edit, deny('[view]', '[user]')], imports)), UNREACHABLE);
  assert.equal(warningCodesOf(roles, resourcePolicy([owner, edit, deny('[view]', '[guest]')], imports)), []);
  assert.equal(warningCodesOf(roles, resourcePolicy([owner, deny('[view]', '[user]')], imports)), []);
});

test('resources of a principal policy are compared as requests are looked up (4.1)', () => {
  const principal = (...rules: readonly string[]) =>
    `principalPolicy: {principal: ann, version: default, rules: [${rules.join(', ')}]}`;
  const on = (resource: string, effect: string) =>
    `{resource: "${resource}", actions: [{action: view, effect: EFFECT_${effect}}]}`;
  assert.equal(warningCodesOf(principal(on('a:b', 'ALLOW'), on('a_*', 'DENY'))), UNREACHABLE);
  assert.equal(warningCodesOf(principal(on('a:b', 'ALLOW'), on('c', 'DENY'))), []);
});

test('a rule of a role policy without condition does not rescue one with a condition (8.3)', () => {
  const role = (...rules: readonly string[]) =>
    `rolePolicy: {role: intern, version: default, rules: [${rules.join(', ')}]}`;
  const may = (actions: string, rest = '') => `{resource: album, allowActions: ${actions}${rest}}`;
  const album = conditional('R.attr.open == true');
  assert.equal(warningCodesOf(album, role(may('["*"]', IF), may('[view]'))), UNREACHABLE);
  assert.equal(warningCodesOf(album, role(may('[view]', IF), may('["*"]'))), []);
  assert.equal(warningCodesOf(album, role(may('["*"]'), may('[view]', IF))), []);
});

test.run();
