import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { filesIn, folderOf } from '../support/cli/programs.js';

const test = suite('authzc compile --strict-types');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const SCHEMA = JSON.stringify({
  required: ['owner'],
  properties: { owner: { type: 'string' }, status: { enum: ['OPEN', 'CLOSED'] } },
  additionalProperties: false,
});

test('an attribute that is not in the schema is a warning, and with --strict-types an error', async () => {
  const plain = await compiled('R.attr.ownr == P.id');
  assert.is(plain.code, 0);
  assert.match(plain.stdout, 'warning[attribute/unknown]');
  assert.match(plain.stdout, 'did you mean `owner`?');
  assert.ok(plain.files.includes('dist/policies.js'));
  const strict = await compiled('R.attr.ownr == P.id', '--strict-types');
  assert.is(strict.code, 3);
  assert.match(strict.stdout, 'error[attribute/unknown]');
  assert.not(strict.files.includes('dist/policies.js'));
});

test('a value that is not in the schema is a warning, and with --strict-types an error', async () => {
  const text = 'has(R.attr.status) && R.attr.status == "OPN"';
  assert.is((await compiled(text)).code, 0);
  const strict = await compiled(text, '--strict-types');
  assert.is(strict.code, 3);
  assert.match(strict.stdout, 'error[attribute/never-equal]');
  assert.match(strict.stdout, 'did you mean `OPEN`?');
});

test('an optional attribute without a has() guard is reported only with --strict-types', async () => {
  assert.equal((await compiled('R.attr.status == "OPEN"')).stdout, '');
  const strict = await compiled('R.attr.status == "OPEN"', '--strict-types');
  assert.is(strict.code, 3);
  assert.match(strict.stdout, 'error[attribute/optional]');
  assert.equal(
    (await compiled('has(R.attr.status) && R.attr.status == "OPEN" && R.attr.owner == P.id', '--strict-types')).stdout,
    '',
  );
});

test.run();

async function compiled(expression: string, ...options: readonly string[]) {
  const policy = {
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'document',
      version: 'default',
      schemas: { resourceSchema: { ref: 'authz:///document.json' } },
      rules: [
        { actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'], condition: { match: { expr: expression } } },
      ],
    },
  };
  const folder = folderOf({
    'policies/document.yaml': JSON.stringify(policy),
    'policies/_schemas/document.json': SCHEMA,
  });
  folders.push(folder);
  const ended = await callAuthzc(['compile', ...options], folder);
  return { ...ended, files: filesIn(folder) };
}
