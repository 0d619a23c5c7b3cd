import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type PolicyTestOptions, runPolicyTests } from '../../packages/cli/policies/test-policies.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { testFilter } from '../../packages/policy-tests/filter.js';
import type { Program } from '../../compiler/ir/program.js';
import { compileTexts, loaded } from '../support/compiled.js';

const test = suite('failed tests and why they were decided so');

const ALBUM = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - name: owners
      actions: [view, edit]
      effect: EFFECT_ALLOW
      roles: ["*"]
      condition: {match: {expr: R.attr.owner == P.id}}
      output: {when: {ruleActivated: '"owned"'}}
    - name: admins
      actions: [view, delete]
      effect: EFFECT_ALLOW
      roles: [admin]
    - name: locked
      actions: [edit, delete]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: {match: {expr: R.attr.locked}}
    - name: late
      actions: [archive]
      effect: EFFECT_ALLOW
      roles: ["*"]
      condition: {match: {all: {of: [{expr: R.attr.owner == P.id}, {expr: now() > timestamp("2026-01-01T00:00:00Z")}]}}}
`;

const compilation = compileTexts({ 'album.yaml': ALBUM });

test('an ALLOW shows the rules that allow, and those that could have denied', async () => {
  assert.equal(await why('admin', '{owner: ann}', 'delete: EFFECT_DENY'), [
    'OUTCOME: expected: EFFECT_DENY, actual: EFFECT_ALLOW',
    'WHY: admins applies',
    '  as admin',
    '    root scope  resource.album.vdefault',
    '      ✔ admins  ALLOW  album.yaml:12:7',
    '      · locked  DENY   album.yaml:16:7',
    '        ! R.attr.locked  album.yaml:20:33  cannot be evaluated: no such key: locked',
  ]);
});

test('a DENY shows the rule that denies, or else the rules that could have allowed', async () => {
  assert.equal(await why('user', '{owner: ann, locked: true}', 'edit: EFFECT_ALLOW'), [
    'OUTCOME: expected: EFFECT_ALLOW, actual: EFFECT_DENY',
    'WHY: locked applies',
    '  as user',
    '    root scope  resource.album.vdefault',
    '      ✔ locked  DENY   album.yaml:16:7',
    '        ✔ R.attr.locked  album.yaml:20:33',
  ]);
  // Both roles reach the rule.
  assert.equal(await why('user, guest', '{owner: bob, locked: false}', 'edit: EFFECT_ALLOW'), [
    'OUTCOME: expected: EFFECT_ALLOW, actual: EFFECT_DENY',
    'WHY: no rule allows',
    '  as user',
    '    root scope  resource.album.vdefault',
    '      ✘ owners  ALLOW  album.yaml:6:7',
    '        ✘ R.attr.owner == P.id  album.yaml:10:33  "bob" == "ann"',
  ]);
  assert.equal(await why('user', '{}', 'share: EFFECT_ALLOW'), [
    'OUTCOME: expected: EFFECT_ALLOW, actual: EFFECT_DENY',
    'WHY: no rule matches this action and these roles',
  ]);
});

test('a kind that no policy has is said to be one, with the kind that is probably meant', async () => {
  const [, reason, ...others] = await why('user', '{}', 'view: EFFECT_ALLOW', '', '', 'albun');
  assert.is(reason, 'WHY: no policy covers kind `albun`: did you mean `album`?');
  assert.equal(others, []);
  const [, scoped] = await why('user', '{}', 'view: EFFECT_ALLOW', '', '', 'album, scope: acme');
  assert.is(scoped, 'WHY: no policy of kind `album` is in scope `acme`: its only scope is the root');
});

test('strict evaluation shows the rule that fails', async () => {
  const [, reason, , , rule] = await why('user', '{owner: ann}', 'edit: EFFECT_ALLOW', 'strictEvaluation: true');
  assert.is(reason, 'WHY: locked cannot be evaluated, and evaluation is strict');
  assert.is(rule, '      ! locked  DENY   album.yaml:16:7');
});

test('a condition has the time of the test', async () => {
  const lines = await why('user', '{owner: ann}', 'archive: EFFECT_ALLOW', 'now: "2025-12-31T23:00:00Z"');
  assert.match(lines.at(-1) as string, '"2025-12-31T23:00:00Z" > "2026-01-01T00:00:00Z"');
});

test('a missing output shows its rule, another output only the two values', async () => {
  const missing = await why('admin', '{owner: bob}', 'view: EFFECT_ALLOW', '', output('"owned"'));
  assert.equal(missing.slice(-5), [
    'WHY: the rule of the output',
    '  as admin',
    '    root scope  resource.album.vdefault',
    '      ✘ owners  ALLOW  album.yaml:6:7',
    '        ✘ R.attr.owner == P.id  album.yaml:10:33  "bob" == "ann"',
  ]);
  const other = await why('admin', '{owner: ann}', 'view: EFFECT_ALLOW', '', output('"mine"'));
  assert.not.ok(other.some((line) => line.startsWith('WHY')));
});

test('tests that pass are not explained', async () => {
  const suites = suitesOf('user', '{owner: ann}', 'edit: EFFECT_ALLOW', '', '');
  const lowered = (): Program => assert.unreachable() as never;
  const { code } = await runPolicyTests(suites, { ...(await bundle), lowered }, OPTIONS);
  assert.is(code, 0);
});

test('JSON has the explanation as data, and JUnit stays as it is', async () => {
  const suites = suitesOf('user', '{owner: bob}', 'edit: EFFECT_ALLOW', '', '');
  const policies = { ...(await bundle), lowered: () => compilation.lowered };
  const { report } = await runPolicyTests(suites, policies, { ...OPTIONS, format: 'json' });
  const [details] = [...report.matchAll(/"explanation": \{\s*"decision": "(\w+)"/g)].map(([, decision]) => decision);
  assert.is(details, 'DENY');
  const lowered = (): Program => assert.unreachable() as never;
  await runPolicyTests(suites, { ...policies, lowered }, { ...OPTIONS, format: 'junit' });
});

test.run();

const bundle = loaded(compilation);

const OPTIONS: PolicyTestOptions = {
  filter: testFilter([]),
  skipBatching: false,
  strictEvaluation: false,
  schemaEnforcement: 'none',
  format: 'list',
  verbose: false,
  color: false,
  policyFolder: '',
};

function output(val: string): string {
  return `outputs: [{action: view, expected: [{src: resource.album.vdefault#owners, val: ${val}}]}]`;
}

function suitesOf(roles: string, attr: string, expected: string, options: string, outputs: string, kind = 'album') {
  const text = `name: S
options: {${options}}
principals: {ann: {id: ann, roles: [${roles}]}}
resources: {album: {kind: ${kind}, id: a1, attr: ${attr}}}
tests:
  - name: T
    input: {principals: [ann], resources: [album], actions: [${expected.split(':')[0]}]}
    expected:
      - principal: ann
        resource: album
        actions: {${expected}}
        ${outputs}
`;
  const file = { source: new Source('a_test.yaml', text) };
  const fixtures = { fixtureFolder: 'testdata', principals: undefined, resources: undefined, auxData: undefined };
  return [{ path: 'a_test.yaml', file, ...fixtures }];
}

/** The lines below the action of the only test. */
async function why(roles: string, attr: string, expected: string, options = '', outputs = '', kind = 'album') {
  const suites = suitesOf(roles, attr, expected, options, outputs, kind);
  const policies = { ...(await bundle), lowered: () => compilation.lowered };
  const { report } = await runPolicyTests(suites, policies, OPTIONS);
  const lines = report.split('\n');
  const first = lines.findIndex((line) => line.includes('OUTCOME'));
  const indent = (lines[first] as string).search(/\S/);
  const below = lines.slice(first, lines.indexOf('', first));
  return below.map((line) => line.slice(indent));
}
