import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { assertLinear } from '../../../tests/support/growth.js';
import {
  allow,
  conditional,
  CONSENT,
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

test('an ALLOW is unreachable after or before a DENY without a condition for its actions and roles (8.3)', () => {
  assert.equal(codes(allow('[view]', '[user]'), deny('[view]', '[user]')), UNREACHABLE);
  assert.equal(codes(deny('["*"]', '["*"]'), allow('[view, "a:*"]', '[user, "x*"]', IF)), UNREACHABLE);
  assert.equal(codes(deny('["a:*", view]', '["u*"]'), allow('["a:b", view]', '[user]')), UNREACHABLE);
  assert.equal(warningsOf(resourcePolicy([deny('[view]', '[a]'), deny('[view]', '[b]'), allow('[view]', '[a, b]')])), [
    'rule/unreachable: rule `rule-003` has no effect: `rule-001`, `rule-002` deny all of it unconditionally',
  ]);
});

test('a rule whose condition may fail is said to matter under strict evaluation', () => {
  const matters =
    'rule/unreachable: rule `rule-002` has an effect only under strict evaluation, when its condition fails';
  assert.equal(warningsOf(resourcePolicy([deny('[view]', '[user]'), allow('[view]', '[user]', IF)])), [
    `${matters}: \`rule-001\` denies all of it unconditionally`,
  ]);
  assert.equal(warningsOf(resourcePolicy([allow('[view]', '[user]'), allow('[view]', '[user]', IF)])), [
    `${matters}: \`rule-001\` allows all of it unconditionally`,
  ]);
});

test('an ALLOW with an action or a role that is not denied is reachable', () => {
  assert.equal(codes(allow('[view, edit]', '[user]'), deny('[view]', '[user]')), []);
  assert.equal(codes(allow('[view]', '[user, admin]'), deny('[view]', '[user]')), []);
  assert.equal(codes(allow('["a:*"]', '[user]'), deny('["a:b"]', '["*"]')), []);
  assert.equal(codes(allow('["a:*"]', '[user]'), deny('["a:?*"]', '["*"]')), []);
  assert.equal(codes(allow('[view]', '[a, b]'), deny('[view]', '[a]'), deny('[edit]', '[b]')), []);
});

test('a DENY with a condition, or with an invalid glob, makes no rule unreachable', () => {
  assert.equal(codes(allow('[view]', '[user]'), deny('[view]', '[user]', IF)), []);
  assert.equal(codes(allow('[view]', '[user]'), deny('["[view*"]', '[user]')), ['glob/unreliable']);
});

test('an output is reachable unless the DENY comes first (9.1)', () => {
  assert.equal(codes(allow('[view]', '[user]', OUTPUT), deny('[view]', '[user]')), []);
  assert.equal(codes(deny('[view]', '[user]'), allow('[view]', '[user]', OUTPUT)), UNREACHABLE);
});

test('a rule without a condition makes the same rule with one redundant', () => {
  assert.equal(codes(allow('["*"]', '[user]'), allow('[view]', '[user]', IF)), UNREACHABLE);
  assert.equal(codes(deny('["*"]', '[user]', IF), deny('["*"]', '["*"]')), UNREACHABLE);
  assert.equal(codes(allow('["*"]', '[user]'), allow('[view]', '[user, guest]', IF)), []);
  assert.equal(codes(allow('["*"]', '[user]'), allow('[view]', '[user]', IF + OUTPUT)), []);
});

test('under parental consent a conditional ALLOW denies, so an ALLOW without a condition does not replace it (8.3)', () => {
  const rules = [allow('["*"]', '[user]'), allow('[view]', '[user]', IF)];
  assert.equal(warningCodesOf(resourcePolicy([]), resourcePolicy(rules, `, scope: a${CONSENT}`)), []);
});

test('derived roles are compared through their parent roles, and the only rule that names one is not reported (7.2)', () => {
  const roles = 'derivedRoles: {name: roles, definitions: [{name: owner, parentRoles: [user]}]}';
  const owner = '{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner]}';
  const edit = '{actions: [edit], effect: EFFECT_ALLOW, derivedRoles: [owner]}';
  const imports = ', importDerivedRoles: [roles]';
  assert.equal(warningCodesOf(roles, resourcePolicy([owner, edit, deny('[view]', '[user]')], imports)), UNREACHABLE);
  assert.equal(warningCodesOf(roles, resourcePolicy([owner, edit, deny('[view]', '[guest]')], imports)), []);
  assert.equal(warningCodesOf(roles, resourcePolicy([owner, deny('[view]', '[user]')], imports)), []);
});

test('resources of a principal policy are compared like resources of requests (4.1)', () => {
  const principal = (...rules: readonly string[]) =>
    `principalPolicy: {principal: ann, version: default, rules: [${rules.join(', ')}]}`;
  const on = (resource: string, effect: string) =>
    `{resource: "${resource}", actions: [{action: view, effect: EFFECT_${effect}}]}`;
  assert.equal(warningCodesOf(principal(on('a:b', 'ALLOW'), on('a_*', 'DENY'))), UNREACHABLE);
  assert.equal(warningCodesOf(principal(on('a:b', 'ALLOW'), on('c', 'DENY'))), []);
});

test('a rule of a role policy without a condition does not replace one with a condition (8.3)', () => {
  const role = (...rules: readonly string[]) =>
    `rolePolicy: {role: intern, version: default, rules: [${rules.join(', ')}]}`;
  const may = (actions: string, rest = '') => `{resource: album, allowActions: ${actions}${rest}}`;
  const album = conditional('R.attr.open == true');
  assert.equal(warningCodesOf(album, role(may('["*"]', IF), may('[view]'))), UNREACHABLE);
  assert.equal(warningCodesOf(album, role(may('[view]', IF), may('["*"]'))), []);
  assert.equal(warningCodesOf(album, role(may('["*"]'), may('[view]', IF))), []);
});

const REPEATED = ['rule/repeated'];

test('a rule repeats another of the same effect and condition that covers all its actions and roles', () => {
  assert.equal(codes(allow('[view]', '[user]'), allow('[view]', '[user]')), REPEATED);
  assert.equal(codes(allow('[view, "a:*"]', '["*"]', IF), allow('["a:b"]', '[user]', IF)), REPEATED);
  assert.equal(codes(deny('[view]', '[user]', IF), deny('[view, edit]', '[user]', IF)), REPEATED);
});

test('of two equal rules the later one is reported, otherwise the narrower one', () => {
  const narrow = allow('[view]', '[user]', ', name: narrow');
  const wide = allow('["*"]', '[user]', ', name: wide');
  const message = 'rule/repeated: rule `narrow` repeats rule `wide`';
  assert.equal(warningsOf(resourcePolicy([narrow, wide])), [message]);
  assert.equal(warningsOf(resourcePolicy([wide, narrow])), [message]);
  assert.equal(warningsOf(resourcePolicy([narrow, allow('[view]', '[user]')])), [
    'rule/repeated: rule `rule-002` repeats rule `narrow`',
  ]);
});

test('the order of a rule and one that repeats it matters under strict evaluation', () => {
  const narrow = allow('[view]', '[user]', `${IF}, name: narrow`);
  const wide = allow('["*"]', '[user]', `${IF}, name: wide`);
  const message = 'rule/repeated: rule `narrow` repeats rule `wide`';
  assert.equal(warningsOf(resourcePolicy([wide, narrow])), [message]);
  assert.equal(warningsOf(resourcePolicy([narrow, wide])), [
    `${message}; their order matters only under strict evaluation`,
  ]);
});

test('a different effect, condition, action or role, or an output, is not a repetition', () => {
  assert.equal(codes(allow('[view]', '[user]', IF), deny('[view]', '[user]', IF)), []);
  assert.equal(codes(allow('[view]', '[user]', IF), allow('[view]', '[user]', when('R.attr.open == false'))), []);
  assert.equal(codes(allow('[view]', '[user]'), allow('[edit]', '[user]'), allow('[view]', '[admin]')), []);
  assert.equal(codes(allow('[view]', '[user]', OUTPUT), allow('[view]', '[user]', OUTPUT)), []);
  assert.equal(codes(allow('["view:?*"]', '[user]'), allow('["view:*"]', '[user]')), []);
});

test('a matching operator is part of a condition', () => {
  const matching = (operator: string) =>
    `, condition: {match: {${operator}: {of: [{expr: 'R.attr.a == 1'}, {expr: 'R.attr.b == 1'}]}}}`;
  assert.equal(codes(allow('[view]', '[user]', matching('all')), allow('[view]', '[user]', matching('any'))), []);
  assert.equal(codes(allow('[view]', '[user]', matching('all')), allow('[view]', '[user]', matching('all'))), REPEATED);
});

test('derived roles are compared by name', () => {
  const roles =
    'derivedRoles: {name: r, definitions: [{name: owner, parentRoles: [user]}, {name: friend, parentRoles: [user]}]}';
  const through = (names: string) => `{actions: [view], effect: EFFECT_ALLOW, derivedRoles: ${names}}`;
  const imports = ', importDerivedRoles: [r]';
  assert.equal(
    warningCodesOf(roles, resourcePolicy([through('[owner, friend]'), through('[friend]')], imports)),
    REPEATED,
  );
  assert.equal(warningCodesOf(roles, resourcePolicy([through('[owner]'), through('[friend]')], imports)), []);
});

test('a policy with many rules is checked in time that grows with their number', async () => {
  await assertLinear('checking', 60, (count) => {
    const rules = Array.from({ length: count }, (_, index) => allow(`["a${index}:*"]`, '[user]'));
    return () => assert.equal(codes(...rules), []);
  });
});

test.run();
