import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callAuthzc, callShipped } from '../support/cli/call-authzc.js';
import { type Ended, filesIn, folderOf, PROGRAMS, run } from '../support/cli/programs.js';
import { FOLDER } from '../support/recompile/edits.js';

const test = suite('authzc compile with a cache');
let folder = '';
test.before.each(() => {
  const schemas = Object.entries(FOLDER.schemas).map(([path, text]) => [`policies/_schemas/${path}`, text]);
  const policies = Object.entries(FOLDER.policies).map(([path, text]) => [`policies/${path}`, text]);
  folder = folderOf(Object.fromEntries([...schemas, ...policies]) as Record<string, string>);
});
test.after.each(() => rmSync(folder, { recursive: true, force: true }));

test('a run that changes nothing writes nothing, and prints the same warnings', async () => {
  const first = await compileAsProcess();
  const before = stateOf(folder);
  const again = await compileAsProcess();
  assert.match(first.stdout, '`is_idle` is never used');
  assert.equal(again, first);
  assert.equal(stateOf(folder), before);
});

test('after an edit the files are those of a run without a cache', async () => {
  await compile();
  edit('album.yaml', 'longest: 5', 'longest: 7');
  await sameAsWithoutCache();
  edit('common.yaml', 'R.attr.owner == P.id', 'R.attr.owner != P.id');
  await sameAsWithoutCache();
  rmSync(join(folder, 'policies/leave_next.yaml'));
  await sameAsWithoutCache();
});

test('a policy that is broken and mended compiles as before', async () => {
  await compile();
  const before = outputs();
  edit('photo.yaml', 'R.attr.owner == P.id', 'R.attr.owner ==');
  const broken = await compile();
  assert.is(broken.code, 3);
  assert.equal(broken, await compileAlone());
  edit('photo.yaml', 'R.attr.owner ==', 'R.attr.owner == P.id');
  assert.is((await compile()).code, 0);
  assert.equal(outputs(), before);
});

test('outputs that were deleted or changed are written again', async () => {
  await compile();
  const before = outputs();
  rmSync(join(folder, 'generated/index.ts'));
  writeFileSync(
    join(folder, 'dist/policies.js'),
    readFileSync(join(folder, 'dist/policies.js'), 'utf8').replace('album', 'x'),
  );
  assert.is((await compile()).code, 0);
  assert.equal(outputs(), before);
});

test('a damaged entry is ignored and replaced', async () => {
  const fresh = await compile();
  const good = readFileSync(entry());
  for (const bytes of [Buffer.alloc(0), good.subarray(0, -1)]) {
    writeFileSync(entry(), bytes);
    assert.equal(await compile(), fresh);
    assert.equal(readFileSync(entry()), good);
  }
});

test('an entry of other options in its place is ignored', async () => {
  await compile();
  const usual = entry();
  await compile('--checks-only');
  const other = readdirSync(join(folder, 'cache')).find((name) => !usual.endsWith(name)) as string;
  copyFileSync(join(folder, 'cache', other), usual);
  await sameAsWithoutCache();
});

test('runs at the same time leave outputs and an entry that are whole', async () => {
  await compile();
  edit('album.yaml', 'longest: 5', 'longest: 6');
  const runs = [compileAsProcess(), compileAsProcess(), compileAsProcess()];
  assert.equal(
    (await Promise.all(runs)).map(({ code }) => code),
    [0, 0, 0],
  );
  await sameAsWithoutCache();
  assert.equal(filesIn(join(folder, 'cache')).length, 1);
});

test('only the owner can read and write the cache', async () => {
  await compile();
  assert.is(statSync(join(folder, 'cache')).mode & 0o777, 0o700);
  assert.is(statSync(entry()).mode & 0o777, 0o600);
});

test('an entry that other users can write, or that another user owns, is ignored and replaced', async () => {
  await compile();
  const forge = (change: () => void): void => {
    const text = readFileSync(entry(), 'latin1').replaceAll("'OPEN'", "'HOLE'");
    const body = text.slice(text.indexOf('\n') + 1);
    const checksum = createHash('sha256').update(body, 'latin1').digest('hex');
    writeFileSync(entry(), text.replace(/[0-9a-f]{64}/, checksum), 'latin1');
    change();
  };
  // Its owner can do that: without the checks below, others could.
  forge(() => undefined);
  await compile();
  assert.match(outputs()['generated/resource/photo.ts'] as string, "'HOLE'");
  const changes = [() => chmodSync(entry(), 0o620), () => chmodSync(entry(), 0o602)];
  const byOther = process.getuid?.() === 0 ? [() => chownSync(entry(), 65534, 65534)] : [];
  for (const change of [...changes, ...byOther]) {
    forge(change);
    await compile();
    assert.match(outputs()['generated/resource/photo.ts'] as string, "'OPEN'");
    assert.is(statSync(entry()).mode & 0o777, 0o600);
  }
});

test('without node_modules there is no cache unless a folder is given', async () => {
  assert.is((await run(PROGRAMS.authzc, ['compile'], folder)).code, 0);
  assert.not(filesIn(folder).some((path) => path.endsWith('.cache')));
  mkdirSync(join(folder, 'node_modules'));
  assert.is((await run(PROGRAMS.authzc, ['compile'], folder)).code, 0);
  assert.is(filesIn(join(folder, 'node_modules/.cache/authz')).length, 1);
});

test('what is not a file in the place of an entry is ignored', async () => {
  const before = await compile();
  const path = entry();
  rmSync(path);
  execFileSync('mkfifo', [path]);
  assert.equal(await compile(), before);
  assert.ok(statSync(path).isFile());
  rmSync(path);
  mkdirSync(path);
  assert.equal(await compile(), before);
});

test('a symbolic link to a cache is followed, one in the place of an entry is replaced', async () => {
  await compile();
  const good = readFileSync(entry());
  renameSync(join(folder, 'cache'), join(folder, 'elsewhere'));
  symlinkSync('elsewhere', join(folder, 'cache'));
  edit('album.yaml', 'longest: 5', 'longest: 7');
  await sameAsWithoutCache();
  const path = entry();
  writeFileSync(join(folder, 'other'), good, { mode: 0o600 });
  rmSync(path);
  symlinkSync(join(folder, 'other'), path);
  edit('album.yaml', 'longest: 7', 'longest: 8');
  await sameAsWithoutCache();
  assert.ok(lstatSync(path).isFile());
  assert.equal(readFileSync(join(folder, 'other')), good);
});

test('a cache that cannot be written does not fail the compilation', async () => {
  writeFileSync(join(folder, 'cache'), 'a file');
  assert.is((await compile()).code, 0);
  assert.is(readFileSync(join(folder, 'cache'), 'utf8'), 'a file');
});

test.run();

/** In this process, as the cache is all that a run leaves to the next one. */
async function compile(...options: readonly string[]): Promise<Ended> {
  const { code, stdout, stderr } = await callShipped(['compile', '--cache-dir', 'cache', ...options], folder);
  return { code, stdout, stderr };
}

function compileAsProcess(): Promise<Ended> {
  return run(PROGRAMS.authzc, ['compile', '--cache-dir', 'cache'], folder);
}

/** A command that runs from its sources has no cache. */
function compileAlone(): Promise<Ended> {
  return callAuthzc(['compile', '--no-cache'], folder);
}

/** Compiles with and without the cache: files, messages and exit codes must be the same. */
async function sameAsWithoutCache(): Promise<void> {
  const cached = await compile();
  const files = outputs();
  rmSync(join(folder, 'generated'), { recursive: true });
  rmSync(join(folder, 'dist'), { recursive: true });
  assert.equal(cached, await compileAlone());
  assert.equal(files, outputs());
}

function edit(path: string, before: string | RegExp, after: string): void {
  const file = join(folder, 'policies', path);
  writeFileSync(file, readFileSync(file, 'utf8').replace(before, after));
}

/** The only entry of the cache. */
function entry(): string {
  const [name] = readdirSync(join(folder, 'cache')) as [string];
  return join(folder, 'cache', name);
}

function outputs(): { readonly [path: string]: string } {
  const paths = filesIn(folder).filter((path) => /^(?:generated|dist)\//.test(path));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

function stateOf(root: string): readonly (readonly [string, number])[] {
  return filesIn(root).map((path) => [path, statSync(join(root, path)).mtimeMs]);
}
