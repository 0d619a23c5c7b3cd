import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  allow,
  deny,
  OUTPUT,
  resourcePolicy,
  warningCodesOf,
  warningsOf,
  when,
} from '../../../tests/support/warnings.js';

const IF = when('R.attr.open == true');
const codes = (...rules: readonly string[]) => warningCodesOf(resourcePolicy(rules));
const REPEATED = ['rule/repeated'];

test('a rule repeats one of the same effect and condition that reaches all its actions and roles', () => {
  assert.equal(codes(allow('[view]', '[user]'), allow('[view]', '[user]')), REPEATED);
  assert.equal(codes(allow('[view, "a:*"]', '["*"]', IF), allow('["a:b"]', '[user]', IF)), REPEATED);
  assert.equal(codes(deny('[view]', '[user]', IF), deny('[view, edit]', '[user]', IF)), REPEATED);
});

test('of two equal rules the later one repeats, of others the narrower', () => {
  const narrow = allow('[view]', '[user]', ', name: narrow');
  const wide = allow('["*"]', '[user]', ', name: wide');
  const message = 'rule/repeated: rule `narrow` repeats rule `wide`';
  assert.equal(warningsOf(resourcePolicy([narrow, wide])), [message]);
  assert.equal(warningsOf(resourcePolicy([wide, narrow])), [message]);
  assert.equal(warningsOf(resourcePolicy([narrow, allow('[view]', '[user]')])), [
    'rule/repeated: rule `rule-002` repeats rule `narrow`',
  ]);
});

test('another effect, condition, action, role or an output is no repetition', () => {
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

test('a policy of many rules is looked at in bounded time', () => {
  const rules = Array.from({ length: 3000 }, (_, index) => allow(`["a${index}:*"]`, '[user]'));
  const started = performance.now();
  assert.equal(codes(...rules), []);
  assert.ok(performance.now() - started < 20_000);
});

test.run();
