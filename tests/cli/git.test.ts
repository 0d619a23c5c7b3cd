import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkOut } from '../../packages/cli/git/checkout.js';
import type { GitOptions } from '../../packages/cli/git/git.js';
import { findTree } from '../../packages/cli/git/revisions.js';
import { filesIn } from '../support/cli/programs.js';
import { newRepository, type Repository } from '../support/git-repository.js';

const test = suite('policies of git revisions');
let repository: Repository;
let target = '';
test.before.each(() => {
  repository = newRepository();
  target = mkdtempSync(join(tmpdir(), 'authz-checkout-'));
});
test.after.each(() => {
  repository.remove();
  rmSync(target, { recursive: true, force: true });
});

test('policies and schemas of a revision are written as they were committed', async () => {
  repository.commit({
    'policies/a.yaml': 'a: 1\r\n',
    'policies/b/c.JSON': '{}',
    'policies/_schemas/s.json': '{}',
    'policies/_schemas/README': 'text',
    'policies/a_test.yaml': 'a test',
    'policies/README.md': 'text',
    'policies/testdata/x.yaml': 'x',
    'other/d.yaml': 'd',
    '.gitattributes': 'policies/a.yaml export-ignore\n* text eol=lf\n',
  });
  repository.commit({ 'policies/a.yaml': 'a: 2\n' });
  await written('HEAD~1', 'policies');
  assert.equal(filesIn(target), ['_schemas/README', '_schemas/s.json', 'a.yaml', 'b/c.JSON']);
  assert.is(text('a.yaml'), `${repository.git('show', 'HEAD~1:policies/a.yaml')}\n`);
});

test('names are read as they are: spaces, quotes, line breaks, stars, other scripts', async () => {
  const names = [
    'a b.yaml',
    `"q'.yaml`,
    'line\nbreak.yaml',
    'star*[a].yaml',
    'größe 名.yaml',
    '-x.yaml',
    'back\\slash.yaml',
  ];
  repository.commit(Object.fromEntries(names.map((name) => [`odd * folder/${name}`, name])));
  repository.commit({ 'odd x folder/other.yaml': '' });
  await written('main', 'odd * folder');
  assert.equal(filesIn(target), [...names].sort());
  for (const name of names) assert.is(text(name), name);
});

test('the root of a repository is a folder, too', async () => {
  repository.commit({ 'a.yaml': 'a', 'b/c.yaml': 'c' });
  await written('main', '');
  assert.equal(filesIn(target), ['a.yaml', 'b/c.yaml']);
});

test('links are written as links, with what they can lead to', async () => {
  repository.commit({ 'policies/..data/a.yaml': 'a', 'policies/notes.txt': 'n' });
  symlinkSync('..data/a.yaml', join(repository.folder, 'policies/a.yaml'));
  symlinkSync('/etc/passwd', join(repository.folder, 'policies/b.yaml'));
  repository.commit();
  await written('main', 'policies');
  assert.is(text('a.yaml'), 'a');
  assert.is(readlinkSync(join(target, 'b.yaml')), '/etc/passwd');
});

test('a file that is too large for a policy is not read, and keeps its size', async () => {
  repository.commit({ 'policies/a.yaml': new Uint8Array(5 * 1024 * 1024).fill(32), 'policies/b.yaml': 'b' });
  await written('main', 'policies');
  const { size, blocks } = statSync(join(target, 'a.yaml'));
  assert.is(size, 5 * 1024 * 1024);
  assert.ok(blocks < 100, `${blocks} blocks`);
  assert.is(text('b.yaml'), 'b');
});

test('a path that is not a folder of policies is an error that says what it is', async () => {
  repository.commit({ 'policies/a.yaml': '' });
  symlinkSync('policies', join(repository.folder, 'link'));
  repository.commit();
  await refused('main', 'polices', '`main` has no folder `polices`; --dir names the folder of the policies');
  await refused('main', 'policies/a.yaml', '`policies/a.yaml` is not a folder in `main`, but a file');
  await refused('main', 'link', '`link` is not a folder in `main`, but a symbolic link');
});

test('a submodule is refused, because its policies are in another repository', async () => {
  repository.commit({ 'policies/a.yaml': '' });
  const commit = repository.git('rev-parse', 'HEAD');
  repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},policies/shared`);
  repository.git('commit', '--quiet', '--message=submodule');
  await refused(
    'main',
    'policies',
    '`policies/shared` is a submodule in `main`, whose files are in another repository; compare folders instead',
  );
  await refused('main', 'policies/shared', '`policies/shared` is not a folder in `main`, but a submodule');
});

test('a name that leads out of the folder is not followed, and refused where a link could need it', async () => {
  const blob = repository.git('hash-object', '-w', '--stdin');
  const dots = entryOf('40000 ..', treeWith(entryOf('100644 e.yaml', blob)));
  await written(treeWith(dots), '');
  assert.not.ok(existsSync(join(target, '../e.yaml')));
  const linked = treeWith(dots, entryOf('120000 link.yaml', blob));
  await refused(linked, '', `\`${linked}\` has a path that cannot be written: \`../e.yaml\``);
  const binary = treeWith(Buffer.concat([Buffer.from('100644 '), Buffer.from([0xff]), entryOf('.yaml', blob)]));
  await refused(binary, '', `\`${binary}\` has a path that cannot be written: \`\ufffd.yaml\``);
});

test('a name that a tree has twice is refused, also behind a link', async () => {
  const blob = repository.git('hash-object', '-w', '--stdin');
  const twice = treeWith(entryOf('100644 a.yaml', blob), entryOf('100644 a.yaml', blob));
  await refused(twice, '', `\`a.yaml\` in \`${twice}\` has the name of another file on this file system`);
  const linked = treeWith(entryOf('100644 a.yaml', blob), entryOf('120000 a.yaml', blob));
  await refused(linked, '', `\`a.yaml\` in \`${linked}\` has the name of another file on this file system`);
});

test('an unknown revision is an error with the name that was probably meant', async () => {
  repository.commit({ 'policies/a.yaml': '' });
  repository.git('tag', 'v1.0');
  repository.git('update-ref', 'refs/remotes/origin/feature', 'HEAD');
  await unknown('mainn', 'no revision `mainn` (did you mean `main`?)');
  await unknown('master', 'no revision `master` (did you mean `main`?)');
  await unknown('v1.1', 'no revision `v1.1` (did you mean `v1.0`?)');
  await unknown('feature', 'no revision `feature` (did you mean `origin/feature`?)');
  await unknown('completely-different', 'no revision `completely-different`');
  await unknown('--all', 'no revision `--all`');
  await unknown('', 'no revision ``');
});

test('a branch takes precedence over a tag of its name, as for `serve --git`', async () => {
  repository.commit({ 'policies/a.yaml': 'old' });
  const old = await findTree('HEAD', options());
  repository.commit({ 'policies/a.yaml': 'new' });
  const current = await findTree('HEAD', options());
  repository.git('branch', 'feature@2/x');
  repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  for (const name of ['main', 'feature@2/x', 'origin/main']) repository.git('tag', name, 'HEAD~1');
  repository.git('tag', '--annotate', '--message=x', 'v1', 'HEAD~1');
  for (const name of ['main', 'feature@2/x', 'origin/main', 'refs/heads/main', 'heads/main', 'main^0', 'HEAD', '@'])
    assert.is(await findTree(name, options()), current, name);
  for (const name of ['main~1', 'main^', 'origin/main~1', 'tags/main', 'refs/tags/main', 'v1', 'main^{commit}~1'])
    assert.is(await findTree(name, options()), old, name);
});

test('a shallow clone does not have what was not fetched, and says so', async () => {
  repository.commit({ 'policies/a.yaml': '' });
  repository.commit({ 'policies/a.yaml': 'a' });
  const clone = join(target, 'clone');
  execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${repository.folder}`, clone], { stdio: 'pipe' });
  assert.is(
    await messageOf(findTree('v1', { ...options(), folder: clone })),
    'no revision `v1`; the clone is shallow: fetch the revision first',
  );
});

test('a folder that is not in a repository is an error', async () => {
  assert.is(
    await messageOf(findTree('main', { ...options(), folder: target })),
    '`main` is not a folder, and this is not a git repository',
  );
});

test('reading ends when it is interrupted', async () => {
  repository.commit({ 'policies/a.yaml': '' });
  const controller = new AbortController();
  controller.abort();
  assert.match(await messageOf(findTree('main', { ...options(), signal: controller.signal })), /abort/i);
});

test.run();

function options(): GitOptions {
  return { folder: repository.folder, environment: process.env, signal: new AbortController().signal };
}

async function written(revision: string, path: string): Promise<void> {
  await checkOut({ revision, tree: await findTree(revision, options()), path }, target, options());
}

async function refused(revision: string, path: string, message: string): Promise<void> {
  assert.is(await messageOf(written(revision, path)), message);
}

async function unknown(revision: string, message: string): Promise<void> {
  assert.is(await messageOf(findTree(revision, options())), message);
}

function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'it worked',
    (error: unknown) => (error as Error).message,
  );
}

function text(path: string): string {
  return readFileSync(join(target, path), 'utf8');
}

/** Stores a tree that no checkout would write. */
function treeWith(...entries: readonly Buffer[]): string {
  const { folder } = repository;
  const args = ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'];
  return execFileSync('git', args, { cwd: folder, input: Buffer.concat(entries), encoding: 'utf8' }).trim();
}

/** @param head mode and name. */
function entryOf(head: string, id: string): Buffer {
  return Buffer.concat([Buffer.from(`${head}\0`), Buffer.from(id, 'hex')]);
}
