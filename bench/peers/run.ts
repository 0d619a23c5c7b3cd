import { deepStrictEqual } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grpcSender, httpSender, type Send } from '../harness/load.js';
import { ROOT, SHARED_WORKLOAD } from '../harness/paths.js';
import { figure, megabytes, ratio, table, writeResults } from '../harness/report.js';
import { statisticsOf } from '../harness/rounds.js';
import { PEERS_TITLE, RESULT_ORDER } from '../titles.js';
import { measureByH2load } from './h2load.js';
import { writeForReference, writePolicySet } from './policy-sets.js';
import { cpuOf, residentOf } from './process-usage.js';
import { type PeerServer, startOurs, startReference } from './servers.js';

/*
 * `node --import tsx bench/peers/run.ts [POLICIES...]`: measures this server and the reference PDP in turn, with the
 * same requests. POLICIES defaults to 12, 102, 1,002 and 10,002. Needs `npm ci` in this folder, `npm run build`, and
 * the workload in ../shared/bench. With h2load (Debian: nghttp2-client), REST is measured by that client as well.
 * Rewrites its section of bench/results.md.
 */

interface Workload {
  readonly name: string;
  readonly file: string;
  readonly protocol: 'REST' | 'gRPC';
  /** The target: at most this fraction of the reference's CPU. */
  readonly aim: number;
}

const WORKLOADS: readonly Workload[] = [
  { name: 'one resource, 4 actions', file: 'single', protocol: 'REST', aim: 0.12 },
  { name: '50 resources, 4 actions each', file: 'batch50', protocol: 'REST', aim: 0.035 },
  { name: 'one resource, 4 actions', file: 'single', protocol: 'gRPC', aim: 0.32 },
  { name: '50 resources, 4 actions each', file: 'batch50', protocol: 'gRPC', aim: 0.045 },
];
const CONCURRENCIES = [1, 16, 64];
const ROUNDS = 7;
/**
 * The length of a turn in milliseconds: long compared with the time that caches need to warm up again after the other's
 * turn.
 */
const TURN = 500;
/** The warm-up before the first turn, in milliseconds: until then V8 is still optimising the server. */
const WARM_UP = 4000;

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [12, 102, 1_002, 10_002];
const sections: string[] = [];
for (const size of sizes) sections.push(await measureSize(size));
writeResults([{ title: PEERS_TITLE, text: [head(), ...sections].join('\n\n'), failures: [] }], RESULT_ORDER);

function head(): string {
  return (
    'One authz server process, started like its image, compared with Cerbos (0.55.0); both with their default settings, Cerbos without ' +
    'telemetry. The load-test policies are copied until there are enough; both servers get the same requests, in turns. CPU is measured by the ' +
    'scheduler; a ratio is that of authz to Cerbos, the median of all rounds.'
  );
}

async function measureSize(policies: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-peers-'));
  const running: PeerServer[] = [];
  try {
    const source = join(folder, 'policies');
    const { resourcePolicies } = writePolicySet(source, policies);
    const bundle = join(folder, 'policies.mjs');
    execFileSync(
      process.execPath,
      [
        '--max-old-space-size=8192',
        join(ROOT, 'dist', 'authzc.js'),
        'compile',
        source,
        '--out',
        join(folder, 'generated'),
        '--bundle',
        bundle,
      ],
      { stdio: 'ignore' },
    );
    writeForReference(source, join(folder, 'reference'));
    const ours = await startOurs(bundle);
    running.push(ours);
    const reference = await startReference(join(folder, 'reference'), folder);
    running.push(reference);
    const rows: (readonly string[])[] = [];
    for (const workload of WORKLOADS) rows.push(...(await measureWorkload(workload, ours, reference)));
    const byH2load = measureByH2load(ours, reference);
    const text = [
      `### ${resourcePolicies.toLocaleString('en-US')} resource policies`,
      table(
        [
          'measured',
          'CPU ratio',
          'target',
          'authz us',
          'reference us',
          'p50 ratio',
          'authz p50 us',
          'authz p99 us',
          'reference p99 us',
          'authz/s',
          'reference/s',
        ],
        rows,
      ),
      ...(byH2load === undefined ? [] : [byH2load]),
      `Memory after the load test: authz ${megabytes(residentOf(ours.pids))}, Cerbos ${megabytes(residentOf(reference.pids))}. ` +
        `Ready after ${figure(ours.readyAfter)} ms and ${figure(reference.readyAfter)} ms.`,
    ].join('\n\n');
    console.log(`${text}\n`);
    return text;
  } finally {
    for (const server of running) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Contestant {
  readonly server: PeerServer;
  readonly send: Send;
  readonly close: () => void;
}

async function measureWorkload(
  workload: Workload,
  ours: PeerServer,
  reference: PeerServer,
): Promise<readonly (readonly string[])[]> {
  const isRest = workload.protocol === 'REST';
  const body = readFileSync(join(SHARED_WORKLOAD, `${workload.file}.request.${isRest ? 'json' : 'pb'}`));
  const contestants = [ours, reference].map((server): Contestant => {
    return { server, ...(isRest ? httpSender(server.httpAddress) : grpcSender(server.grpcAddress, server.grpcMethod)) };
  });
  try {
    if (isRest) for (const { send } of contestants) await compareAnswer(send, body, workload.file);
    for (const { send } of contestants) await latenciesOf(send, body, WARM_UP, 16);
    const rows: (readonly string[])[] = [];
    for (const concurrency of CONCURRENCIES)
      rows.push(await measureConcurrency(workload, concurrency, contestants, body));
    return rows;
  } finally {
    for (const { close } of contestants) close();
  }
}

async function compareAnswer(send: Send, body: Buffer, file: string): Promise<void> {
  const resultsOf = (text: string): unknown => (JSON.parse(text) as { readonly results: unknown }).results;
  const answer = join(SHARED_WORKLOAD, `${file}.response.json`);
  deepStrictEqual(resultsOf((await send(body)).toString('utf8')), resultsOf(readFileSync(answer, 'utf8')));
}

interface Turn {
  /** Microseconds per request. */
  readonly cpu: number;
  readonly wall: number;
  readonly latencies: readonly number[];
}

async function measureConcurrency(
  workload: Workload,
  concurrency: number,
  contestants: readonly Contestant[],
  body: Buffer,
): Promise<readonly string[]> {
  const turns: (readonly Turn[])[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const turn: Turn[] = [];
    for (const contestant of contestants) turn.push(await takeTurn(contestant, body, concurrency));
    turns.push(turn);
  }
  const median = (of: (turn: readonly Turn[]) => number): number => statisticsOf(turns.map(of)).median;
  const part = (which: number, share: number): number =>
    median((turn) => percentile((turn[which] as Turn).latencies, share));
  const cpu = (which: number): number => median((turn) => (turn[which] as Turn).cpu);
  const rate = (which: number): string => figure(1e6 / median((turn) => (turn[which] as Turn).wall));
  const cpuRatio = median((turn) => (turn[0] as Turn).cpu / (turn[1] as Turn).cpu);
  const latencyRatio = median(
    (turn) => percentile((turn[0] as Turn).latencies, 0.5) / percentile((turn[1] as Turn).latencies, 0.5),
  );
  const name = `${workload.protocol}, ${workload.name}, ${concurrency} at once`;
  const marks = [ratio(cpuRatio), `${workload.aim}x`, figure(cpu(0)), figure(cpu(1)), ratio(latencyRatio)];
  return [name, ...marks, figure(part(0, 0.5)), figure(part(0, 0.99)), figure(part(1, 0.99)), rate(0), rate(1)];
}

async function takeTurn({ server, send }: Contestant, body: Buffer, concurrency: number): Promise<Turn> {
  const before = cpuOf(server.pids);
  const start = performance.now();
  const latencies = await latenciesOf(send, body, TURN, concurrency);
  const wall = ((performance.now() - start) * 1000) / latencies.length;
  return { cpu: (cpuOf(server.pids) - before) / latencies.length, wall, latencies };
}

/** Microseconds that each request took, sorted: as many requests as fit in `time` milliseconds. */
async function latenciesOf(send: Send, body: Buffer, time: number, concurrency: number): Promise<readonly number[]> {
  const latencies: number[] = [];
  const begin = performance.now();
  const sendOn = async (): Promise<void> => {
    for (let start = performance.now(); start - begin < time; start = performance.now()) {
      await send(body);
      latencies.push((performance.now() - start) * 1000);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendOn));
  return latencies.sort((a, b) => a - b);
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
}
