import { Agent, request } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CHECK } from '../support/cli/policies.js';
import { stop } from '../support/cli/programs.js';
import { compileBundles, discard, remove, type Server, startProgram, workersOf } from '../support/workers/server.js';
import { until } from '../support/timeout.js';
import { rounds } from '../support/effort.js';

const test = suite('audit entries of killed workers');
const bundles = compileBundles();
const servers: Server[] = [];
test.after.each(() => discard(servers));
test.after(() => remove(bundles.folder));

const KILLS = rounds(6);

test(`with audit.delivery: before_reply no entry of an answered call is lost in ${KILLS} kills`, async () => {
  const path = join(bundles.folder, 'audit.log');
  const server = await startProgram(bundles.folder, bundles.view, [
    'server.workers=2',
    `audit.enabled=true,audit.backend=file,audit.file.path=${path},audit.delivery=before_reply`,
  ]);
  servers.push(server);
  const answered: string[] = [];
  let isStopping = false;
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const loops = Array.from({ length: 16 }, async () => {
    while (!isStopping) {
      const id = await callId(server.http, agent).catch(() => undefined);
      if (id !== undefined) answered.push(id);
    }
  });
  for (let kill = 0; kill < KILLS; kill++) {
    const before = answered.length;
    await until(() => answered.length > before + 100 && workersOf(server).length === 2, 'answers');
    const [victim = 0] = workersOf(server);
    process.kill(victim, 'SIGKILL');
    await until(() => !workersOf(server).includes(victim), 'the worker is gone');
  }
  isStopping = true;
  await Promise.all(loops);
  agent.destroy();
  const kinds = new Map<string, Set<unknown>>();
  // Entries of answered calls are already in the file, which is read before the server ends.
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const entry = JSON.parse(line) as { readonly callId: string };
    kinds.set(entry.callId, (kinds.get(entry.callId) ?? new Set()).add(entry['log.kind' as never]));
  }
  assert.ok(answered.length > KILLS * 100);
  assert.equal(
    answered.filter((id) => kinds.get(id)?.size !== 2),
    [],
  );
  assert.is((await stop(server.running)).code, 0);
});

/** The id of an answered call. Rejects when there is no response. */
function callId(http: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(`http://${http}/api/check/resources`, { method: 'POST', agent }, (response) => {
      response.on('end', () => resolve(String(response.headers['authz-call-id'])));
      response.on('error', reject);
      response.resume();
    });
    call.on('error', reject);
    call.end(JSON.stringify(CHECK));
  });
}

test.run();
