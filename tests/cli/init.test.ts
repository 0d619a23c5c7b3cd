import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { linkPackage } from '../support/docs/package-link.js';
import { nodeEnvironment, npmProgram } from '../support/npm.js';
import { filesIn, folderOf, PROGRAMS, run } from '../support/cli/programs.js';

const test = suite('authzc init');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const FILES = [
  '.github/workflows/authz.yml',
  '.gitignore',
  'README.md',
  'package.json',
  'people/alice.yaml',
  'policies/_schemas/document.json',
  'policies/_schemas/person.json',
  'policies/document.yaml',
  'policies/document_roles.yaml',
  'policies/document_test.yaml',
  'policies/invariants.yaml',
  'tests/document.test.js',
];

test('without an argument it creates the project in the working directory and prints the next steps', async () => {
  const folder = newFolder({});
  const { code, stdout, stderr } = await run(PROGRAMS.authzc, ['init'], folder);
  assert.is(code, 0);
  assert.is(stderr, '');
  assert.equal(filesIn(folder), FILES);
  for (const file of FILES) assert.match(stdout, `  ${file}\n`);
  assert.match(stdout, 'npm test');
  assert.not.match(stdout, '  cd ');
});

test('with an argument it creates that folder and names it in the next steps', async () => {
  const folder = newFolder({});
  const { code, stdout } = await run(PROGRAMS.authzc, ['init', 'apps/My App'], folder);
  assert.is(code, 0);
  assert.match(stdout, '  cd apps/My App\n');
  const { name } = JSON.parse(readFileSync(join(folder, 'apps/My App/package.json'), 'utf8')) as { name: string };
  assert.is(name, 'my-app');
});

test('an existing file is never overwritten: status 1, the file is named, and nothing is written', async () => {
  const folder = newFolder({ 'README.md': 'mine\n', 'src/app.js': '\n' });
  const { code, stdout, stderr } = await run(PROGRAMS.authzc, ['init'], folder);
  assert.is(code, 1);
  assert.is(stdout, '');
  assert.match(stderr, /^ {2}README\.md$/m);
  assert.equal(filesIn(folder), ['README.md', 'src/app.js']);
  assert.is(readFileSync(join(folder, 'README.md'), 'utf8'), 'mine\n');
});

test('unrelated files do not prevent it', async () => {
  const folder = newFolder({ 'src/app.js': '\n' });
  assert.is((await run(PROGRAMS.authzc, ['init'], folder)).code, 0);
});

test('the new project compiles without a warning, its test passes, and its committed modules pass the check of CI', async () => {
  const folder = newFolder({});
  await run(PROGRAMS.authzc, ['init', 'shop'], folder);
  const project = join(folder, 'shop');
  await linkPackage(project, PROGRAMS.authzc);
  const tested = await npm(project, 'test');
  assert.is(tested.code, 0, tested.output);
  assert.match(tested.output, /pass 4\n/);
  assert.match(tested.output, /fail 0\n/);
  const covered = await npm(project, 'run', 'coverage');
  assert.is(covered.code, 0, covered.output);
  const strict = ['compile', '--strict-types', '--fail-on', 'warning'];
  const checked = await run(PROGRAMS.authzc, [...strict, '--check'], project);
  assert.is(checked.code, 0);
  assert.match(checked.stdout, /^documents .*\d+ OK\]$/m);
  assert.is(checked.stderr, '');

  // The test fails when a rule is removed.
  const policy = readFileSync(join(project, 'policies/document.yaml'), 'utf8');
  writeFileSync(
    join(project, 'policies/document.yaml'),
    policy.replace('R.attr.status == "archived"', 'R.attr.status == "draft"'),
  );
  assert.is((await npm(project, 'test')).code, 1);
});

test('the workflow runs the commands of the project', async () => {
  const folder = newFolder({});
  await run(PROGRAMS.authzc, ['init'], folder);
  const { jobs } = parse(readFileSync(join(folder, '.github/workflows/authz.yml'), 'utf8')) as {
    jobs: { policies: { steps: readonly { run?: string }[] } };
  };
  const commands = jobs.policies.steps.flatMap(({ run: command }) => (command === undefined ? [] : [command]));
  assert.equal(commands, [
    'npm ci',
    'npx authzc compile --strict-types --fail-on warning --check',
    'npm test',
    'npm run verify',
  ]);
});

test('a project that cannot be written completely is not started, and links count as existing files', async () => {
  const full = folderOf({});
  const linked = folderOf({});
  symlinkSync('nowhere', join(linked, 'package.json'));
  try {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, PROGRAMS.authzc, 'init'],
      { cwd: full, encoding: 'utf8' },
    );
    assert.is(status, 1);
    assert.match(stderr, /^authzc: EFBIG/);
    assert.equal(filesIn(full), []);
    const { code, stderr: said } = await run(PROGRAMS.authzc, ['init'], linked);
    assert.is(code, 1);
    assert.match(said, 'package.json');
    assert.equal(readdirSync(linked), ['package.json']);
  } finally {
    for (const folder of [full, linked]) rmSync(folder, { recursive: true });
  }
});

test.run();

function npm(
  project: string,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [npmProgram(), ...words],
      { cwd: project, env: { ...nodeEnvironment(), FORCE_COLOR: '0' } },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : 1, output: stdout + stderr });
      },
    );
  });
}

function newFolder(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}
