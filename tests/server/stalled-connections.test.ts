import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeCertificate } from '../support/certificate.js';
import { until } from '../support/timeout.js';
import { OpenStreams } from '../support/server/well-behaved-clients.js';
import { assertStallsEnd, socketsOf, type Stalled, targetsOf } from '../support/server/assert-stalls-end.js';
import { FLOODS, STALLS, sipping, type Target, watching } from '../support/server/stalling-clients.js';

const test = suite('connections that stall over HTTP/2 and TLS');
/** Long enough for well-behaved clients on a busy machine: they share a process with the others. */
const TIMEOUTS = [
  'http.readHeaderTimeout=2s',
  'http.readTimeout=2s',
  'http.writeTimeout=2s',
  'http.idleTimeout=3s',
  'grpc.connectionTimeout=2s',
].map((set) => `server.advanced.${set}`);
/** Of each kind; all kinds together make a thousand connections. */
const CLIENTS = 11;

const folder = mkdtempSync(join(tmpdir(), 'authz-stalls-'));
const certificate = makeCertificate('server');
writeFileSync(join(folder, 'cert.pem'), certificate.cert);
writeFileSync(join(folder, 'key.pem'), certificate.key);
const TLS = [`server.tls.cert=${join(folder, 'cert.pem')}`, `server.tls.key=${join(folder, 'key.pem')}`];
const UNIX = ['http', 'grpc'].map((port) => `server.${port}ListenAddr=unix:${join(folder, port)}.sock`);
test.after(() => rmSync(folder, { recursive: true, force: true }));

interface Served extends Stalled {
  readonly child: ChildProcess;
}

async function serve(sets: readonly string[]): Promise<Served> {
  const child = fork(fileURLToPath(new URL('server-child.ts', import.meta.url)), [...sets], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [message] = await once(child, 'message');
  const { httpAddress, grpcAddress } = message as { readonly httpAddress: string; readonly grpcAddress: string };
  return { child, pids: [child.pid as number], http: httpAddress, grpc: grpcAddress };
}

async function onServer(sets: readonly string[], judged: (served: Served) => Promise<void>): Promise<void> {
  const served = await serve([...TIMEOUTS, ...sets]);
  try {
    await judged(served);
  } finally {
    served.child.kill('SIGKILL');
  }
}

test('a thousand stalling clients leave no socket open, and other clients are not affected', async () => {
  let count = 0;
  for (const isTls of [false, true]) {
    await onServer(isTls ? TLS : [], async (served) => {
      count += await assertStallsEnd(served, isTls ? certificate.cert : undefined, STALLS, CLIENTS);
    });
  }
  assert.ok(count >= 1000, `${count} clients`);
});

test('clients that flood the server do not affect others', async () => {
  const patient = ['server.advanced.http.readHeaderTimeout=10s', 'server.advanced.http.idleTimeout=8s'];
  for (const isTls of [false, true])
    await onServer(
      [...patient, ...(isTls ? TLS : [])],
      async (served) => void (await assertStallsEnd(served, isTls ? certificate.cert : undefined, FLOODS, 1)),
    );
});

test('the same over Unix sockets', async () => {
  await onServer(UNIX, async (served) => {
    const before = socketsOf(served);
    const clients: Socket[] = [];
    for (const target of targetsOf(served, false)) {
      for (const stall of STALLS.filter(({ on }) => on(target))) clients.push(await stall.open(target));
    }
    await until(() => socketsOf(served) <= before, 'the server has closed all connections that stall');
    for (const client of clients) client.destroy();
  });
});

test('a connection over its maximum age ends some time after GOAWAY, whatever is in progress', async () => {
  await onServer(['server.advanced.grpc.maxConnectionAge=500ms'], async (served) => {
    const before = socketsOf(served);
    const clients: Socket[] = [];
    for (const target of targetsOf(served, false)) clients.push(await watching(target));
    await until(() => socketsOf(served) === before + clients.length, 'the clients are connected');
    const states = await Promise.all(clients.map(framesUntilEnd));
    for (const types of states) assert.ok(types.includes(GOAWAY), `frames: ${types.join()}`);
    await until(() => socketsOf(served) === before, 'the server has closed them');
    for (const client of clients) client.destroy();
  });
});

test('an HTTP/1.1 response must be received in time, however steadily it is read', async () => {
  for (const isTls of [false, true]) {
    await onServer(
      [...UNIX, 'server.advanced.grpc.maxRecvMsgSizeBytes=16777216', ...(isTls ? TLS : [])],
      async (served) => {
        const before = socketsOf(served);
        const [target] = targetsOf(served, isTls) as [Target];
        const client = await sipping(target, ANSWER_SIZE);
        try {
          await until(() => client.bytesRead > 0, 'the answer has begun');
          await until(() => socketsOf(served) === before, 'the server has closed the connection');
          assert.ok(client.bytesRead < ANSWER_SIZE);
        } finally {
          client.destroy();
        }
      },
    );
  }
});

test('a streamed response is not cut while it is read, however long it takes', async () => {
  const short = ['readTimeout', 'writeTimeout', 'idleTimeout'].map((name) => `server.advanced.http.${name}=500ms`);
  await onServer(short, async (served) => {
    const before = socketsOf(served);
    const streams = new OpenStreams(served);
    await until(() => socketsOf(served) === before + OpenStreams.CONNECTIONS, 'the streams are open');
    for (let round = 0; round < 3; round++) {
      const stalls = STALLS.filter(({ name }) => TAKING_LONGEST.includes(name));
      assert.is(stalls.length, TAKING_LONGEST.length);
      const opened = await Promise.all(
        targetsOf(served, false).flatMap((target) =>
          stalls.filter(({ on }) => on(target)).map(({ open }) => open(target)),
        ),
      );
      await until(
        () => socketsOf(served) <= before + OpenStreams.CONNECTIONS,
        'connections that begin later have had their time',
      );
      for (const client of opened) client.destroy();
    }
    await streams.leave();
  });
});

/** Read slowly, it takes far longer than allowed. The buffers of Unix sockets are small, so that slow reads matter. */
const ANSWER_SIZE = 8 * 2 ** 20;
/** Together they use up each of the deadlines of a call. */
const TAKING_LONGEST = [
  'calls nothing',
  'stays after its call',
  'sends no body',
  'drips a message',
  'opens no window for the answer',
  'opens no window for a stream of answers',
];

const GOAWAY = 7;

/** The types of the frames until the server ends the connection. */
function framesUntilEnd(socket: Socket): Promise<readonly number[]> {
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
    });
    socket.once('end', () => {
      const types: number[] = [];
      for (let at = 0; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3))
        types.push(received[at + 3] as number);
      resolve(types);
    });
  });
}

test.run();
