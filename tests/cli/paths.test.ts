import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';

/** Every printed path can be opened from the working directory, wherever the policies folder is. */
const test = suite('printed paths');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const MISTAKEN_SUITE = `name: documents
principals: {ann: {id: ann, roles: [user]}}
resources: {d1: {kind: document, id: d1}}
tests:
  - name: users view
    input: {principals: [ann], resources: [d1], actions: [view]}
    expcted: []
`;

const BROKEN = { 'a/policies/sub/broken.yaml': BROKEN_POLICY };
const DUPLICATE = { 'a/policies/one.yaml': documentPolicy('view'), 'a/policies/sub/two.yaml': documentPolicy('edit') };
const WRONG_TESTS = {
  'a/policies/document.yaml': documentPolicy('view'),
  'a/policies/sub/x_test.yaml': MISTAKEN_SUITE,
};
const TESTS_APART = { 'a/policies/document.yaml': documentPolicy('view'), 'a/tests/sub/x_test.yaml': MISTAKEN_SUITE };

type Files = { readonly [path: string]: string };

/** Commands that run in the folder `b`, next to the folder `a` with the policies. */
const CASES: readonly (readonly [words: string, files: Files, path: string])[] = [
  ['compile ../a/policies', BROKEN, '../a/policies/sub/broken.yaml:12:'],
  ['compile ../a/policies --output list', BROKEN, '../a/policies/sub/broken.yaml:12:'],
  ['compile ../a/policies', DUPLICATE, '(../a/policies/one.yaml:3:'],
  ['compile ../a/policies --output list', DUPLICATE, '(see ../a/policies/one.yaml:3:'],
  ['compile ../a/policies', WRONG_TESTS, '../a/policies/sub/x_test.yaml:7:5'],
  ['compile ../a/policies', WRONG_TESTS, '(../a/policies/sub/x_test.yaml)'],
  ['compile ../a/policies --tests ../a/tests', TESTS_APART, '../a/tests/sub/x_test.yaml:7:5'],
  ['test ../a/policies', BROKEN, '../a/policies/sub/broken.yaml:12:'],
  ['test ../a/policies', WRONG_TESTS, '../a/policies/sub/x_test.yaml:7:5'],
  ['test ../a/policies --output list', WRONG_TESTS, '../a/policies/sub/x_test.yaml:7:5'],
  ['test ../a/policies --tests ../a/tests', TESTS_APART, '../a/tests/sub/x_test.yaml:7:5'],
  ['inspect ../a/policies', { 'a/policies/sub/broken.yaml': 'a: [' }, '../a/policies/sub/broken.yaml:1:'],
  [
    'check ../a/policies --principal p.json --resource r.json --action view',
    BROKEN,
    '../a/policies/sub/broken.yaml:12:',
  ],
  ['plan ../a/policies --principal p.json --kind document --action view', BROKEN, '../a/policies/sub/broken.yaml:12:'],
];

for (const [words, files, path] of CASES) {
  test(`${words}: ${path}`, async () => {
    const folder = folderOf(files);
    folders.push(folder);
    mkdirSync(join(folder, 'b'));
    writeFileSync(join(folder, 'b/p.json'), '{"id":"ann","roles":["user"]}');
    writeFileSync(join(folder, 'b/r.json'), '{"kind":"document","id":"d1"}');
    const { stdout, stderr, code } = await callAuthzc(words.split(' '), join(folder, 'b'));
    assert.is.not(code, 0);
    const said = `${stdout}${stderr}`;
    assert.ok(said.includes(path), said);
    for (const [name] of said.matchAll(/[^\s(`"]*\w+\.yaml:\d+/g))
      assert.ok(name.startsWith('../a/'), `${name}\n${said}`);
  });
}

test.run();
