import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertStallsEnd, type Stalled } from '../support/server/assert-stalls-end.js';
import { FLOODS, type Stall, STALLS } from '../support/server/stalling-clients.js';
import { makeCertificate } from '../support/certificate.js';
import {
  type Bundles,
  compileBundles,
  discard,
  remove,
  type Server,
  startProgram,
  workersOf,
} from '../support/workers/server.js';
import { succeedOnce, until } from '../support/timeout.js';

const test = suite('connections that stall, with two workers');
const timeoutsOf = (seconds: number): readonly string[] =>
  [
    `http.readHeaderTimeout=${seconds}s`,
    `http.readTimeout=${seconds}s`,
    `http.writeTimeout=${seconds}s`,
    `http.idleTimeout=${seconds + 1}s`,
    `grpc.connectionTimeout=${seconds}s`,
  ].map((set) => `server.advanced.${set}`);
const patientOf = (seconds: number): readonly string[] => [
  ...timeoutsOf(seconds),
  `server.advanced.http.readHeaderTimeout=${5 * seconds}s`,
  `server.advanced.http.idleTimeout=${4 * seconds}s`,
];
/** How often a well-behaved client may be one that stalls, because it waits for a processor. Each time it has more time. */
const TRIES = 3;
/** Of each kind, so that each worker has some. */
const CLIENTS = 4;

const servers: Server[] = [];
let bundles: Bundles;
const folder = mkdtempSync(join(tmpdir(), 'authz-stalls-'));
const certificate = makeCertificate('server');
test.before(() => {
  bundles = compileBundles();
  writeFileSync(join(folder, 'cert.pem'), certificate.cert);
  writeFileSync(join(folder, 'key.pem'), certificate.key);
});
test.after.each(() => discard(servers));
test.after(() => {
  remove(bundles.folder);
  remove(folder);
});

/**
 * Opens connections of all kinds and returns their number. Rejects when a process of the server, including the primary,
 * keeps one open, or a worker ends.
 */
async function assertStallsEndInWorkers(
  sets: readonly string[],
  stalls: readonly Stall[],
  isTls: boolean,
  count: number,
): Promise<number> {
  const tls = isTls ? [`server.tls.cert=${join(folder, 'cert.pem')}`, `server.tls.key=${join(folder, 'key.pem')}`] : [];
  const server = await startProgram(bundles.folder, bundles.view, ['server.workers=2', ...sets, ...tls]);
  servers.push(server);
  const workers = workersOf(server);
  assert.is(workers.length, 2);
  const stalled: Stalled = {
    http: server.http,
    grpc: server.grpc,
    pids: [server.running.child.pid as number, ...workers],
  };
  const clients = await assertStallsEnd(stalled, isTls ? certificate.cert : undefined, stalls, count);
  await until(() => workersOf(server).length === 2, 'two workers');
  assert.equal(workersOf(server), workers);
  return clients;
}

for (const isTls of [false, true]) {
  const security = isTls ? 'TLS' : 'plaintext';

  test(`stalling clients leave no socket open in any process: ${security}`, () =>
    succeedOnce(TRIES, async (done) => {
      const kinds = STALLS.filter(({ on }) => on({ port: 'http', isTls, address: { port: 0 } })).length;
      const count = await assertStallsEndInWorkers(timeoutsOf(2 * 4 ** done), STALLS, isTls, CLIENTS);
      assert.ok(count >= kinds * CLIENTS);
    }));

  test(`clients that flood the server do not affect others: ${security}`, () =>
    succeedOnce(TRIES, async (done) => {
      assert.is(await assertStallsEndInWorkers(patientOf(2 * 3 ** done), FLOODS, isTls, 1), 2 * FLOODS.length);
    }));
}

test.run();
