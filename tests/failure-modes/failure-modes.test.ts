import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { badDays } from './run-failures.js';

test('on a bad day no answer is wrong, nothing crashes, and what was audited is there', async () => {
  const { problems, figures } = await badDays({ seconds: 8, badRequests: 300 });
  assert.equal(problems, [], JSON.stringify(figures, null, 2));
});

test.run();
