import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../diagnostics/diagnostic.js';
import { Source } from '../diagnostics/source.js';
import { parse } from './index.js';

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: R.attr.public == true
`;

/** Changes of a valid policy, and the words that the advice must contain. */
const mistakes: readonly (readonly [from: string, to: string, ...advice: string[]])[] = [
  // Typos of each key
  ['apiVersion', 'apiVersoin', '`apiVersion`'],
  ['resourcePolicy', 'resourcePolcy', '`resourcePolicy`'],
  ['resource: doc', 'resorce: doc', '`resource`'],
  ['version: default', 'verison: default', '`version`'],
  ['rules:', 'rule:', '`rules`'],
  ['actions', 'action', '`actions`'],
  ['effect:', 'efect:', '`effect`'],
  ['roles', 'role', '`roles`'],
  ['condition', 'conditions', '`condition`'],
  ['match', 'matches', '`match`'],
  ['expr', 'exp', '`expr`'],
  // Keys of other languages, and keys at the wrong level
  ['condition', 'when', '`condition`'],
  ['expr', 'expression', '`expr`'],
  ['actions', 'verbs', '`actions`'],
  ['resourcePolicy:', 'rules: []\nresourcePolicy:', '`resourcePolicy`', 'indentation'],
  ['  version: default', '  version: default\n  effect: EFFECT_ALLOW', '`resourcePolicy.rules[]`'],
  ['        match:\n          expr', '        expr', '`resourcePolicy.rules[].condition.match`'],
  ['effect: EFFECT_ALLOW', 'allow: true', 'effect: EFFECT_ALLOW'],
  ['match:\n          expr', 'match:\n          and', '`all`'],
  ['match:\n          expr', 'match:\n          or', '`any`'],
  ['match:\n          expr', 'match:\n          not', '`none`'],
  ['resource: doc', 'resource: doc\n  schemas: {resource: {ref: a}}', '`resourceSchema`'],
  ['apiVersion: api.authz.dev/v1\nresourcePolicy:', 'apiVersion: apps/v1\nspec:', 'not a policy'],
  ['apiVersion: api.authz.dev/v1\nresourcePolicy:', 'name: shop\nversion: 1.0.0\nscripts:', 'not a policy'],
  // Effects
  ['EFFECT_ALLOW', 'EFFECT_PERMIT', '`EFFECT_ALLOW`'],
  ['EFFECT_ALLOW', 'EFFECT_FORBID', '`EFFECT_DENY`'],
  ['EFFECT_ALLOW', 'ALLOW', '`EFFECT_ALLOW`'],
  ['EFFECT_ALLOW', 'effect_allow', '`EFFECT_ALLOW`'],
  ['EFFECT_ALLOW', 'Deny', '`EFFECT_DENY`'],
  ['EFFECT_ALLOW', 'permit', '`EFFECT_ALLOW`'],
  ['EFFECT_ALLOW', 'forbid', '`EFFECT_DENY`'],
  ['EFFECT_ALLOW', 'true', '`EFFECT_ALLOW`'],
  ['EFFECT_ALLOW', 'EFECT_ALLOW', '`EFFECT_ALLOW`'],
  ['EFFECT_ALLOW', 'sometimes', '`EFFECT_ALLOW`', '`EFFECT_DENY`'],
  // Types
  ['[user]', 'user', '[user]'],
  ['[view]', 'view', '[view]'],
  ['[view]', '"*"', '["*"]'],
  ['[user]', '{user: true}', '`- `'],
  ['version: default', 'version: 1.0', '"1.0"'],
  ['resource: doc', 'resource: [doc]', 'one string'],
  ['expr: R.attr.public == true', 'expr: {a: b}', 'quotes'],
  ['R.attr.public == true', '1.5', '"1.5"'],
  ['match:\n          expr: R.attr.public == true', 'match: R.attr.public', 'expr: R.attr'],
  ['match:\n          expr: R.attr.public == true', '  expr', 'match: {expr'],
  ['expr: R.attr.public == true', 'all: [{expr: "true"}]', 'of: [{expr'],
  ['expr: R.attr.public == true', 'any: {of: ["true"]}', 'expr: R.attr'],
  ['version: default', 'version: default\n  schemas: {resourceSchema: "a.json"}', 'ref: authz:///'],
  ['[user]', '[user]\n      output: P.id', 'ruleActivated'],
  ['resourcePolicy:', 'disabled: "yes"\nresourcePolicy:', 'without quotes'],
  // Names
  ['resource: doc', 'resource: "*"', 'wildcards', 'each kind'],
  ['resource: doc', 'resource: doc:*', 'wildcards'],
  ['version: default', 'version: "2.0"', '`2_0`'],
  ['version: default', 'version: v1-beta', '`v1_beta`'],
  ['version: default', 'version: default\n  scope: acme/hr', '`acme.hr`'],
  ['- actions', '- name: my rule\n      actions', '`my_rule`'],
  ['api.authz.dev/v1', 'api.cerbos.dev/v1', 'authzc migrate', 'api.authz.dev/v1'],
  ['api.authz.dev/v1', 'v1', 'api.authz.dev/v1'],
  // Missing fields
  ['apiVersion: api.authz.dev/v1\n', '', 'apiVersion: api.authz.dev/v1'],
  ['  version: default\n', '', 'version: default'],
  ['      effect: EFFECT_ALLOW\n', '', 'effect: EFFECT_ALLOW'],
  ['expr: R.attr.public == true', 'all: {}', 'add `of:`'],
  ['match:\n          expr: R.attr.public == true', 'match: {}', '`expr`'],
];

for (const [from, to, ...expected] of mistakes) {
  test(`advice: ${to} for ${from}`, () => {
    const advice = adviceOn(POLICY.replace(from, to));
    for (const words of expected)
      assert.ok(
        advice.some((message) => message.includes(words)),
        `${words} in ${JSON.stringify(advice)}`,
      );
  });
}

for (const [name, text, words] of [
  ['a file of tests', 'name: x\ntests: []\n', '_test.yaml'],
  ['a compose file', 'services:\n  a: {}\n', 'not a policy'],
  ['a chart', 'apiVersions: v2\nname: x\n', 'apiVersion'],
  ['a package', '{"name": "x", "scripts": {}}', 'not a policy'],
  ['a file of principals', 'principals:\n  a: {id: a}\n', 'testdata'],
] as const) {
  test(`${name} among policies gets advice`, () => assert.match(adviceOn(text).join(), words));
}

test('the version of the reference PDP has a safe fix, and a version of other programs has none', () => {
  const fix = (version: string): boolean | undefined =>
    findProblems(POLICY.replace('api.authz.dev/v1', version))[0]?.fix?.isSafe;
  assert.is(fix('api.cerbos.dev/v1'), true);
  assert.is(fix('"api.cerbos.dev/v1"'), true);
  assert.is(fix('apps/v1'), false);
});

test('a syntax error marks the line that is wrong, not blank lines around it', () => {
  for (const [text, line] of [
    ['a:\n  b: 1\n\n c: 2\n', 4],
    ['a:\n  b: 1\n\n\n c: 2\n', 5],
    ['a:\n  b: 1\n\n  c\n  d: 2\n', 4],
    ['a: "x\n\n\n', 1],
    ['a: [x\n\n\n', 1],
  ] as const) {
    const found = findProblems(text).find(({ code }) => code === 'yaml/syntax');
    const marked = found?.focus ?? found?.place?.span;
    assert.is(found?.code, 'yaml/syntax');
    assert.is(marked?.source.lineAndColumn(marked.start).line, line, text);
  }
});

function adviceOn(text: string): readonly string[] {
  return findProblems(text).flatMap(({ notes }) => notes.map(({ message }) => message));
}

function findProblems(text: string): ReturnType<Diagnostics['sorted']> {
  const report = new Diagnostics();
  parse(new Source('doc.yaml', text), report);
  return report.sorted();
}

test.run();
