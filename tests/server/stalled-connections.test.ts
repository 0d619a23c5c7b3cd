import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeCertificate } from '../support/certificate.js';
import { rounds } from '../support/effort.js';
import { succeedOnce, until } from '../support/timeout.js';
import { OpenStreams } from '../support/server/well-behaved-clients.js';
import {
  assertStallsEnd,
  socketsOf,
  type Stalled,
  targetsOf,
  untilSockets,
} from '../support/server/assert-stalls-end.js';
import { FLOODS, STALLS, sipping, type Target, watching } from '../support/server/stalling-clients.js';
import type { ServerAddresses, ServerRequest } from './server-child.js';

const test = suite('connections that stall over HTTP/2 and TLS');
/** Connections may stall for some seconds. Those of well-behaved clients share a process with the others. */
const timeoutsOf = (seconds: number): readonly string[] =>
  [
    `http.readHeaderTimeout=${seconds}s`,
    `http.readTimeout=${seconds}s`,
    `http.writeTimeout=${seconds}s`,
    `http.idleTimeout=${seconds + 1}s`,
    `grpc.connectionTimeout=${seconds}s`,
  ].map((set) => `server.advanced.${set}`);
/** How often a well-behaved client may be one that stalls, because it waits for a processor. Each time it has more time. */
const TRIES = 3;
/** Of each kind. At full, all kinds together make a thousand connections. */
const CLIENTS = Math.min(11, rounds(11, 2));

const folder = mkdtempSync(join(tmpdir(), 'authz-stalls-'));
const certificate = makeCertificate('server');
writeFileSync(join(folder, 'cert.pem'), certificate.cert);
writeFileSync(join(folder, 'key.pem'), certificate.key);
const TLS = [`server.tls.cert=${join(folder, 'cert.pem')}`, `server.tls.key=${join(folder, 'key.pem')}`];
const UNIX = ['http', 'grpc'].map((port) => `server.${port}ListenAddr=unix:${join(folder, port)}.sock`);
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** The process of all servers: a start takes longer than most tests. Each has its own ports, by which sockets count. */
const child = fork(fileURLToPath(new URL('server-child.ts', import.meta.url)), ['asked'], {
  execArgv: ['--import', 'tsx'],
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
child.setMaxListeners(0);
test.after(() => void child.kill('SIGKILL'));
let requests = 0;

async function serve(sets: readonly string[]): Promise<Stalled> {
  requests += 1;
  const request: ServerRequest = { number: requests, sets };
  const { httpAddress, grpcAddress } = await new Promise<ServerAddresses>((resolve, reject) => {
    child.on('message', (answer: ServerAddresses) => {
      if (answer.number === request.number) resolve(answer);
    });
    child.once('exit', (code) => reject(new Error(`the servers ended with ${code}`)));
    child.send(request);
  });
  return { pids: [child.pid as number], http: httpAddress, grpc: grpcAddress };
}

async function onServer(sets: readonly string[], judged: (served: Stalled) => Promise<void>): Promise<void> {
  await judged(await serve([...timeoutsOf(2), ...sets]));
}

/** On two servers at the same time: most of the time they wait. */
async function eachSecurity(judged: (isTls: boolean) => Promise<void>): Promise<void> {
  await Promise.all([false, true].map(judged));
}

test('a thousand stalling clients leave no socket open, and other clients are not affected', async () => {
  await succeedOnce(TRIES, async (done) => {
    const counts: number[] = [];
    // Two servers share a process, so that each is slower.
    await eachSecurity((isTls) =>
      onServer([...timeoutsOf(4 * 4 ** done), ...(isTls ? TLS : [])], async (served) => {
        counts.push(await assertStallsEnd(served, isTls ? certificate.cert : undefined, STALLS, CLIENTS));
      }),
    );
    const [plaintext = 0, tls = 0] = counts;
    assert.ok(plaintext + tls >= 91 * CLIENTS, `${plaintext + tls} clients`);
  });
});

test('clients that flood the server do not affect others', async () => {
  // One after another: a flood slows everything in its process.
  for (const isTls of [false, true])
    await succeedOnce(TRIES, (done) => {
      const factor = 3 ** done;
      const patient = [`readHeaderTimeout=${10 * factor}s`, `idleTimeout=${8 * factor}s`];
      return onServer(
        [...timeoutsOf(2 * factor), ...patient.map((set) => `server.advanced.http.${set}`), ...(isTls ? TLS : [])],
        async (served) => void (await assertStallsEnd(served, isTls ? certificate.cert : undefined, FLOODS, 1)),
      );
    });
});

test('the same over Unix sockets', async () => {
  await onServer(UNIX, async (served) => {
    const before = socketsOf(served);
    const clients: Socket[] = [];
    for (const target of targetsOf(served, false)) {
      for (const stall of STALLS.filter(({ on }) => on(target))) clients.push(await stall.open(target));
    }
    await untilSockets(served, (count) => count <= before, 'the server has closed all connections that stall');
    for (const client of clients) client.destroy();
  });
});

test('a connection over its maximum age ends some time after GOAWAY, whatever is in progress', async () => {
  await onServer(['server.advanced.grpc.maxConnectionAge=500ms'], async (served) => {
    const before = socketsOf(served);
    const clients: Socket[] = [];
    for (const target of targetsOf(served, false)) clients.push(await watching(target));
    await untilSockets(served, (count) => count === before + clients.length, 'the clients are connected');
    const states = await Promise.all(clients.map(framesUntilEnd));
    for (const types of states) assert.ok(types.includes(GOAWAY), `frames: ${types.join()}`);
    await untilSockets(served, (count) => count === before, 'the server has closed them');
    for (const client of clients) client.destroy();
  });
});

test('an HTTP/1.1 response must be received in time, however steadily it is read', async () => {
  await eachSecurity((isTls) => {
    // Two servers cannot have one socket.
    const unix = ['http', 'grpc'].map((port) => `server.${port}ListenAddr=unix:${join(folder, port)}-${isTls}.sock`);
    return onServer(
      [...unix, 'server.advanced.grpc.maxRecvMsgSizeBytes=16777216', ...(isTls ? TLS : [])],
      async (served) => {
        const before = socketsOf(served);
        const [target] = targetsOf(served, isTls) as [Target];
        const client = await sipping(target, ANSWER_SIZE);
        try {
          await until(() => client.bytesRead > 0, 'the answer has begun');
          await untilSockets(served, (count) => count === before, 'the server has closed the connection');
          assert.ok(client.bytesRead < ANSWER_SIZE);
        } finally {
          client.destroy();
        }
      },
    );
  });
});

test('a streamed response is not cut while it is read, however long it takes', () =>
  succeedOnce(TRIES, (done) => {
    const short = ['readTimeout', 'writeTimeout', 'idleTimeout'].map(
      (name) => `server.advanced.http.${name}=${500 * 8 ** done}ms`,
    );
    return onServer(short, assertStreamsStay);
  }));

/** Opens streams, and rejects if one of them ends before connections that began later have had their time. */
async function assertStreamsStay(served: Stalled): Promise<void> {
  const before = socketsOf(served);
  const streams = new OpenStreams(served);
  try {
    await untilSockets(served, (count) => count === before + OpenStreams.CONNECTIONS, 'the streams are open');
    for (let round = 0; round < 3; round++) {
      const stalls = STALLS.filter(({ name }) => TAKING_LONGEST.includes(name));
      assert.is(stalls.length, TAKING_LONGEST.length);
      const opened = await Promise.all(
        targetsOf(served, false).flatMap((target) =>
          stalls.filter(({ on }) => on(target)).map(({ open }) => open(target)),
        ),
      );
      await untilSockets(
        served,
        (count) => count <= before + OpenStreams.CONNECTIONS,
        'connections that begin later have had their time',
      );
      for (const client of opened) client.destroy();
    }
    await streams.leave();
  } finally {
    streams.close();
  }
}

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
