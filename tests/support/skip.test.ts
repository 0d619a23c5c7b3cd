import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './compiled.js';
import { skip, skipsIn } from './skip.js';

/** The output of a test file that does this. */
function printedBy(run: () => void): string {
  const { log } = console;
  const lines: string[] = [];
  console.log = (line: string): void => void lines.push(line);
  try {
    run();
  } finally {
    console.log = log;
  }
  return lines.map((line) => `${line}\n`).join('');
}

test('a skip is found in the output of its test file, also between dots, with its file and its reason', () => {
  const report = printedBy(() => skip(import.meta.url, 'Chromium is not installed'));
  assert.equal(skipsIn(` suite  • • ${report}• •   (2 / 2)\n`), [
    'tests/support/skip.test.ts: Chromium is not installed',
  ]);
});

test('every reason counts, and counts once', () => {
  const report = printedBy(() => {
    for (const reason of ['no browser', 'no worker', 'no browser']) skip(import.meta.url, reason);
  });
  assert.equal(skipsIn(report), ['tests/support/skip.test.ts: no browser', 'tests/support/skip.test.ts: no worker']);
});

test('other output is not a skip', () => {
  assert.equal(skipsIn('1 skipped\nskipped: x\n  SKIPPED y\n'), []);
});

test('no test file skips in another way', () => {
  const files = (readdirSync(join(ROOT, 'tests'), { recursive: true }) as string[]).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('support/skip'),
  );
  const others = files.filter((file) =>
    /console\.\w+\([^\n]*skipped|\btest\.(skip|only)\(|^\s*if \([^\n]*(getuid|existsSync)[^\n]*\) return;$/m.test(
      readFileSync(join(ROOT, 'tests', file), 'utf8'),
    ),
  );
  assert.equal(others, []);
});

test.run();
