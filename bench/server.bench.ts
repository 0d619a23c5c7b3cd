import { deepStrictEqual } from 'node:assert';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../compiler/bundle/index.js';
import { compileFolder } from '../cli/policies/compile.js';
import { grpcSender, httpSender, type Send, sendMany } from './harness/load.js';
import { ROOT, SHARED_WORKLOAD } from './harness/paths.js';
import { figure, percent, ratio, type Section, table } from './harness/report.js';
import { type Measurement, statisticsOf } from './harness/rounds.js';
import { type ServerChild, startServerChild } from './harness/server-child.js';

export const SERVER_TITLE = 'Serving';

/**
 * Microseconds of CPU that a request costs the server over REST and gRPC, compared with a minimal server that parses
 * the same JSON and returns a constant.
 */
export async function serverBench(): Promise<Section> {
  if (!existsSync(SHARED_WORKLOAD)) {
    return { title: SERVER_TITLE, text: 'Not measured: the workload (`../shared/bench`) is absent.', failures: [] };
  }
  const directory = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  try {
    const path = await workloadBundle(directory);
    const measured: Measured[] = [];
    for (const workload of WORKLOADS) measured.push(...(await measureWorkload(workload, path)));
    return { title: SERVER_TITLE, text: textOf(measured), failures: [] };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface Workload {
  readonly name: string;
  readonly file: string;
  /** Requests per turn. */
  readonly requests: number;
}

const WORKLOADS: readonly Workload[] = [
  { name: 'one resource, 4 actions', file: 'single', requests: 400 },
  { name: '50 resources, 4 actions each', file: 'batch50', requests: 80 },
];
const CONCURRENCIES = [1, 16, 64];
const ROUNDS = 9;

interface Measured extends Measurement {
  readonly workload: string;
  readonly concurrency: number;
}

interface Contestant {
  readonly name: string;
  readonly server: ServerChild;
  readonly send: Send;
  readonly body: Buffer;
  readonly close: () => void;
}

async function workloadBundle(directory: string): Promise<string> {
  const { files, diagnostics } = await compileFolder(join(SHARED_WORKLOAD, 'policies_17'));
  if (files.length === 0) throw new Error(diagnostics[0]?.message);
  const path = join(directory, 'policies.mjs');
  writeFileSync(path, (await bundle(files, join(ROOT, 'runtime'))).js);
  return path;
}

async function measureWorkload(
  { name: workload, file, requests }: Workload,
  bundlePath: string,
): Promise<readonly Measured[]> {
  const json = readFileSync(join(SHARED_WORKLOAD, `${file}.request.json`));
  const answer = join(SHARED_WORKLOAD, `${file}.response.json`);
  const bare = await startServerChild('bare', answer);
  const ours = await startServerChild('ours', bundlePath);
  const audited = await startServerChild('after_reply', bundlePath);
  const delivered = await startServerChild('before_reply', bundlePath);
  const contestants: readonly Contestant[] = [
    { name: BARE, server: bare, body: json, ...httpSender(bare.httpAddress) },
    { name: 'REST', server: ours, body: json, ...httpSender(ours.httpAddress) },
    {
      name: 'gRPC',
      server: ours,
      body: readFileSync(join(SHARED_WORKLOAD, `${file}.request.pb`)),
      ...grpcSender(ours.grpcAddress),
    },
    { name: 'REST, audit log', server: audited, body: json, ...httpSender(audited.httpAddress) },
    { name: 'REST, audit log before the reply', server: delivered, body: json, ...httpSender(delivered.httpAddress) },
  ];
  try {
    await compareAnswer(contestants[1] as Contestant, answer);
    return await measureRounds(contestants, workload, requests);
  } finally {
    for (const { close } of contestants) close();
    for (const server of [bare, ours, audited, delivered]) server.stop();
  }
}

const BARE = 'bare node:http';

async function compareAnswer({ send, body }: Contestant, answer: string): Promise<void> {
  const resultsOf = (text: string): unknown => (JSON.parse(text) as { readonly results: unknown }).results;
  deepStrictEqual(resultsOf((await send(body)).toString('utf8')), resultsOf(readFileSync(answer, 'utf8')));
}

async function measureRounds(
  contestants: readonly Contestant[],
  workload: string,
  requests: number,
): Promise<readonly Measured[]> {
  for (const { send, body } of contestants) await sendMany(send, body, requests * 5, 16);
  const cells = CONCURRENCIES.flatMap((concurrency) =>
    contestants.map((contestant) => ({ contestant, concurrency, samples: [] as number[] })),
  );
  for (let round = 0; round < ROUNDS; round++) {
    for (const { contestant, concurrency, samples } of cells) {
      const before = await contestant.server.cpu();
      await sendMany(contestant.send, contestant.body, requests, concurrency);
      samples.push(((await contestant.server.cpu()) - before) / requests);
    }
  }
  return cells.map(({ contestant, concurrency, samples }) => ({
    workload,
    concurrency,
    name: contestant.name,
    ...statisticsOf(samples),
  }));
}

function textOf(measured: readonly Measured[]): string {
  const tables = WORKLOADS.map(({ name }) => {
    const own = measured.filter(({ workload }) => workload === name);
    const rows = own.map((one) => {
      const bare = own.find((other) => other.name === BARE && other.concurrency === one.concurrency);
      const label = `${one.name}, ${one.concurrency} at once`;
      return [
        label,
        ratio(one.median / (bare?.median ?? Number.NaN)),
        figure(one.minimum),
        figure(one.median),
        percent(one.spread),
      ];
    });
    return `### ${name}\n\n${table(['', 'ratio', 'minimum us', 'median us', 'spread'], rows)}`;
  });
  const head =
    'Microseconds of CPU per request, as measured by the server process, with the load-test policies (102 resource policies). ' +
    'The bare server parses the same JSON and returns a constant. The audit log is a file, with `audit.delivery: after_reply` or `before_reply`.';
  return [head, ...tables].join('\n\n');
}
