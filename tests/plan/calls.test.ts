import { Session } from 'node:inspector/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { policies } from '../../generated/index.js';
import { createEngine } from '../../runtime/engine/index.js';

/** The work of a plan, as calls of functions: unlike time, it is the same on every machine. */
const test = suite('calls of a plan');

test('a plan of the albums that a user may view takes at most 300 calls', async () => {
  const engine = createEngine(policies);
  const request = {
    principal: { id: 'alice', roles: ['user'] },
    resource: { kind: 'album' },
    actions: ['view'],
  };
  engine.plan(request);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  engine.plan(request);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const counts = result
    .filter(({ url }) => /\/(?:runtime|generated)\//.test(url) && !url.includes('node_modules'))
    .flatMap(({ functions }) => functions.map(({ ranges: [whole] }) => whole?.count ?? 0));
  const calls = counts.reduce((sum, count) => sum + count, 0);
  assert.ok(calls > 0 && calls <= 300, `${calls} calls`);
});

test.run();
