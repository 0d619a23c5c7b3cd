import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { settingsOf } from './options.js';

test('the default clock is the time of the system, its milliseconds as nanoseconds', () => {
  const { clock } = settingsOf({});
  const { now } = Date;
  try {
    for (const [milliseconds, seconds, nanos] of [
      [1_700_000_000_123, 1_700_000_000, 123_000_000],
      [1_700_000_000_000, 1_700_000_000, 0],
      [1_700_000_000_999, 1_700_000_000, 999_000_000],
      [-1, -1, 999_000_000],
    ] as const) {
      Date.now = () => milliseconds;
      assert.equal({ ...clock() }, { seconds, nanos, offset: -new Date(milliseconds).getTimezoneOffset() });
    }
  } finally {
    Date.now = now;
  }
});

test.run();
