import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A uvu file that never calls `run()` executes nothing and passes: such a file fails here (design 6.5, trap 7). */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], { encoding: 'utf8' });
const silent = files
  .split('\n')
  .filter((file) => file !== '')
  .filter((file) => !/\.run\(\)/.test(readFileSync(file, 'utf8')));
if (silent.length > 0) {
  console.error(`test files that run nothing (add \`test.run()\`):\n${silent.map((file) => `  ${file}`).join('\n')}`);
  process.exitCode = 1;
}
