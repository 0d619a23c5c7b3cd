import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { literalOrGlob } from '../../../runtime/policy/index.js';
import { compileTexts } from '../../../tests/support/compiled.js';
import { Random } from '../../../tests/support/oracle/random.js';
import { allow, OUTPUT, resourcePolicy, warningCodesOf, warningsOf, when } from '../../../tests/support/warnings.js';

const [A, B] = [when('R.attr.a == 1'), when('R.attr.b == 1')];
const COLLIDES = ['rule/name-collides'];

test('a rule named like an unnamed one shares its identity (8.10-D3)', () => {
  const codes = (...rules: readonly string[]) => warningCodesOf(resourcePolicy(rules));
  assert.equal(
    warningsOf(resourcePolicy([allow('[view]', '[user]', `${A}, name: rule-002`), allow('[edit]', '[user]', B)])),
    ['rule/name-collides: two rules have the name `rule-002`'],
  );
  assert.equal(codes(allow('[view]', '[user]', A), allow('[edit]', '[user]', `${B}, name: rule-002`)), []);
  assert.equal(codes(allow('[view]', '[user]', `${A}, name: rule-3`), allow('[edit]', '[user]', B)), []);
});

test('two rules with the same condition and no output may share a name', () => {
  const named = (rest: string) =>
    resourcePolicy([allow('[view]', '[user]', `${rest}, name: rule-002`), allow('[edit]', '[admin]', rest)]);
  assert.equal(warningCodesOf(named('')), []);
  assert.equal(warningCodesOf(named(A)), []);
  assert.equal(warningCodesOf(named(OUTPUT)), COLLIDES);
});

test('equal action names collide under resources that match the same request', () => {
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

/** Whether two rules of one name collide, decided by looking at every pair. */
function collide(a: Action, b: Action): boolean {
  const isGlob = (text: string): boolean => text.includes('*');
  const beginning = (text: string): string => text.slice(0, text.indexOf('*'));
  const overlap =
    isGlob(a.resource) && isGlob(b.resource)
      ? beginning(a.resource).startsWith(beginning(b.resource)) ||
        beginning(b.resource).startsWith(beginning(a.resource))
      : literalOrGlob(a.resource)(b.resource) || literalOrGlob(b.resource)(a.resource);
  return overlap && (a.hasOutput || b.hasOutput || a.condition !== b.condition);
}

interface Action {
  readonly resource: string;
  readonly condition: string;
  readonly hasOutput: boolean;
}

test('each rule is compared with the first one that it collides with, as looking at every pair finds it', () => {
  const random = new Random(1);
  const resources = ['a', 'ab', 'abc', 'b', 'bc', '*', 'a*', 'ab*', '*c', 'a*c', 'b*', 'abc*'];
  let found = 0;
  for (let round = 0; round < 150; round += 1) {
    const shuffled = resources.map((resource) => ({ resource, at: random.fraction() })).sort((a, b) => a.at - b.at);
    const actions = shuffled.map(
      ({ resource }): Action => ({ resource, condition: random.pick([A, B]), hasOutput: random.chance(0.1) }),
    );
    const rules = actions.map(
      ({ resource, condition, hasOutput }) =>
        `{resource: "${resource}", actions: [{name: x, action: view, effect: EFFECT_ALLOW${condition}${hasOutput ? OUTPUT : ''}}]}`,
    );
    const policy = `apiVersion: api.authz.dev/v1\nprincipalPolicy: {principal: ann, version: default, rules: [\n ${rules.join(',\n ')}\n ]}`;
    const { diagnostics } = compileTexts({ 'p.yaml': policy });
    const reported = diagnostics
      .filter(({ code }) => code === 'rule/name-collides')
      .map(({ source, place, notes }) =>
        [place?.span, notes[0]?.span].map((at) => at && source?.lineAndColumn(at.start).line),
      );
    const expected = actions.flatMap((action, index) => {
      const first = actions.findIndex((other) => collide(action, other));
      return first < index && first >= 0 ? [[index + 3, first + 3]] : [];
    });
    assert.equal(reported, expected, policy);
    found += expected.length;
  }
  assert.ok(found > 500);
});

test.run();
