import { Session } from 'node:inspector/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { policies } from '../../generated/index.js';
import { createEngine, type PlanRequest } from '../../runtime/engine/index.js';

/** The work of a plan, as calls of functions: unlike time, it is the same on every machine. */
const test = suite('calls of a plan');

const CASES = [
  { action: 'view', roles: ['user'], most: 282 },
  { action: 'view', roles: ['user', 'editor'], most: 300 },
  { action: 'edit', roles: ['user'], most: 255 },
] as const;

for (const { action, roles, most } of CASES)
  test(`a plan of the albums that ${roles.join(' and ')} may ${action} takes at most ${most} calls`, async () => {
    const calls = await countCalls({
      principal: { id: 'alice', roles },
      resource: { kind: 'album' },
      actions: [action],
    });
    assert.ok(calls > 0 && calls <= most, `${calls} calls`);
  });

async function countCalls(request: PlanRequest): Promise<number> {
  const engine = createEngine(policies);
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
  return counts.reduce((sum, count) => sum + count, 0);
}

test.run();
