import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { collectOnceIdle } from './collect-once-idle.js';

test('a process that is idle collects once, and one that is busy does not', async () => {
  const collected: string[] = [];
  collectOnceIdle(
    1,
    () => 0.09,
    () => collected.push('idle'),
  );
  collectOnceIdle(
    1,
    () => 0.11,
    () => collected.push('busy'),
  );
  // Timers of one duration run in the order in which they are set.
  await sleep(1);
  await sleep(1);
  assert.equal(collected, ['idle']);
});

test('garbage is collected, and the function for that is not left behind', () => {
  const module = new URL('./collect-once-idle.ts', import.meta.url).href;
  const program = `
    import { collectGarbage } from ${JSON.stringify(module)};
    const used = () => process.memoryUsage().heapUsed;
    globalThis.kept = Array.from({ length: 300_000 }, (_, index) => ({ index, text: 'item ' + index }));
    const before = used();
    globalThis.kept = undefined;
    collectGarbage();
    console.log(JSON.stringify([used() < before / 2, typeof globalThis.gc]));
  `;
  const parameters = ['--import', 'tsx', '--input-type=module', '--eval', program];
  assert.is(execFileSync(process.execPath, parameters, { encoding: 'utf8' }), '[true,"undefined"]\n');
});

test.run();
