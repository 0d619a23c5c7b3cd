import { stripVTControlCharacters } from 'node:util';

/** The failures in the output of the test runner, each with its test file and the first lines of what the runner says. */
export function failuresIn(output: string): readonly string[] {
  const failures: string[][] = [];
  let file = '';
  let open = false;
  for (const line of stripVTControlCharacters(output).split('\n')) {
    if (TEST_FILE.test(line)) {
      file = line;
      open = false;
    } else if (FAIL.test(line)) {
      failures.push([`${file}: ${line.replace(FAIL, '')}`]);
      open = true;
    } else if (open && line.trim() !== '') {
      failures.at(-1)?.push(line);
    }
  }
  return failures.map((lines) => lines.slice(0, LONGEST).join('\n'));
}

const TEST_FILE = /^\S+\.test\.ts$/;
const FAIL = /^ +FAIL +/;
/** Lines of a failure. */
const LONGEST = 20;
