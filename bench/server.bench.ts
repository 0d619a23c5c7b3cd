import { deepStrictEqual } from 'node:assert';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../compiler/bundle/index.js';
import { compileFolder } from '../packages/cli/policies/compile.js';
import { grpcSender, httpSender, latenciesOf, type Send, sendMany } from './harness/load.js';
import { ROOT, SHARED_WORKLOAD } from './harness/paths.js';
import { aim, figure, percent, ratio, type Section, table } from './harness/report.js';
import { type Measurement, statisticsOf } from './harness/rounds.js';
import { type ServerChild, startServerChild } from './harness/server-child.js';
import { startBroker } from '../tests/audit/kafka-broker.js';

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
    const path = await workloadBundle(directory, 'policies');
    const factsPath = await workloadBundle(directory, 'facts');
    const measured: Measured[] = [];
    for (const workload of WORKLOADS) measured.push(...(await measureWorkload(workload, path, factsPath)));
    const latencies = await measureLatencies(path);
    return { title: SERVER_TITLE, text: `${textOf(measured)}\n\n${textOfLatencies(latencies)}`, failures: [] };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface Workload {
  readonly name: string;
  readonly file: string;
  /** Requests per turn. */
  readonly requests: number;
  /** The target for REST, relative to the bare server. */
  readonly limit: number;
  /** The target for REST with an audit log, relative to REST. */
  readonly auditLimit: number;
  /** The same for entries that keep what decisions read; undefined without a target. */
  readonly readSetLimit?: number;
}

const WORKLOADS: readonly Workload[] = [
  { name: 'one resource, 4 actions', file: 'single', requests: 1200, limit: 1.9, auditLimit: 1.6 },
  { name: '50 resources, 4 actions each', file: 'batch50', requests: 240, limit: 2, auditLimit: 2.5, readSetLimit: 2 },
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

/** Compiles the policies of the workload; `facts` also names what decisions read. */
async function workloadBundle(directory: string, name: 'policies' | 'facts'): Promise<string> {
  const { files, diagnostics } = compileFolder(join(SHARED_WORKLOAD, 'policies_17'), { facts: name === 'facts' });
  if (files.length === 0) throw new Error(diagnostics[0]?.message);
  const path = join(directory, `${name}.mjs`);
  writeFileSync(path, (await bundle(files, join(ROOT, 'runtime'))).js);
  return path;
}

async function measureWorkload(
  { name: workload, file, requests }: Workload,
  bundlePath: string,
  factsPath: string,
): Promise<readonly Measured[]> {
  const json = readFileSync(join(SHARED_WORKLOAD, `${file}.request.json`));
  const answer = join(SHARED_WORKLOAD, `${file}.response.json`);
  const bare = await startServerChild('bare', answer);
  const ours = await startServerChild('ours', bundlePath);
  const observed = await startServerChild('observed', bundlePath);
  const shadow = await startServerChild('shadow', bundlePath);
  const audited = await startServerChild('audit file', bundlePath);
  const readSet = await startServerChild('audit file read-set', factsPath);
  const delivered = await startServerChild('audit file before reply', bundlePath);
  const database = await startServerChild('audit database', bundlePath);
  const broker = await startBroker({ topic: 'audit', keeps: false });
  const kafka = await startServerChild('audit kafka', bundlePath, broker.address);
  const chained = await startServerChild('audit file chained', bundlePath);
  const contestants: readonly Contestant[] = [
    { name: BARE, server: bare, body: json, ...httpSender(bare.httpAddress) },
    { name: REST, server: ours, body: json, ...httpSender(ours.httpAddress) },
    {
      name: 'gRPC',
      server: ours,
      body: readFileSync(join(SHARED_WORKLOAD, `${file}.request.pb`)),
      ...grpcSender(ours.grpcAddress),
    },
    { name: 'REST with log and metrics', server: observed, body: json, ...httpSender(observed.httpAddress) },
    { name: 'the same, every call shadowed', server: shadow, body: json, ...httpSender(shadow.httpAddress) },
    { name: AUDIT_FILE, server: audited, body: json, ...httpSender(audited.httpAddress) },
    { name: READ_SET, server: readSet, body: json, ...httpSender(readSet.httpAddress) },
    { name: 'REST, audit file before the reply', server: delivered, body: json, ...httpSender(delivered.httpAddress) },
    { name: 'REST, audit file with a chain', server: chained, body: json, ...httpSender(chained.httpAddress) },
    { name: AUDIT_DATABASE, server: database, body: json, ...httpSender(database.httpAddress) },
    { name: AUDIT_KAFKA, server: kafka, body: json, ...httpSender(kafka.httpAddress) },
  ];
  try {
    await compareAnswer(contestants[1] as Contestant, answer);
    const measured = await measureRounds(contestants, workload, requests);
    if (broker.requests.length === 0) throw new Error('the broker received nothing');
    return measured;
  } finally {
    for (const { close } of contestants) close();
    for (const server of [bare, ours, observed, shadow, audited, readSet, delivered, chained, database, kafka])
      server.stop();
    await broker.close();
  }
}

const BARE = 'bare node:http';
const REST = 'REST';
const AUDIT_FILE = 'REST, audit file';
const READ_SET = 'REST, audit file with read sets';
const AUDIT_DATABASE = 'REST, audit database';
const AUDIT_KAFKA = 'REST, audit Kafka';
/** Those with a target. */
const AUDITED = [AUDIT_FILE, AUDIT_DATABASE, AUDIT_KAFKA];

async function compareAnswer({ send, body }: Contestant, answer: string): Promise<void> {
  const resultsOf = (text: string): unknown => (JSON.parse(text) as { readonly results: unknown }).results;
  deepStrictEqual(resultsOf((await send(body)).toString('utf8')), resultsOf(readFileSync(answer, 'utf8')));
}

async function measureRounds(
  contestants: readonly Contestant[],
  workload: string,
  requests: number,
): Promise<readonly Measured[]> {
  // A server runs for days: what is measured is the code as it is once it is optimised.
  for (const { send, body } of contestants) await sendMany(send, body, requests * 10, 16);
  const cells = CONCURRENCIES.flatMap((concurrency) =>
    contestants.map((contestant) => ({ contestant, concurrency, samples: [] as number[] })),
  );
  for (let round = 0; round < ROUNDS; round++) {
    for (const { contestant, concurrency, samples } of cells) {
      contestant.server.emptyLog();
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

/** Ways to have 64 calls in progress; `limit` is the target for the slowest percent, in milliseconds. */
const SHAPES = [
  { connections: 1, concurrency: 64, limit: 40 },
  { connections: 4, concurrency: 16, limit: 80 },
];
const LATENCY_WORKLOAD = { name: '50 resources, 4 actions each', file: 'batch50', requests: 1280 };

interface Latencies {
  readonly shape: (typeof SHAPES)[number];
  /** Milliseconds; the medians of all rounds. */
  readonly half: number;
  readonly slowest: number;
}

/** How long calls over gRPC take when connections are full. */
async function measureLatencies(bundlePath: string): Promise<readonly Latencies[]> {
  const server = await startServerChild('ours', bundlePath);
  const { file, requests } = LATENCY_WORKLOAD;
  const body = readFileSync(join(SHARED_WORKLOAD, `${file}.request.pb`));
  const most = Math.max(...SHAPES.map(({ connections }) => connections));
  const senders = Array.from({ length: most }, () => grpcSender(server.grpcAddress));
  const sends = senders.map(({ send }) => send);
  try {
    await latenciesOf(sends, body, requests, 16);
    const rounds = SHAPES.map((shape) => ({ shape, halves: [] as number[], slowest: [] as number[] }));
    for (let round = 0; round < ROUNDS; round++) {
      for (const { shape, halves, slowest } of rounds) {
        const latencies = await latenciesOf(sends.slice(0, shape.connections), body, requests, shape.concurrency);
        halves.push(latencies[Math.floor(latencies.length / 2)] as number);
        slowest.push(latencies[Math.floor(latencies.length * 0.99)] as number);
      }
    }
    return rounds.map(({ shape, halves, slowest }) => ({
      shape,
      half: statisticsOf(halves).median,
      slowest: statisticsOf(slowest).median,
    }));
  } finally {
    for (const { close } of senders) close();
    server.stop();
  }
}

function textOfLatencies(measured: readonly Latencies[]): string {
  const nameOf = ({ connections, concurrency }: Latencies['shape']): string =>
    `${connections} ${connections === 1 ? 'connection' : 'connections'}, ${concurrency} at once`;
  const rows = measured.map(({ shape, half, slowest }) => [
    nameOf(shape),
    figure(half),
    figure(slowest),
    ratio(slowest / half),
  ]);
  const aims = measured.map(({ shape, slowest }) =>
    aim(`p99 of ${nameOf(shape)} under ${shape.limit} ms`, slowest < shape.limit),
  );
  const head =
    'Milliseconds that a call takes, as measured by a client in another process. Calls wait for those before them, so ' +
    'these depend on what else the machine does.';
  return [
    `### gRPC latency, ${LATENCY_WORKLOAD.name}`,
    head,
    table(['measured', 'p50 ms', 'p99 ms', 'p99 / p50'], rows),
    aims.join('\n'),
  ].join('\n\n');
}

function textOf(measured: readonly Measured[]): string {
  const tables = WORKLOADS.map(({ name, limit, auditLimit, readSetLimit }) => {
    const own = measured.filter(({ workload }) => workload === name);
    const ratioTo = (one: Measured, name: string): number => {
      const other = own.find((row) => row.name === name && row.concurrency === one.concurrency);
      return one.median / (other?.median ?? Number.NaN);
    };
    const rows = own.map((one) => {
      const label = `${one.name}, ${one.concurrency} at once`;
      const ratios = [ratio(ratioTo(one, BARE)), ratio(ratioTo(one, REST))];
      return [label, ...ratios, figure(one.minimum), figure(one.median), percent(one.spread)];
    });
    const isWithin = (contestant: string, reference: string, most: number): boolean =>
      own.filter((one) => one.name === contestant).every((one) => ratioTo(one, reference) <= most);
    const aims = [
      aim(`REST at most ${limit}x the bare server`, isWithin(REST, BARE, limit)),
      ...AUDITED.map((audited) => aim(`${audited}: at most ${auditLimit}x REST`, isWithin(audited, REST, auditLimit))),
      ...(readSetLimit === undefined
        ? []
        : [aim(`${READ_SET}: at most ${readSetLimit}x REST`, isWithin(READ_SET, REST, readSetLimit))]),
    ];
    const heading = ['measured', 'ratio', 'to REST', 'minimum us', 'median us', 'spread'];
    return `### ${name}\n\n${table(heading, rows)}\n\n${aims.join('\n')}`;
  });
  const head =
    'Microseconds of CPU per request, as measured by the server process, with the load-test policies (102 resource policies). ' +
    'Servers are bundled, as programs are, and have answered thousands of requests before. ' +
    'The bare server parses the same JSON and returns a constant. The audit log has the errors, policies and derived roles of every decision; with read sets, it keeps only the attributes that decisions can read. Files are emptied before each turn. ' +
    'A candidate that shadows decides in a thread of the same process, so its decisions are included. ' +
    'The broker of the Kafka rows is the stub of the tests, in another process: it acknowledges batches and drops them.';
  return [head, ...tables].join('\n\n');
}
