import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import type { NetConnectOpts, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, credentials } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeCertificate } from '../support/certificate.js';
import { until } from '../workers/server.js';
import { FLOODS, type Stall, STALLS, type Target, watching } from './stalling-clients.js';

const test = suite('connections that stall over HTTP/2 and TLS');
/** Long enough for good clients of a machine that is busy: they live in the process of the bad ones. */
const TIMEOUTS = ['http.readHeaderTimeout=2s', 'http.readTimeout=2s', 'http.writeTimeout=2s', 'http.idleTimeout=3s', 'grpc.connectionTimeout=2s'].map((set) => `server.advanced.${set}`);
/** Of each kind; all kinds together are a thousand connections. */
const CLIENTS = 11;

const folder = mkdtempSync(join(tmpdir(), 'authz-stalls-'));
const certificate = makeCertificate('server');
writeFileSync(join(folder, 'cert.pem'), certificate.cert);
writeFileSync(join(folder, 'key.pem'), certificate.key);
const TLS = [`server.tls.cert=${join(folder, 'cert.pem')}`, `server.tls.key=${join(folder, 'key.pem')}`];
test.after(() => rmSync(folder, { recursive: true, force: true }));

interface Served {
  readonly child: ChildProcess;
  readonly http: string;
  readonly grpc: string;
}

async function serve(sets: readonly string[]): Promise<Served> {
  const child = fork(fileURLToPath(new URL('served-child.ts', import.meta.url)), [...sets], { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [message] = await once(child, 'message');
  const { httpAddress, grpcAddress } = message as { readonly httpAddress: string; readonly grpcAddress: string };
  return { child, http: httpAddress, grpc: grpcAddress };
}

/** How many sockets of its two addresses a server has open, those that listen among them. */
function socketsOf({ child, http, grpc }: Served): number {
  const addresses = [http, grpc];
  const ports = addresses.map((address) => Number(address.split(':')[1])).filter((port) => port > 0);
  const paths = addresses.filter((address) => address.startsWith('unix:')).map((address) => address.slice('unix:'.length));
  const known = new Set([
    ...table('tcp').flatMap((fields) => (ports.includes(Number.parseInt(fields[1]?.split(':')[1] ?? '', 16)) ? [fields[9]] : [])),
    ...table('unix').flatMap((fields) => (paths.includes(fields[7] ?? '') ? [fields[6]] : [])),
  ]);
  const fds = `/proc/${child.pid}/fd`;
  return readdirSync(fds).filter((fd) => {
    try {
      return known.has(/^socket:\[(\d+)\]$/.exec(readlinkSync(join(fds, fd)))?.[1]);
    } catch {
      // It was closed meanwhile.
      return false;
    }
  }).length;
}

function table(name: 'tcp' | 'unix'): readonly (readonly string[])[] {
  return readFileSync(`/proc/net/${name}`, 'utf8').split('\n').slice(1).map((line) => line.trim().split(/\s+/));
}

function optionsOf(address: string): NetConnectOpts {
  if (address.startsWith('unix:')) return { path: address.slice('unix:'.length) };
  const [host = '', port] = address.split(':');
  return { host, port: Number(port) };
}

function targetsOf({ http, grpc }: Served, isTls: boolean): readonly Target[] {
  return [{ port: 'http', isTls, address: optionsOf(http) }, { port: 'grpc', isTls, address: optionsOf(grpc) }];
}

/** Clients that behave, and say little: they are there from the first to the last. */
class GoodClients {
  readonly #rest: ClientHttp2Session;
  readonly #grpc: Client;
  readonly #watcher: Client;
  readonly #reflector: Client;
  readonly #problems: string[] = [];
  #answers = 0;
  #reflections = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #reflection;
  readonly #watch;

  constructor({ http, grpc }: Served, isTls: boolean) {
    const security = isTls ? credentials.createSsl(Buffer.from(certificate.cert)) : credentials.createInsecure();
    const options = { 'grpc.ssl_target_name_override': 'localhost' };
    this.#rest = connectHttp2(`${isTls ? 'https' : 'http'}://${http}`, { ca: certificate.cert });
    this.#grpc = new Client(grpc, security, options);
    this.#watcher = new Client(grpc, security, { ...options, 'grpc.use_local_subchannel_pool': 1 });
    this.#reflector = new Client(grpc, security, { ...options, 'grpc.use_local_subchannel_pool': 1 });
    for (const event of ['close', 'goaway', 'error'] as const) this.#rest.on(event, () => this.#problems.push(`the session of HTTP/2 had: ${event}`));
    const same = (bytes: Buffer): Buffer => bytes;
    this.#watch = this.#watcher.makeServerStreamRequest('/grpc.health.v1.Health/Watch', same, same, Buffer.alloc(0));
    this.#watch.on('data', () => {});
    this.#watch.on('error', (error) => this.#problems.push(`watching health: ${error.message}`));
    this.#reflection = this.#reflector.makeBidiStreamRequest('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', same, same);
    this.#reflection.on('data', () => {
      this.#reflections += 1;
    });
    this.#reflection.on('error', (error) => this.#problems.push(`reflection: ${error.message}`));
    this.#reflection.write(LIST_SERVICES);
    this.#timer = setInterval(() => this.#ask(), 200);
  }

  #ask(): void {
    if (this.#rest.destroyed || this.#rest.closed) return;
    const stream = this.#rest.request({ ':path': '/_authz/health' });
    stream.on('response', ({ ':status': status }) => (status === 200 ? this.#answers++ : this.#problems.push(`status ${status}`)));
    stream.on('error', (error) => this.#problems.push(`REST: ${error.message}`));
    stream.resume();
    const same = (bytes: Buffer): Buffer => bytes;
    this.#grpc.makeUnaryRequest('/grpc.health.v1.Health/Check', same, same, Buffer.alloc(0), (error) => (error === null ? this.#answers++ : this.#problems.push(`gRPC: ${error.message}`)));
  }

  async leave(): Promise<void> {
    this.#reflection.write(LIST_SERVICES);
    await until(() => (this.#reflections === 2 && this.#answers > 10) || this.#problems.length > 0, 'the last answers');
    this.close();
    assert.equal(this.#problems, []);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#rest.removeAllListeners();
    this.#rest.on('error', () => {});
    this.#rest.destroy();
    for (const call of [this.#watch, this.#reflection]) call.on('error', () => {}).cancel();
    for (const client of [this.#grpc, this.#watcher, this.#reflector]) client.close();
  }
}

/** ServerReflectionRequest.list_services. */
const LIST_SERVICES = Buffer.from([0x3a, 0]);
/** The connections of the good clients. */
const GOOD = 4;

/** Opens all kinds; rejects when the server keeps a connection. */
async function judge(served: Served, isTls: boolean, stalls: readonly Stall[], count: number): Promise<number> {
  const before = socketsOf(served);
  const good = new GoodClients(served, isTls);
  await until(() => socketsOf(served) === before + GOOD, 'the good clients are connected');
  const clients: { readonly name: string; readonly socket: Socket }[] = [];
  for (const target of targetsOf(served, isTls)) {
    for (const stall of stalls.filter(({ on }) => on(target))) {
      const opened = await Promise.all(Array.from({ length: count }, () => stall.open(target)));
      clients.push(...opened.map((socket) => ({ name: `${stall.name}, port ${target.port}`, socket })));
    }
  }
  try {
    await until(() => socketsOf(served) <= before + GOOD, 'the server has closed all connections that stall').catch((error: Error) => {
      const open = clients.filter(({ socket }) => !socket.readableEnded && !socket.destroyed).map(({ name }) => name);
      throw new Error(`${error.message}: ${socketsOf(served) - before - GOOD} are left, perhaps ${[...new Set(open)].join('; ')}`);
    });
    await good.leave();
    await until(() => socketsOf(served) === before, 'nothing is left of the good clients');
  } finally {
    good.close();
    for (const { socket } of clients) socket.destroy();
  }
  return clients.length;
}

async function onServer(sets: readonly string[], judged: (served: Served) => Promise<void>): Promise<void> {
  const served = await serve([...TIMEOUTS, ...sets]);
  try {
    await judged(served);
  } finally {
    served.child.kill('SIGKILL');
  }
}

test('a thousand clients that stall leave no socket behind, and do a good one no harm', async () => {
  let count = 0;
  for (const isTls of [false, true]) {
    await onServer(isTls ? TLS : [], async (served) => {
      count += await judge(served, isTls, STALLS, CLIENTS);
    });
  }
  assert.ok(count >= 1000, `${count} clients`);
});

test('clients that flood the server do a good one no harm', async () => {
  const patient = ['server.advanced.http.readHeaderTimeout=10s', 'server.advanced.http.idleTimeout=8s'];
  for (const isTls of [false, true]) await onServer([...patient, ...(isTls ? TLS : [])], async (served) => void (await judge(served, isTls, FLOODS, 1)));
});

test('over unix sockets, too', async () => {
  const sets = ['http', 'grpc'].map((port) => `server.${port}ListenAddr=unix:${join(folder, port)}.sock`);
  await onServer(sets, async (served) => {
    const before = socketsOf(served);
    const clients: Socket[] = [];
    for (const target of targetsOf(served, false)) {
      for (const stall of STALLS.filter(({ on }) => on(target))) clients.push(await stall.open(target));
    }
    await until(() => socketsOf(served) <= before, 'the server has closed all connections that stall');
    for (const client of clients) client.destroy();
  });
});

test('a connection whose age is over ends some time after it was told so, whatever goes on', async () => {
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

test('what is a stream is not cut while it is read, however long it takes', async () => {
  await onServer([], async (served) => {
    const good = new GoodClients(served, false);
    // Three times as long as a request, an answer and an idle connection may take.
    await new Promise((resolve) => setTimeout(resolve, 9000));
    await good.leave();
  });
});

const GOAWAY = 7;

/** The types of the frames that come until the server ends the connection. */
function framesUntilEnd(socket: Socket): Promise<readonly number[]> {
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
    });
    socket.once('end', () => {
      const types: number[] = [];
      for (let at = 0; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3)) types.push(received[at + 3] as number);
      resolve(types);
    });
  });
}

test.run();
