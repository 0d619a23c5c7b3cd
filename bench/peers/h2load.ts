import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { SHARED_WORKLOAD } from '../harness/paths.js';
import { figure, percent, ratio, table } from '../harness/report.js';
import { statisticsOf } from '../harness/rounds.js';
import { cpuOf } from './process-usage.js';
import type { PeerServer } from './servers.js';

/** A REST request that is sent many times. */
interface Workload {
  readonly name: string;
  readonly file: string;
  /** The requests of a warm-up, which shows how many fit into a turn. */
  readonly requests: number;
  /** The target: at most this fraction of the reference's CPU. */
  readonly aim: number;
}

const WORKLOADS: readonly Workload[] = [
  { name: 'one resource, 4 actions', file: 'single', requests: 3000, aim: 0.085 },
  { name: '50 resources, 4 actions each', file: 'batch50', requests: 300, aim: 0.03 },
];
const CONCURRENCIES = [16, 64];
const ROUNDS = 5;
/** The length of a turn in milliseconds, for both servers: a turn of the faster one is not to be that of cold caches. */
const TURN = 500;

/**
 * The CPU per REST request under the load of h2load (nghttp2), which sends heads and bodies of HTTP/1.1 requests apart.
 * Undefined if it is not installed.
 */
export function measureByH2load(ours: PeerServer, reference: PeerServer): string | undefined {
  if (spawnSync('h2load', ['--version']).error !== undefined) return undefined;
  const rows = WORKLOADS.flatMap((workload) => {
    const contestants = [ours, reference].map((server) => ({ server, requests: fitInTurn(server, workload) }));
    return CONCURRENCIES.map((concurrency) => measured(workload, concurrency, contestants as [Contestant, Contestant]));
  });
  return table(['measured by h2load', 'CPU ratio', 'target', 'authz us', 'reference us', 'spread'], rows);
}

interface Contestant {
  readonly server: PeerServer;
  /** Requests per turn. */
  readonly requests: number;
}

/** The number of requests that a server answers in a turn. */
function fitInTurn(server: PeerServer, { file, requests }: Workload): number {
  takeTurn({ server, requests }, file, 16);
  const start = performance.now();
  takeTurn({ server, requests }, file, 16);
  return Math.ceil((requests * TURN) / (performance.now() - start));
}

function measured(
  workload: Workload,
  concurrency: number,
  [ours, reference]: readonly [Contestant, Contestant],
): readonly string[] {
  const turns = Array.from({ length: ROUNDS }, () => [
    takeTurn(ours, workload.file, concurrency),
    takeTurn(reference, workload.file, concurrency),
  ]) as readonly (readonly [number, number])[];
  const ratios = statisticsOf(turns.map(([own, others]) => own / others));
  return [
    `REST, ${workload.name}, ${concurrency} at once`,
    ratio(ratios.median),
    `${workload.aim}x`,
    figure(statisticsOf(turns.map(([own]) => own)).median),
    figure(statisticsOf(turns.map(([, others]) => others)).median),
    percent(ratios.spread),
  ];
}

/** Microseconds of CPU per request. Throws if a request fails. */
function takeTurn({ server, requests }: Contestant, file: string, concurrency: number): number {
  const flags = ['--h1', '-t', '1', '-n', String(requests), '-c', String(concurrency)];
  const body = ['-d', join(SHARED_WORKLOAD, `${file}.request.json`), '-H', 'content-type: application/json'];
  const url = `http://${server.httpAddress}/api/check/resources`;
  const before = cpuOf(server.pids);
  const { stdout } = spawnSync('h2load', [...flags, ...body, url], { encoding: 'utf8' });
  const used = cpuOf(server.pids) - before;
  if (!stdout.includes(`${requests} succeeded`) || !stdout.includes(`${requests} 2xx`)) throw new Error(stdout);
  return used / requests;
}
