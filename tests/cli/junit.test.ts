import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';

const test = suite('JUnit');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const SCHEMA = join(ROOT, 'tests/cli/junit.xsd');
const hasValidator = spawnSync('xmllint', ['--version']).error === undefined;

/** What the schema says against a document; nothing if it is valid. */
function violations(document: string): string {
  const { status, stderr } = spawnSync('xmllint', ['--nonet', '--noout', '--schema', SCHEMA, '-'], {
    input: document,
    encoding: 'utf8',
  });
  return status === 0 ? '' : stderr;
}

const POLICY = `${documentPolicy('view')}      output:
        when:
          ruleActivated: '"<seen> ]]> & more"'
`;
const SUITE = `name: documents
description: all "kinds" & <more>
principals:
  ann: {id: ann, roles: [user]}
resources:
  hers: {kind: document, id: d1}
tests:
  - name: users view
    input: {principals: [ann], resources: [hers], actions: [view]}
    expected:
      - {principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}
  - name: nobody views
    input: {principals: [ann], resources: [hers], actions: [view]}
    expected:
      - {principal: ann, resource: hers, actions: {view: EFFECT_DENY}}
  - name: another output
    input: {principals: [ann], resources: [hers], actions: [view]}
    expected:
      - principal: ann
        resource: hers
        actions: {view: EFFECT_ALLOW}
        outputs:
          - {action: view, expected: [{src: 'resource.document.vdefault#rule-001', val: other}, {src: 'none', val: 1}]}
  - name: later
    skip: true
    skipReason: not yet
    input: {principals: [ann], resources: [hers], actions: [view]}
    expected:
      - {principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}
`;

test('the schema rejects what is not JUnit', () => {
  if (!hasValidator) return skip(import.meta.url, 'xmllint is not installed');
  const whole = (inner: string) => `<testsuites tests="1" failures="0"><testsuite ${inner}</testsuite></testsuites>`;
  assert.is(violations(whole('name="a" tests="1" failures="0"><testcase name="b" classname="c"/>')), '');
  assert.match(violations(whole('tests="1" failures="0">')), "attribute 'name' is required");
  assert.match(violations(whole('name="a" tests="-1" failures="0">')), "attribute 'tests'");
  assert.match(violations(whole('name="a" tests="1" failures="0"><testcase name="b"/>')), "'classname' is required");
  assert.match(violations('<testsuites tests="1" failures="0">'), 'parser error');
});

test('results of tests are valid, whatever their outcomes', async () => {
  if (!hasValidator) return skip(import.meta.url, 'xmllint is not installed');
  const folder = folderWith({
    'policies/document.yaml': POLICY,
    'policies/document_test.yaml': SUITE,
    'policies/skipped_test.yaml': `skip: true\nskipReason: not today\n${SUITE.replace('name: documents', 'name: others')}`,
    'policies/unreadable_test.yaml': 'name: [\n',
    'policies/unknown_test.yaml': SUITE.replaceAll('[hers]', '[his]'),
  });
  for (const options of [[], ['--verbose']]) {
    const { code, stdout } = await callAuthzc(['test', '-o', 'junit', ...options, 'policies'], folder);
    assert.is(code, 4);
    assert.is(violations(stdout), '');
    for (const part of ['<success ', '<failure ', '<error ', '<skipped ', '<outputs>']) assert.match(stdout, part);
  }
});

test('findings of all checks are valid, also of those that were not made', async () => {
  if (!hasValidator) return skip(import.meta.url, 'xmllint is not installed');
  const folder = folderWith({ 'policies/document.yaml': POLICY, 'policies/document_test.yaml': SUITE });
  const failed = await callAuthzc(['ci', '-o', 'junit'], folder);
  assert.is(failed.code, 4);
  assert.is(violations(failed.stdout), '');
  assert.match(failed.stdout, '<failure ');
  writeFileSync(join(folder, 'policies/document.yaml'), 'a: [\n');
  const broken = await callAuthzc(['ci', '-o', 'junit'], folder);
  assert.is(broken.code, 3);
  assert.is(violations(broken.stdout), '');
  assert.match(broken.stdout, '<skipped/>');
});

test.run();

function folderWith(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}
