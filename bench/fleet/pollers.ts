import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { PollConfig } from '../../server/config/bundle-config.js';
import { ROOT } from '../harness/paths.js';

/** What the pollers of one process ask. */
export interface PollersOptions {
  readonly count: number;
  readonly source: PolledSource;
  readonly poll: PollConfig;
}

export interface PolledSource {
  readonly kind: 'http' | 'oci';
  /** Of the bundle, or `http://HOST/REPOSITORY:TAG`. */
  readonly url: string;
}

/** Since the start. */
export interface Counts {
  /** By the second in which they began (since 1970). */
  readonly requests: { readonly [second: string]: number };
  /** By status; `failed` if there was no response. */
  readonly statuses: { readonly [status: string]: number };
  /** When a poller got a bundle, by its SHA-256, in milliseconds since 1970. */
  readonly changes: { readonly [digest: string]: readonly number[] };
  /** Sent and received over TCP, by all pollers. */
  readonly bytes: number;
  /** The pollers whose last request failed. */
  readonly failing: number;
}

/** Servers that ask a source, in a few processes. */
export class Pollers {
  readonly #children: ChildProcess[] = [];

  constructor({ count, ...options }: PollersOptions, processes: number) {
    for (let index = 0; index < processes; index++) {
      const child = fork(join(ROOT, 'bench/fleet/pollers.worker.ts'), {
        execArgv: ['--import', 'tsx', '--no-warnings'],
        cwd: ROOT,
      });
      const share = Math.floor((count * (index + 1)) / processes) - Math.floor((count * index) / processes);
      child.send({ ...options, count: share } satisfies PollersOptions);
      this.#children.push(child);
    }
  }

  /** The counts of all of them. */
  async counts(): Promise<Counts> {
    const all = await Promise.all(
      this.#children.map(async (child) => {
        child.send('report');
        const [counts] = (await once(child, 'message')) as [Counts];
        return counts;
      }),
    );
    return all.reduce((one, other) => ({
      requests: added(one.requests, other.requests),
      statuses: added(one.statuses, other.statuses),
      changes: joined(one.changes, other.changes),
      bytes: one.bytes + other.bytes,
      failing: one.failing + other.failing,
    }));
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        const ended = once(child, 'exit');
        child.disconnect();
        await ended;
      }),
    );
  }
}

function added(one: Counts['requests'], other: Counts['requests']): Counts['requests'] {
  const sum = { ...one };
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

function joined(one: Counts['changes'], other: Counts['changes']): Counts['changes'] {
  const all = { ...one };
  for (const [digest, times] of Object.entries(other)) all[digest] = [...(all[digest] ?? []), ...times];
  return all;
}
