import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { crossSuiteImports } from './house/tree.js';
import { silentTestsOf } from './silent-tests.js';

/*
 * Fails for tests that cannot fail: a uvu file that never calls `run()` executes nothing and passes, and a test that
 * asserts nothing passes whatever the product returns. And for suites that import from each other: what two suites use
 * is in tests/support. Tests in templates are for another runner.
 */
const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts', ':!examples/templates'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => file !== '');
report(
  'test files that run nothing (add `test.run()`)',
  files.filter((file) => !/\.run\(\)/.test(readFileSync(file, 'utf8'))),
);
report(
  'tests that assert nothing',
  files.flatMap((file) => silentTestsOf('.', file).map(({ line, name }) => `${file}:${line} ${name}`)),
);
const helpers = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'tests/*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => existsSync(file));
report(
  'imports from the folder of another suite (move what both use to tests/support)',
  helpers.flatMap((file) => crossSuiteImports(file, readFileSync(file, 'utf8')).map((target) => `${file} ${target}`)),
);

function report(problem: string, places: readonly string[]): void {
  if (places.length === 0) return;
  console.error(`${problem}:\n${places.map((place) => `  ${place}`).join('\n')}`);
  process.exitCode = 1;
}
