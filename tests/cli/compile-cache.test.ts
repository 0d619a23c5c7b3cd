import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepCompiledCode } from '../../packages/cli/compile-cache.js';
import { skip } from '../support/skip.js';

const test = suite('the cache of compiled code');

const NOBODY = 65_534;

let program = '';
test.before.each(() => {
  program = mkdtempSync(join(tmpdir(), 'authz-cache-'));
});
test.after.each(() => rmSync(program, { recursive: true, force: true }));

/** The folders that V8 would use for a cache beside the program. */
function used(folder = join(program, 'cache')): readonly string[] {
  const folders: string[] = [];
  keepCompiledCode(folder, (enabled) => folders.push(enabled));
  return folders;
}

test('it is created for its user alone, whatever the umask', () => {
  const before = process.umask(0);
  try {
    assert.equal(used(), [join(program, 'cache')]);
  } finally {
    process.umask(before);
  }
  assert.is(statSync(join(program, 'cache')).mode & 0o777, 0o700);
  assert.equal(used(), [join(program, 'cache')], 'the second start');
});

test('a folder that others can write to is not used', () => {
  mkdirSync(join(program, 'cache'));
  for (const mode of [0o777, 0o770, 0o702]) {
    chmodSync(join(program, 'cache'), mode);
    assert.equal(used(), [], mode.toString(8));
  }
  chmodSync(join(program, 'cache'), 0o755);
  assert.is(used().length, 1);
});

test('a link is not followed', () => {
  mkdirSync(join(program, 'elsewhere'));
  symlinkSync(join(program, 'elsewhere'), join(program, 'cache'));
  assert.equal(used(), []);
});

test('where no folder can be created there is no cache, and no error', () => {
  writeFileSync(join(program, 'cache'), '');
  assert.equal(used(), []);
  assert.equal(used(join(program, 'cache', 'below')), []);
  assert.equal(used(join(program, 'none', 'cache')), []);
  assert.not(existsSync(join(program, 'none')));
});

test('folders of another user are not used', () => {
  if (process.getuid?.() !== 0) return skip(import.meta.url, 'only root can give files away');
  mkdirSync(join(program, 'cache'), { mode: 0o700 });
  lchownSync(join(program, 'cache'), NOBODY, NOBODY);
  assert.equal(used(), []);
  rmSync(join(program, 'cache'), { recursive: true });
  lchownSync(program, NOBODY, NOBODY);
  assert.equal(used(), []);
  assert.not(existsSync(join(program, 'cache')));
});

test.run();
