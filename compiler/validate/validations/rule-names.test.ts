import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, OUTPUT, resourcePolicy, warningCodesOf, warningsOf, when } from '../../../tests/support/warnings.js';

const [A, B] = [when('R.attr.a == 1'), when('R.attr.b == 1')];
const COLLIDES = ['rule/name-collides'];

test('a rule called as another one without a name shares its identity (8.10-D3)', () => {
  const codes = (...rules: readonly string[]) => warningCodesOf(resourcePolicy(rules));
  assert.equal(
    warningsOf(resourcePolicy([allow('[view]', '[user]', `${A}, name: rule-002`), allow('[edit]', '[user]', B)])),
    ['rule/name-collides: two rules are called `rule-002`'],
  );
  assert.equal(codes(allow('[view]', '[user]', A), allow('[edit]', '[user]', `${B}, name: rule-002`)), []);
  assert.equal(codes(allow('[view]', '[user]', `${A}, name: rule-3`), allow('[edit]', '[user]', B)), []);
});

test('nobody can tell two rules apart that have the same condition and no output', () => {
  const named = (rest: string) =>
    resourcePolicy([allow('[view]', '[user]', `${rest}, name: rule-002`), allow('[edit]', '[admin]', rest)]);
  assert.equal(warningCodesOf(named('')), []);
  assert.equal(warningCodesOf(named(A)), []);
  assert.equal(warningCodesOf(named(OUTPUT)), COLLIDES);
});

test('actions of one name collide under resources that match the same request', () => {
  const on = (resource: string, condition: string) =>
    `{resource: "${resource}", actions: [{name: x, action: view, effect: EFFECT_ALLOW${condition}}]}`;
  const policy = (a: string, b: string) =>
    `principalPolicy: {principal: ann, version: default, rules: [${on(a, A)}, ${on(b, B)}]}`;
  assert.equal(warningCodesOf(policy('doc', '*')), COLLIDES);
  assert.equal(warningCodesOf(policy('a:b', 'a_*')), COLLIDES);
  assert.equal(warningCodesOf(policy('doc*', 'd*')), COLLIDES);
  assert.equal(warningCodesOf(policy('doc', 'album')), []);
  assert.equal(warningCodesOf(policy('doc*', 'album*')), []);
});

test.run();
