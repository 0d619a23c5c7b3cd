import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = dirname(dirname(import.meta.dirname));
const FILE = 'scripts/mutate/fixture/compare.ts';

function mutate(...options: readonly string[]): { readonly status: number | null; readonly stdout: string } {
  return spawnSync(process.execPath, ['--import', 'tsx', 'scripts/mutate.ts', ...options], {
    cwd: ROOT,
    encoding: 'utf8',
  });
}

test('a mutant that a test notices is killed, others survive with their diff, and the checkout is unchanged', () => {
  const before = readFileSync(join(ROOT, FILE), 'utf8');
  const { status, stdout } = mutate(
    '--seed',
    '1',
    '--count',
    '10',
    '--skip',
    'mutate/mutate',
    'scripts/mutate/fixture',
  );
  assert.is(status, 0, stdout);
  assert.match(stdout, `failed    ${FILE}:2:10  === becomes !==  (scripts/mutate/fixture/compare.test.ts)`);
  assert.match(stdout, `SURVIVED  ${FILE}:6:10  > becomes >=  (all 1 test files that reach it)`);
  assert.match(stdout, '1 of 3 mutants killed (33.3 %)');
  assert.match(stdout, `survived  ${FILE}:6:10  > becomes >=\n-   return amount > 0;\n+   return amount >= 0;`);
  assert.match(stdout, `survived  ${FILE}:6:19  0 becomes 1\n-   return amount > 0;\n+   return amount > 1;`);
  assert.is(readFileSync(join(ROOT, FILE), 'utf8'), before);
});

test('a test file whose hooks throw has failed', () => {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'mutate-'));
  const statusOf = (hook: string) => {
    const file = join(folder, 'hook.ts');
    writeFileSync(file, `import { test } from 'uvu';\n${hook}\ntest('nothing', () => {});\ntest.run();\n`);
    const program = ['--import', 'tsx', 'scripts/mutate/run-tests.ts', file];
    return spawnSync(process.execPath, program, { cwd: ROOT }).status;
  };
  try {
    assert.is(statusOf(''), 0);
    assert.is(statusOf("test.before(() => { throw new Error('no server'); });"), 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('without a folder the script prints its usage and fails', () => {
  const { status, stdout } = mutate();
  assert.is(status, 2);
  assert.match(stdout, 'npm run mutate -- [options] FOLDER...');
});

test.run();
