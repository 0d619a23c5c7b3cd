import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Reports that a test file, or a part of it, does not run here and why. `npm test` counts these reports and names them
 * above its closing line.
 * @param url `import.meta.url` of the test file.
 * @param reason what is missing, and where it would be: "Chromium is not installed (/usr/bin/chromium)".
 */
export function skip(url: string, reason: string): void {
  // The test runner prints its dots without line breaks.
  console.log(`\n${MARK}${relative(ROOT, fileURLToPath(url))}: ${reason}`);
}

/** The reports in the output of test files, each one once. */
export function skipsIn(output: string): readonly string[] {
  const lines = output.split('\n').filter((line) => line.startsWith(MARK));
  return [...new Set(lines.map((line) => line.slice(MARK.length)))];
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MARK = 'SKIPPED ';
