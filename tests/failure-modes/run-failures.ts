import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHECK } from '../support/cli/policies.js';
import { stop } from '../support/cli/programs.js';
import { type Load, startLoad } from '../support/workers/load.js';
import {
  compileBundles,
  discard,
  remove,
  replaceFile,
  type Server,
  startProgram,
  workersOf,
} from '../support/workers/server.js';
import { send } from '../support/server/http-client.js';
import { invalidRequest, kindCount, oversize } from './invalid-requests.js';

/** The length and load of a run. */
export interface Scale {
  readonly seconds: number;
  readonly badRequests: number;
}

/** The result of a run. */
export interface Outcome {
  /** For people. */
  readonly figures: { readonly [name: string]: string | number };
  /** Violations of what the server guarantees; empty when the run passed. */
  readonly problems: readonly string[];
}

/**
 * Two servers of two workers under load over REST and gRPC for this many seconds. Workers are killed, valid and invalid
 * bundles are loaded, clients stall, connections stay half open, a JWKS endpoint hangs or resets connections, invalid
 * requests of every kind arrive, and the audit disk of the second server is full. Every response is compared.
 */
export async function runFailureModes({ seconds, badRequests }: Scale): Promise<Outcome> {
  const bundles = compileBundles();
  const jwks = await brokenEndpoint();
  const servers: Server[] = [];
  try {
    const auditFile = join(bundles.folder, 'audit.log');
    const keys = [`auxData.jwt.keySets[0].id=far`, `auxData.jwt.keySets[0].remote.url=${jwks.url}`];
    const audit = (path: string): readonly string[] => [
      'audit.enabled=true',
      'audit.backend=file',
      `audit.file.path=${path}`,
    ];
    const start = async (path: string): Promise<Server> => {
      const server = await startProgram(bundles.folder, bundles.view, ['server.workers=2', ...keys, ...audit(path)]);
      servers.push(server);
      return server;
    };
    const server = await start(auditFile);
    const fullDisk = await start('/dev/full');
    const day: Run = {
      server,
      bundles: [bundles.view, bundles.edit],
      end: Date.now() + seconds * 1000,
      kills: 0,
      swaps: 0,
      badSwaps: 0,
      stalled: 0,
      tokens: {},
    };

    const load = startLoad(server.http, server.grpc);
    const otherLoad = startLoad(fullDisk.http, fullDisk.grpc, 1);
    const memory: number[] = [];
    const [, , statuses] = await Promise.all([
      killWorkers(day),
      swapBundles(day),
      sendInvalidRequests(day, badRequests),
      stallConnections(day),
      callWithUnknownKeys(day),
      measureMemory(day, memory),
    ]);
    await Promise.all([load.stop(), otherLoad.stop()]);
    const acknowledged = await writtenEntries(server.http);
    const ends = await Promise.all([stop(server.running), stop(fullDisk.running)]);
    return outcomeOf({
      day,
      load,
      otherLoad,
      statuses,
      memory,
      codes: ends.map(({ code }) => code),
      entries: entriesOf(auditFile),
      acknowledged,
      keyRequests: jwks.asked(),
      server,
      fullDisk,
    });
  } finally {
    discard(servers);
    jwks.close();
    remove(bundles.folder);
  }
}

interface Run {
  readonly server: Server;
  readonly bundles: readonly [string, string];
  readonly end: number;
  kills: number;
  swaps: number;
  badSwaps: number;
  stalled: number;
  readonly tokens: { [status: string]: number };
}

async function killWorkers(day: Run): Promise<void> {
  while (Date.now() + 6000 < day.end) {
    await sleep(3000);
    const [victim] = workersOf(day.server);
    if (victim === undefined) continue;
    process.kill(victim, 'SIGKILL');
    day.kills++;
    await sleep(9000);
  }
}

async function swapBundles(day: Run): Promise<void> {
  while (Date.now() < day.end) {
    await sleep(1300);
    replaceFile(day.server.bundle, `${day.bundles[day.swaps % 2 === 0 ? 1 : 0]}\n`);
    day.swaps++;
    await sleep(1300);
    replaceFile(day.server.bundle, `not a bundle ${day.badSwaps++} (`);
  }
}

async function sendInvalidRequests(day: Run, count: number): Promise<ReadonlyMap<string, number>> {
  const statuses = new Map<string, number>();
  let next = 0;
  const note = (kind: string, status: number): void => {
    const key = status >= 200 && status < 300 ? `${status} for ${kind}` : String(status);
    statuses.set(key, (statuses.get(key) ?? 0) + 1);
  };
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const bad = index % 500 === 250 ? oversize : invalidRequest(index);
      note(bad.kind, await bad.send(day.server.http));
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return statuses;
}

/**
 * Connections that send nothing, that stop in the middle of their headers or body, and that never read the response.
 */
async function stallConnections(day: Run): Promise<void> {
  const [host, port] = day.server.http.split(':');
  const open: Socket[] = [];
  const says = [
    '',
    'POST /api/check',
    'POST /api/check/resources HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"requ',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ];
  while (Date.now() < day.end) {
    const socket = connect(Number(port), host, () => socket.write(says[day.stalled++ % says.length] as string));
    socket.on('error', () => {});
    socket.pause();
    open.push(socket);
    await sleep(50);
  }
  for (const socket of open) socket.destroy();
}

/** Calls with tokens whose keys never arrive. They are rejected in the end. */
async function callWithUnknownKeys(day: Run): Promise<void> {
  const body = JSON.stringify({
    ...CHECK,
    auxData: { jwt: { token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.c2ln', keySetId: 'far' } },
  });
  while (Date.now() < day.end) {
    const status = await send(day.server.http, 'POST', '/api/check/resources', body).then(
      (answer) => String(answer.status),
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    );
    day.tokens[status] = (day.tokens[status] ?? 0) + 1;
    await sleep(100);
  }
}

/** The resident memory of all processes, in megabytes, once a second. */
async function measureMemory(day: Run, memory: number[]): Promise<void> {
  while (Date.now() < day.end) {
    await sleep(1000);
    const pids = [day.server.running.child.pid ?? 0, ...workersOf(day.server)];
    memory.push(pids.reduce((sum, pid) => sum + residentOf(pid), 0));
  }
}

function residentOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** An endpoint that never answers the first of every two requests, and resets the connection of the second. */
async function brokenEndpoint(): Promise<{
  readonly url: string;
  readonly asked: () => number;
  readonly close: () => void;
}> {
  let asked = 0;
  const server = createServer(({ socket }) => {
    if (++asked % 2 === 0) socket.resetAndDestroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/keys`, asked: () => asked, close };
}

interface Entries {
  readonly lines: number;
  readonly broken: number;
}

/** The number of entries that the server reports as written, over all workers. */
async function writtenEntries(http: string): Promise<number> {
  const { text } = await send(http, 'GET', '/_authz/metrics');
  return [...text.matchAll(/^authz_audit_entries_total\{[^}]*result="written"\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

function entriesOf(file: string): Entries {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  let broken = 0;
  for (const line of lines) {
    try {
      JSON.parse(line);
    } catch {
      broken++;
    }
  }
  return { lines: lines.length, broken };
}

interface Observations {
  readonly day: Run;
  readonly load: Load;
  readonly otherLoad: Load;
  readonly statuses: ReadonlyMap<string, number>;
  readonly memory: readonly number[];
  readonly codes: readonly (number | null)[];
  readonly entries: Entries;
  /** From the metrics of all workers, before the end. */
  readonly acknowledged: number;
  /** Requests to the JWKS endpoint. */
  readonly keyRequests: number;
  readonly server: Server;
  readonly fullDisk: Server;
}

function outcomeOf({
  day,
  load,
  otherLoad,
  statuses,
  memory,
  codes,
  entries,
  acknowledged,
  keyRequests: keysAsked,
  server,
  fullDisk,
}: Observations): Outcome {
  const answered = load.answers.view + load.answers.edit;
  const [, second = 0, , last = 0] = quarters(memory);
  // Two entries per call. A call that a killed worker had answered may lose its own: they were queued in the worker,
  // not acknowledged.
  const due = answered * 2;
  const lostWithWorkers = Math.max(0, due - entries.lines);
  const deaths = server.log().filter(({ message }) => message === 'a worker exited and is being replaced').length;
  const sent = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const accepted = [...statuses.keys()].filter((key) => key.includes(' for '));
  const problems = [
    ...load.wrong.map((answer) => `wrong answer: ${answer}`),
    ...otherLoad.wrong.map((answer) => `wrong answer with a full disk: ${answer}`),
    ...(otherLoad.failed.length > 0 ? [`calls failed with a full disk: ${otherLoad.failed[0]}`] : []),
    ...(otherLoad.answers.edit > 0 ? ['the second server was never given other policies'] : []),
    ...accepted.map((key) => `a bad request was taken for a good one: ${key}`),
    ...(deaths !== day.kills ? [`${deaths} workers died, ${day.kills} were killed`] : []),
    ...(load.failed.length > day.kills * FAILED_PER_KILL
      ? [`${load.failed.length} calls failed, ${load.failed[0]}`]
      : []),
    ...(codes.some((code) => code !== 0) ? [`ended with ${codes.join(', ')}`] : []),
    ...(entries.broken > 0 ? [`${entries.broken} audit lines are no JSON`] : []),
    ...(lostWithWorkers > day.kills * LOST_PER_KILL ? [`${lostWithWorkers} audit entries are missing`] : []),
    ...(acknowledged === 0 || acknowledged > entries.lines
      ? [`${acknowledged} entries acknowledged as written, ${entries.lines} found`]
      : []),
    ...(last > second * 1.2 + 40 ? [`memory grew from ${second} to ${last} MB`] : []),
    ...(day.tokens['200'] !== undefined ? ['a token without keys was accepted'] : []),
  ];
  const figures = {
    'answers compared': answered + otherLoad.answers.view,
    'of the first policies, of the second': `${load.answers.view}, ${load.answers.edit}`,
    'wrong answers': load.wrong.length + otherLoad.wrong.length,
    'workers killed, died': `${day.kills}, ${deaths}`,
    'calls cut off by a killed worker': load.failed.length,
    'bundles swapped, bad ones offered': `${day.swaps}, ${day.badSwaps}`,
    'bad requests, kinds': `${sent}, ${kindCount() + 1}`,
    'their statuses (0: closed)': [...statuses]
      .sort()
      .map(([key, count]) => `${key}: ${count}`)
      .join(', '),
    'stalled and half-open connections': day.stalled,
    'requests for keys, half of them never answered, half reset': keysAsked,
    'tokens whose keys do not come': Object.entries(day.tokens)
      .map(([key, count]) => `${key}: ${count}`)
      .join(', '),
    'audit entries due, written': `${due} and those of refused calls, ${entries.lines}`,
    'audit entries acknowledged as written (metrics), found': `${acknowledged}, ${entries.lines}`,
    'answers while the audit disk was full': otherLoad.answers.view,
    'lines about the full disk': fullDisk.log().filter((line) => line['log.logger'] === 'authz.audit').length,
    'memory of three processes, median of each quarter (MB)': quarters(memory).join(', '),
    'exit codes': codes.join(', '),
  };
  return { figures, problems };
}

/** The median of each quarter of the measurements. */
function quarters(values: readonly number[]): readonly number[] {
  return [0, 1, 2, 3].map((quarter) => {
    const part = values
      .slice(Math.floor((values.length * quarter) / 4), Math.floor((values.length * (quarter + 1)) / 4))
      .sort((a, b) => a - b);
    return Math.round(part[Math.floor(part.length / 2)] ?? 0);
  });
}

/**
 * Calls in progress in a worker when it is killed: at most one per client of the load, and one per connection that was
 * being passed to it.
 */
const FAILED_PER_KILL = 24;
/** Entries that a worker had not passed on: those of one turn of its event loop, and of the message in progress. */
const LOST_PER_KILL = 400;
