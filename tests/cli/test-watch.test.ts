import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { folderOf, launch, PROGRAMS, type Running, run, stop } from '../support/cli/programs.js';
import { until } from '../support/timeout.js';

const test = suite('authzc test --watch');
const folders: string[] = [];
const running: Running[] = [];
test.after(async () => {
  await Promise.all(running.map(stop));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function suiteThat(kind: string, expects: string): string {
  return `name: ${kind}s
principals: {ann: {id: ann, roles: [user]}}
resources: {one: {kind: ${kind}, id: d1}}
tests:
  - name: users view
    input: {principals: [ann], resources: [one], actions: [view]}
    expected: [{principal: ann, resource: one, actions: {view: ${expects}}}]
`;
}

const photoPolicy = (action: string): string => documentPolicy(action).replace('resource: document', 'resource: photo');

const FILES = {
  'policies/document.yaml': documentPolicy('view'),
  'policies/photo.yaml': photoPolicy('view'),
  'policies/document_test.yaml': suiteThat('document', 'EFFECT_ALLOW'),
  'policies/photo_test.yaml': suiteThat('photo', 'EFFECT_ALLOW'),
};

test('a change runs the suites that it can affect, and names the others that fail', async () => {
  const { folder, watching, ran } = watch();
  await ran('ran 2 of 2 suites\nauthzc: waiting for changes in policies\n');
  write(folder, 'policies/photo.yaml', photoPolicy('edit'));
  await ran('ran 1 of 2 suites\n');
  assert.match(watching.printed(), 'photos (policies/photo_test.yaml) [1 FAILED]');
  assert.match(watching.printed(), 'WHY: no rule matches this action and these roles');

  write(folder, 'policies/document_test.yaml', `# A comment.\n${FILES['policies/document_test.yaml']}`);
  await ran('ran 1 of 2 suites; still failing: photo_test.yaml\n');
  write(folder, 'policies/photo.yaml', photoPolicy('view'));
  await ran('ran 1 of 2 suites\n');
  // A policy that is added may concern every test.
  write(folder, 'policies/other.yaml', photoPolicy('view').replace('version: default', 'version: other'));
  await ran('ran 2 of 2 suites\n');
  const { code } = await end(watching);
  assert.is(code, 0);
});

test('broken policies and tests are shown, and it recovers; files that are only touched run nothing', async () => {
  const { folder, watching, ran } = watch();
  await ran('ran 2 of 2 suites\nauthzc: waiting for changes in policies\n');
  write(folder, 'policies/document.yaml', BROKEN_POLICY);
  await until(() => watching.printed().includes('policies/document.yaml:12'), watching.printed);
  write(folder, 'policies/document.yaml', FILES['policies/document.yaml']);
  await ran('ran 0 of 2 suites\n');
  write(folder, 'policies/photo_test.yaml', 'name: x\n');
  await ran('ran 1 of 2 suites\n');
  assert.match(watching.printed(), '[ERROR]');
  write(folder, 'policies/photo.yaml', FILES['policies/photo.yaml']);
  rmSync(join(folder, 'policies/photo_test.yaml'));
  await ran('ran 0 of 1 suites\n');
  assert.is((await end(watching)).code, 0);
});

test('a folder without tests is said to be one, as without --watch, until it has some', async () => {
  const { folder, ran } = watch();
  await ran('ran 2 of 2 suites\nauthzc: waiting for changes in policies\n');
  for (const name of ['document', 'photo']) rmSync(join(folder, `policies/${name}_test.yaml`));
  await ran('`policies` holds no tests (files `*_test.yaml`); name their folder with --tests DIR');
  write(folder, 'policies/document_test.yaml', suiteThat('document', 'EFFECT_DENY'));
  await ran('ran 1 of 1 suites\n');

  const empty = folderOf({ 'policies/document.yaml': documentPolicy('view') });
  folders.push(empty);
  const first = launch(PROGRAMS.authzc, ['test', '--watch'], empty);
  running.push(first);
  await until(() => first.said().includes('waiting for changes'), first.said);
  assert.match(first.said(), '`policies` holds no tests');
  assert.not.match(first.said(), 'ran 0 of 0');
});

test('with --coverage every change runs all suites; --mutate is refused', async () => {
  const { folder, watching, ran } = watch('--coverage');
  await ran('ran 2 of 2 suites\n');
  write(folder, 'policies/photo.yaml', photoPolicy('edit'));
  await ran('ran 2 of 2 suites\n');
  assert.match(watching.printed(), /photo\.yaml .*100/);
  await end(watching);
  const { code, stderr } = await run(PROGRAMS.authzc, ['test', '--watch', '--mutate'], folder);
  assert.is(code, 2);
  assert.match(stderr, 'option `--watch` cannot be used with option `--mutate`');
});

test.run();

function write(folder: string, path: string, text: string): void {
  writeFileSync(join(folder, path), text);
}

/** Starts it; `ran` and `shown` wait for the next text of its output. */
function watch(...options: readonly string[]) {
  const folder = folderOf(FILES);
  folders.push(folder);
  const watching = launch(PROGRAMS.authzc, ['test', '--watch', ...options], folder);
  running.push(watching);
  let read = 0;
  const ran = async (text: string): Promise<void> => {
    const whole = `authzc: ${text}`;
    await until(
      () => watching.said().includes(whole, read),
      () => `no ${text} in ${watching.said().slice(read)}`,
    );
    read = watching.said().indexOf(whole, read) + whole.length;
  };
  return { folder, watching, ran };
}

async function end(watching: Running) {
  watching.child.kill('SIGINT');
  return watching.ended;
}
