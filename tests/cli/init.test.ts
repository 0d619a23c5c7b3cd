import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { olderNodeNotes } from '../../packages/cli/project/changes.js';
import type { Manifest } from '../../packages/cli/project/manifest.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { filesIn, folderOf, PROGRAMS } from '../support/cli/programs.js';
import { NO_TERMINAL, onTerminal } from '../support/cli/terminal.js';
import { skip } from '../support/skip.js';

const test = suite('authzc init');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** What every new project has, whatever its template. */
const COMMON = [
  '.gitattributes',
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
  'src/authz.ts',
  'src/documents.ts',
  'src/people.ts',
  'tsconfig.json',
];

const OWN_POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  rules:
    - {name: readers, actions: [read], effect: EFFECT_ALLOW, roles: [user]}
`;

const SHOP = `{
    "name": "shop",
    "type": "module",
    "scripts": {
        "test": "vitest run",
        "authz:compile": "make policies"
    },
    "dependencies": { "hono": "^4.0.0", "@acme/x": "1.0.0" }
}
`;

test('an empty folder becomes a project, and the next steps are printed', async () => {
  const folder = newFolder({});
  const { code, stdout, stderr } = await callAuthzc(['init'], folder);
  assert.is(code, 0);
  assert.is(stderr, '');
  const files = [...COMMON, 'src/app.ts', 'src/server.ts', 'tests/app.test.ts'].sort();
  assert.equal(filesIn(folder), files);
  for (const file of files) assert.match(stdout, `  ${file}\n`);
  assert.match(stdout, '  npm test ');
  assert.not.match(stdout, '  cd ');
});

test('a folder that is named is created, and its name is that of the project', async () => {
  const folder = newFolder({});
  const { code, stdout } = await callAuthzc(['init', 'apps/My App', '--template', 'workers'], folder);
  assert.is(code, 0);
  // The line is copied into a shell.
  assert.match(stdout, "  cd 'apps/My App'\n");
  const project = join(folder, 'apps/My App');
  assert.is(manifestOf(project)['name'], 'my-app');
  assert.match(readFileSync(join(project, 'README.md'), 'utf8'), /^# my-app\n/);
  assert.match(readFileSync(join(project, 'wrangler.jsonc'), 'utf8'), '"name": "my-app"');
});

test('a template that needs a newer Node than the one that runs says so', () => {
  const needs = (node: string): Manifest => ({ engines: { node } });
  const note = (wanted: string, running: string): readonly string[] => olderNodeNotes(needs(wanted), running);
  assert.equal(note('>=22.12', '20.20.2'), ['the project needs Node 22.12 or newer, and this is 20.20.2']);
  assert.equal(note('>=22.12', '22.9.0').length, 1);
  assert.equal(note('>=22.12', '22.12.0'), []);
  assert.equal(note('>=22.12', '24.0.0'), []);
  assert.equal(note('>=20.19', '20.19.0'), []);
  assert.equal(olderNodeNotes({}, '20.19.0'), []);
});

test('a project does not get the name of a package that it imports', async () => {
  const folder = newFolder({});
  for (const name of ['authz', 'next', '…']) {
    await callAuthzc(['init', name], folder);
    assert.is(manifestOf(join(folder, name))['name'], 'my-app');
  }
});

test('an unknown template is refused with the names of all', async () => {
  const { code, stderr } = await callAuthzc(['init', '--template', 'koa'], newFolder({}));
  assert.is(code, 2);
  assert.match(stderr, 'ts, fastify, hono, express, next, workers');
});

test('files that exist stay as they are', async () => {
  const folder = newFolder({ 'README.md': 'mine\n', 'src/app.ts': '// mine\n' });
  const { code, stdout } = await callAuthzc(['init'], folder);
  assert.is(code, 0);
  assert.match(stdout, 'kept:\n  README.md\n  src/app.ts\n');
  assert.is(readFileSync(join(folder, 'README.md'), 'utf8'), 'mine\n');
  assert.is(readFileSync(join(folder, 'src/app.ts'), 'utf8'), '// mine\n');
});

test('a dry run shows the files and creates none', async () => {
  const folder = newFolder({});
  const { code, stdout } = await callAuthzc(['init', '--dry-run', '--template', 'hono'], folder);
  assert.is(code, 0);
  assert.match(stdout, 'would create:\n  .gitattributes\n');
  assert.equal(filesIn(folder), []);
});

test('without a terminal, a project is changed with --yes only', async () => {
  const folder = newFolder({ 'package.json': SHOP });
  const { code, stdout, stderr } = await callAuthzc(['init'], folder);
  assert.is(code, 1);
  assert.match(stdout, '    + dependencies.authz: "^');
  assert.is(stderr, 'authzc: nothing was written; --yes makes these changes\n');
  assert.equal(filesIn(folder), ['package.json']);
  assert.is(readFileSync(join(folder, 'package.json'), 'utf8'), SHOP);
});

test('a project gets policies, the engine, scripts and dependencies, and keeps its own', async () => {
  const folder = newFolder({ 'package.json': SHOP, 'tsconfig.json': '{}\n' });
  const { code, stdout } = await callAuthzc(['init', '--yes'], folder);
  assert.is(code, 0);
  assert.equal(filesIn(folder), [
    '.gitattributes',
    '.github/workflows/authz.yml',
    'package.json',
    'policies/_schemas/document.json',
    'policies/_schemas/person.json',
    'policies/document.yaml',
    'policies/document_roles.yaml',
    'policies/document_test.yaml',
    'policies/invariants.yaml',
    'src/authz.ts',
    'tsconfig.json',
  ]);
  assert.match(stdout, 'kept:\n  package.json\n      scripts.authz:compile: "make policies"\n');
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  assert.match(
    text,
    '        "test": "vitest run",\n        "authz:compile": "make policies",\n        "authz:check":',
  );
  const { scripts, dependencies, devDependencies } = manifestOf(folder);
  assert.is((scripts as { readonly [name: string]: string })['test'], 'vitest run');
  assert.equal(Object.keys(dependencies as object), ['hono', 'authz', '@acme/x']);
  assert.equal(Object.keys(devDependencies as object), ['authzc']);
});

test('a project without TypeScript gets the engine in JavaScript, with the bundle', async () => {
  for (const files of [{}, { 'index.js': '' }, { 'src/index.mjs': '' }]) {
    const folder = newFolder({ 'package.json': SHOP, ...files });
    await callAuthzc(['init', '--yes'], folder);
    assert.ok(filesIn(folder).includes('src/authz.js'));
    assert.not.ok(filesIn(folder).includes('src/authz.ts'));
    assert.equal(scriptsWithoutBundle(folder), []);
  }
  for (const files of [
    { 'package.json': '{"devDependencies": {"typescript": "^6.0.0"}}' },
    { 'package.json': '{"dependencies": {"tsx": "^4.0.0"}}' },
    { 'package.json': SHOP, 'tsconfig.base.json': '{}' },
    { 'package.json': SHOP, 'main.mts': '' },
    { 'package.json': SHOP, 'src/app.tsx': '' },
  ]) {
    const folder = newFolder(files);
    await callAuthzc(['init', '--yes'], folder);
    assert.ok(filesIn(folder).includes('src/authz.ts'), JSON.stringify(files));
  }
});

test('groups that a package.json lacks come after the others', async () => {
  for (const [before, after] of [
    [
      ['name', 'private'],
      ['name', 'private', 'dependencies', 'devDependencies', 'scripts'],
    ],
    [
      ['name', 'scripts', 'license'],
      ['name', 'scripts', 'dependencies', 'devDependencies', 'license'],
    ],
    [
      ['dependencies', 'name'],
      ['dependencies', 'devDependencies', 'name', 'scripts'],
    ],
    [
      ['devDependencies', 'scripts'],
      ['devDependencies', 'scripts', 'dependencies'],
    ],
  ] as const) {
    const keys = before.map((key) => [key, /depend|scripts/i.test(key) ? {} : 'x']);
    const folder = newFolder({ 'package.json': JSON.stringify(Object.fromEntries(keys), undefined, 2) });
    await callAuthzc(['init', '--yes'], folder);
    assert.equal(Object.keys(manifestOf(folder)), after);
  }
});

test('on a terminal, changes are confirmed and the template is asked for', async () => {
  if (NO_TERMINAL !== undefined) return skip(import.meta.url, NO_TERMINAL);
  const folder = newFolder({ 'package.json': SHOP });
  assert.is(await answerOnTerminal(folder, 'Make these changes?', 'n'), 1);
  assert.equal(filesIn(folder), ['package.json']);
  assert.is(await answerOnTerminal(folder, 'Make these changes?', 'y'), 0);
  assert.ok(filesIn(folder).includes('src/authz.js'));

  const empty = newFolder({});
  assert.is(await answerOnTerminal(empty, 'Which sample application?', '\u0003'), 1);
  assert.equal(filesIn(empty), []);
  // The second template of the list.
  assert.is(await answerOnTerminal(empty, 'Which sample application?', '\u001b[B\r'), 0);
  assert.match(readFileSync(join(empty, 'src/app.ts'), 'utf8'), "from 'fastify'");
});

test('a second run adds nothing', async () => {
  const folder = newFolder({ 'package.json': SHOP });
  await callAuthzc(['init', '--yes'], folder);
  const before = readFileSync(join(folder, 'package.json'), 'utf8');
  const { code, stdout } = await callAuthzc(['init'], folder);
  assert.is(code, 0);
  assert.match(stdout, 'nothing to add\n');
  assert.is(readFileSync(join(folder, 'package.json'), 'utf8'), before);
});

test('a project that uses Next.js imports the bundle, because its bundler does not resolve generated modules', async () => {
  const folder = newFolder({ 'package.json': '{"dependencies": {"next": "16.4.6"}}\n' });
  await callAuthzc(['init', '--yes'], folder);
  assert.match(readFileSync(join(folder, 'src/authz.ts'), 'utf8'), "from '../dist/policies.js'");
  assert.equal(scriptsWithoutBundle(folder), []);
});

test('the scripts of a project that imports the modules write no bundle', async () => {
  for (const [line, files] of [
    [['--template', 'ts'], {}],
    [['--template', 'workers'], {}],
    [[], { 'package.json': '{}\n', 'tsconfig.json': '{}\n' }],
    [[], { 'package.json': '{}\n', 'tsconfig.json': '{}\n', 'policies/note.yaml': OWN_POLICY }],
  ] as const) {
    const folder = newFolder(files);
    await callAuthzc(['init', '--yes', ...line], folder);
    assert.equal(scriptsWithoutBundle(folder), ['authz:compile']);
  }
});

test('policies in the project are used where they are', async () => {
  const folder = newFolder({ 'package.json': SHOP, 'access/rules/note.yaml': OWN_POLICY });
  const { code } = await callAuthzc(['init', '--yes', '--policies', 'access/rules'], folder);
  assert.is(code, 0);
  assert.equal(filesIn(folder), [
    '.gitattributes',
    '.github/workflows/authz.yml',
    'access/rules/note.yaml',
    'package.json',
    'src/authz.js',
  ]);
  const scripts = manifestOf(folder)['scripts'] as { readonly [name: string]: string };
  assert.is(scripts['authz:check'], 'authzc compile access/rules --out src/generated --check');
});

test('policies from outside are copied, with their schemas and tests', async () => {
  const folder = newFolder({
    'shared/note.yaml': OWN_POLICY,
    'shared/_schemas/note.json': '{}\n',
    'shared/.git/config.yaml': '',
    'shared/notes.txt': '',
    'app/package.json': SHOP,
  });
  const { code } = await callAuthzc(['init', 'app', '--yes', '--policies', 'shared'], folder);
  assert.is(code, 0);
  assert.equal(
    filesIn(join(folder, 'app')).filter((path) => path.startsWith('policies/')),
    ['policies/_schemas/note.json', 'policies/note.yaml'],
  );
  const scripts = manifestOf(join(folder, 'app'))['scripts'] as { readonly [name: string]: string };
  assert.is(scripts['authz:check'], 'authzc compile --out src/generated --check');
});

test('a project that has policies gets no sample', async () => {
  const folder = newFolder({ 'policies/note.yaml': OWN_POLICY });
  const { code } = await callAuthzc(['init'], folder);
  assert.is(code, 0);
  assert.not(filesIn(folder).includes('policies/document.yaml'));
  const { code: refused, stderr } = await callAuthzc(['init', '--template', 'hono'], folder);
  assert.is(refused, 2);
  assert.match(stderr, '`policies` has policies');
});

test('a folder without policies, or with a name that scripts cannot contain, is refused', async () => {
  const folder = newFolder({ 'package.json': SHOP, 'my policies/note.yaml': OWN_POLICY, 'empty/readme.md': '' });
  for (const [named, reason] of [
    ['empty', 'there are no .yaml, .yml or .json files'],
    ['absent', 'there are no .yaml, .yml or .json files'],
    ['my policies', 'scripts cannot name this folder'],
  ] as const) {
    const { code, stderr } = await callAuthzc(['init', '--yes', '--policies', named], folder);
    assert.is(code, 2);
    assert.match(stderr, reason);
  }
});

test('packages are installed from archives that are named, and a missing one is an error', async () => {
  const folder = newFolder({ 'archives/authz-0.1.0.tgz': '', 'archives/authzc-0.1.0.tgz': '', 'none/x.tgz': '' });
  await callAuthzc(['init', 'app', '--packages', 'archives'], folder);
  const { dependencies } = manifestOf(join(folder, 'app'));
  assert.match((dependencies as { readonly authz: string }).authz, /^file:\.\.\/archives\/authz-0\.1\.0\.tgz$/);
  const { code, stderr } = await callAuthzc(['init', 'other', '--packages', 'none'], folder);
  assert.is(code, 2);
  assert.match(stderr, '`authz-0.1.0.tgz` is missing');
});

test('scripts that are not an object are refused', async () => {
  const folder = newFolder({ 'package.json': '{"scripts": []}\n' });
  const { code, stderr } = await callAuthzc(['init', '--yes'], folder);
  assert.is(code, 2);
  assert.is(stderr, 'authzc: package.json: `scripts` must be an object\n');
});

test('a package.json that is not valid is named with the place, and nothing is written', async () => {
  const folder = newFolder({ 'package.json': '{\n  "name": "shop",\n  "scripts": {,}\n}\n' });
  const { code, stderr } = await callAuthzc(['init', '--yes'], folder);
  assert.is(code, 2);
  assert.match(stderr, /^authzc: package\.json: line 3, column \d+: /);
  assert.equal(filesIn(folder), ['package.json']);
});

test('a project that cannot be written completely is not started', () => {
  const folder = newFolder({});
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, PROGRAMS.authzc, 'init'],
    { cwd: folder, encoding: 'utf8' },
  );
  assert.is(status, 1);
  assert.match(stderr, /^authzc: cannot write/);
  assert.equal(filesIn(folder), []);
});

test('links count as existing files, and a package.json that is a link stays one', async () => {
  const folder = newFolder({ 'real.json': SHOP });
  symlinkSync('real.json', join(folder, 'package.json'));
  symlinkSync('nowhere', join(folder, '.gitattributes'));
  const { code } = await callAuthzc(['init', '--yes'], folder);
  assert.is(code, 0);
  assert.ok(lstatSync(join(folder, 'package.json')).isSymbolicLink());
  assert.match(readFileSync(join(folder, 'real.json'), 'utf8'), '"authzc"');
  assert.ok(readdirSync(folder).includes('.gitattributes') && !readdirSync(folder).includes('nowhere'));
});

test.run();

/** Runs `authzc init` on a terminal, and answers its question. Returns the exit code. */
function answerOnTerminal(folder: string, question: string, answer: string): Promise<number | null> {
  const line = `stty cols 100 rows 40; "${process.execPath}" "${PROGRAMS.authzc}" init`;
  const child = onTerminal(line, folder, { TERM: 'xterm' });
  let printed = '';
  let isAnswered = false;
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (isAnswered || !printed.includes(question)) return;
    isAnswered = true;
    child.stdin.write(answer);
  });
  return new Promise((resolve) => child.on('close', resolve));
}

function manifestOf(folder: string): { readonly [key: string]: unknown } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly [key: string]: unknown };
}

function newFolder(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}

/** The scripts that compile without writing the bundle. */
function scriptsWithoutBundle(folder: string): readonly string[] {
  const scripts = manifestOf(folder)['scripts'] as { readonly [name: string]: string };
  return Object.keys(scripts).filter((name) => scripts[name]?.includes('--no-bundle'));
}
