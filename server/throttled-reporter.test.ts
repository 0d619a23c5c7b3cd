import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ThrottledReporter } from './throttled-reporter.js';

test('a problem is reported at once, and then every ten seconds with the number of suppressed reports', () => {
  const lines: string[] = [];
  let now = 0;
  const reporter = new ThrottledReporter(
    (message) => lines.push(message),
    () => now,
  );
  for (; now < 25_000; now += 1000) reporter.report(`batch ${now} failed`);
  reporter.report('disk full');
  assert.equal(lines, [
    'batch 0 failed',
    'batch 10000 failed (and 9 more since the last message)',
    'batch 20000 failed (and 9 more since the last message)',
    'disk full',
  ]);
});

test.run();
