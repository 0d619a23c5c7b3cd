import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runFailureModes } from './run-failures.js';

test('with everything failing at once no decision is wrong, nothing crashes, and audited entries are kept', async () => {
  const { problems, figures } = await runFailureModes({ seconds: 8, badRequests: 300 });
  assert.equal(problems, [], JSON.stringify(figures, null, 2));
});

test.run();
