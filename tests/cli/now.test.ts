import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, folderOf } from '../support/cli/programs.js';

const test = suite('--now');

const BEFORE = '2023-12-31T23:59:59Z';
const AFTER = '2024-01-01T00:00:00Z';

let folder = '';
test.before(() => {
  folder = folderOf({
    'policies/document.yaml': `${documentPolicy('view')}      condition: {match: {expr: now() < timestamp("${AFTER}")}}\n`,
    'policies/document_test.yaml': `name: documents
principals: {ann: {id: ann, roles: [user]}}
resources: {d1: {kind: document, id: d1}}
tests:
  - name: of any time
    input: {principals: [ann], resources: [d1], actions: [view]}
    expected: [{principal: ann, resource: d1, actions: {view: EFFECT_ALLOW}}]
  - name: later
    options: {now: "${AFTER}"}
    input: {principals: [ann], resources: [d1], actions: [view]}
    expected: [{principal: ann, resource: d1, actions: {view: EFFECT_DENY}}]
`,
    'ann.yaml': 'id: ann\nroles: [user]\n',
    'd1.yaml': 'kind: document\nid: d1\n',
  });
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const authzc = (...words: readonly string[]): Promise<Ended> => callAuthzc(words, folder);
const REQUEST = ['--principal', 'ann.yaml', '--resource', 'd1.yaml', '--action', 'view'];

test('check, explain and plan decide at this time', async () => {
  const check = async (now: string): Promise<string> => (await authzc('check', ...REQUEST, '--now', now)).stdout;
  assert.match(await check(BEFORE), 'view: EFFECT_ALLOW');
  assert.match(await check(AFTER), 'view: EFFECT_DENY');
  // The same moment as AFTER, by another clock.
  assert.match(await check('2024-01-01T02:00:00+02:00'), 'view: EFFECT_DENY');

  const explained = await authzc('explain', ...REQUEST, '--now', BEFORE);
  assert.match(explained.stdout, /^ALLOW/);
  assert.match(explained.stdout, BEFORE);

  const plan = ['plan', '--principal', 'ann.yaml', '--kind', 'document', '--action', 'view', '--now'];
  assert.is((await authzc(...plan, BEFORE)).stdout, 'KIND_ALWAYS_ALLOWED\n');
  assert.is((await authzc(...plan, AFTER)).stdout, 'KIND_ALWAYS_DENIED\n');
});

test('tests without a time of their own run at this time', async () => {
  const { code, stdout } = await authzc('test', '--now', BEFORE);
  assert.match(stdout, '2 tests executed [2 OK]');
  assert.is(code, 0);
  assert.match((await authzc('test', '--now', AFTER)).stdout, '[1 OK] [1 FAILED]');
});

test('a time that is not RFC 3339 is a usage error', async () => {
  const { code, stdout, stderr } = await authzc('check', ...REQUEST, '--now', 'tomorrow');
  assert.is(code, 2);
  assert.is(stdout, '');
  assert.match(
    stderr,
    'option `--now <time>` argument `tomorrow` is invalid: must be a time such as 2025-01-31T00:00:00Z',
  );
});

test.run();
