import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { explorerFiles } from '../../scripts/explorer-files.js';
import { ROOT } from '../support/compiled.js';

const test = suite('the files of the page');

let built: ReturnType<typeof explorerFiles> | undefined;

function filesOnce(): ReturnType<typeof explorerFiles> {
  built ??= explorerFiles();
  return built;
}

test('equal sources give equal files', async () => {
  assert.equal((await explorerFiles()).files, (await filesOnce()).files);
});

test('the scripts use no module of Node and evaluate no text as code', async () => {
  const scripts = (await filesOnce()).files.filter(({ path }) => path.endsWith('.js'));
  assert.ok(scripts.some(({ path }) => /worker-\w{8}\.js$/.test(path)));
  for (const { path, contents } of scripts)
    for (const forbidden of [
      /["'`]node:/,
      /\bnew Function\b/,
      /(?<!\.)\beval\s*\([^()]*\)(?!\s*\{)/,
      /\bimport\(["'`](?!\.\/)/,
    ])
      assert.is(forbidden.exec(Buffer.from(contents).toString())?.[0], undefined, path);
});

test('the sources type-check with the DOM types', () => {
  const tsc = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  const check = (): unknown =>
    execFileSync(
      process.execPath,
      [tsc, '--noEmit', '--singleThreaded', '-p', join(ROOT, 'packages/playground/tsconfig.json')],
      {
        stdio: 'inherit',
      },
    );
  assert.not.throws(check);
});

test.run();
