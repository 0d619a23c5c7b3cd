import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { engineRange, engineVersion, writeArchive } from '../../packages/bundle/index.js';
import type { PollConfig } from '../../server/config/bundle-config.js';
import { type Counts, Pollers } from './pollers.js';
import type { FleetSource } from './sources.js';

export interface SimulationOptions {
  readonly pollers: number;
  /** In which they run. */
  readonly processes: number;
  readonly poll: PollConfig;
  /** Of a bundle, in bytes, about. */
  readonly bundleSize: number;
  /** How long the source is watched while it has nothing new, in milliseconds. */
  readonly steady: number;
  /** How long the source is away, in milliseconds; 0: not at all. */
  readonly outage: number;
}

/** What a source had to do. Times are milliseconds. */
export interface SimulationResult {
  readonly source: string;
  readonly bundleSize: number;
  readonly steady: Load;
  /** After a new bundle was published. */
  readonly change: Load & { readonly half: number; readonly last: number };
  /** Undefined if the source was not away. */
  readonly outage:
    | {
        /** While it was away: attempts. */
        readonly away: Load;
        readonly back: Load;
        /** From its return until the last poller had a response. */
        readonly recovered: number;
      }
    | undefined;
}

/** Between two moments. */
export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  /** Of whole seconds. */
  readonly peak: number;
  readonly statuses: { readonly [status: string]: number };
  /** Over TCP, in both directions, without TLS. */
  readonly bytes: number;
  /** CPU time of the source; undefined if it is not known. */
  readonly cpu: number | undefined;
}

/** No phase may take longer than this, in milliseconds. */
const LONGEST_PHASE = 120_000;

/**
 * Lets many pollers ask a source: while nothing changes, after a change, and while the source is
 * away for a time. Rejects if a phase does not come to its end.
 */
export async function simulate(source: FleetSource, options: SimulationOptions): Promise<SimulationResult> {
  const [one, other] = [newArchive(options.bundleSize), newArchive(options.bundleSize)];
  await source.publish(one.bytes);
  const pollers = new Pollers({ count: options.pollers, source: source.polled, poll: options.poll }, options.processes);
  try {
    await waitUntil(pollers, (counts) => have(counts, one.digest) === options.pollers);
    await sleep(options.poll.interval);
    const steady = await measure(pollers, source, () => sleep(options.steady));
    let times: readonly number[] = [];
    const change = await measure(pollers, source, async () => {
      const published = Date.now();
      await source.publish(other.bytes);
      const { changes } = await waitUntil(pollers, (counts) => have(counts, other.digest) === options.pollers);
      times = (changes[other.digest] ?? []).map((time) => time - published).sort((a, b) => a - b);
    });
    return {
      source: source.name,
      bundleSize: one.bytes.length,
      steady,
      change: { ...change, half: times[Math.floor(times.length / 2)] ?? 0, last: times.at(-1) ?? 0 },
      outage: options.outage === 0 ? undefined : await outageOf(pollers, source, options),
    };
  } finally {
    await pollers.stop();
  }
}

async function outageOf(
  pollers: Pollers,
  source: FleetSource,
  { outage, poll }: SimulationOptions,
): Promise<NonNullable<SimulationResult['outage']>> {
  const away = await measure(pollers, source, async () => {
    await source.stop();
    await sleep(outage);
  });
  await source.start();
  const began = Date.now();
  let recovered = 0;
  const back = await measure(pollers, source, async () => {
    await waitUntil(pollers, ({ failing }) => failing === 0);
    recovered = Date.now() - began;
    // What follows is part of a stampede, if there is one.
    await sleep(poll.interval);
  });
  return { away, back, recovered };
}

async function measure(pollers: Pollers, source: FleetSource, phase: () => Promise<void>): Promise<Load> {
  const before = await pollers.counts();
  const cpuBefore = source.cpu();
  const begin = Date.now();
  await phase();
  const after = await pollers.counts();
  const end = Date.now();
  const cpuAfter = source.cpu();
  const requests = total(after.requests) - total(before.requests);
  const seconds = Object.entries(after.requests)
    .filter(([second]) => Number(second) * 1000 >= begin - 1000 && Number(second) * 1000 <= end)
    .map(([second, count]) => count - (before.requests[second] ?? 0));
  return {
    requests,
    perSecond: requests / ((end - begin) / 1000),
    peak: Math.max(0, ...seconds),
    statuses: Object.fromEntries(
      Object.entries(after.statuses).flatMap(([status, count]) => {
        const more = count - (before.statuses[status] ?? 0);
        return more > 0 ? [[status, more]] : [];
      }),
    ),
    bytes: after.bytes - before.bytes,
    // A source that was stopped has begun to count again.
    cpu: cpuBefore === undefined || cpuAfter === undefined || cpuAfter < cpuBefore ? undefined : cpuAfter - cpuBefore,
  };
}

async function waitUntil(pollers: Pollers, isReached: (counts: Counts) => boolean): Promise<Counts> {
  const deadline = performance.now() + LONGEST_PHASE;
  for (;;) {
    const counts = await pollers.counts();
    if (isReached(counts)) return counts;
    if (performance.now() > deadline)
      throw new Error(
        `not reached in ${LONGEST_PHASE} ms: ${JSON.stringify({ ...counts.statuses, failing: counts.failing })}`,
      );
    await sleep(100);
  }
}

function have({ changes }: Counts, digest: string): number {
  return changes[digest]?.length ?? 0;
}

function total(counts: Counts['requests']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** An archive whose content does not compress. */
function newArchive(size: number): { readonly bytes: Uint8Array; readonly digest: string } {
  const bytes = writeArchive({
    manifest: { hash: randomBytes(16).toString('hex'), compiler: engineVersion, engine: engineRange },
    js: `// ${randomBytes(size).toString('base64')}`,
  });
  return { bytes, digest: createHash('sha256').update(bytes).digest('hex') };
}
