import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { messages } from '../../compiler/diagnostics/messages.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';

const test = suite('authzc docs');

let folder = '';
test.before(() => {
  folder = folderOf({});
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const docs = (...words: readonly string[]) => callAuthzc(['docs', ...words], folder);

test('the page of a code begins with it and has an example', async () => {
  const { code, stdout, stderr } = await docs('variable/unused');
  assert.is(stderr, '');
  assert.is(code, 0);
  assert.match(stdout, /^# variable\/unused\n/);
  assert.match(stdout, '## Example\n');
});

test('without a code, all are listed', async () => {
  const { stdout } = await docs();
  assert.match(stdout, /^# Diagnostics\n/);
  for (const code of Object.keys(messages)) assert.match(stdout, `[\`${code}\`]`);
});

test('an unknown code is an error with the nearest one', async () => {
  const { code, stdout, stderr } = await docs('variable/unsed');
  assert.is(code, 1);
  assert.is(stdout, '');
  assert.is(
    stderr,
    'authzc: no diagnostic has the code `variable/unsed`\n  note: did you mean `variable/unused`?\n  note: `authzc docs` lists all of them\n',
  );
  assert.is((await docs('../../README')).code, 1);
});

test.run();
