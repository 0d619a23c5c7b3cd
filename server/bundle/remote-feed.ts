import { setTimeout as sleep } from 'node:timers/promises';
import { readArchive } from '../../packages/bundle/index.js';
import type { PollConfig } from '../config/bundle-config.js';
import { ConfigError } from '../config/config-error.js';
import type { Logger } from '../observe/log/logger.js';
import type { SourceStatus } from '../observe/options.js';
import type { BundleFeed, FirstBundle } from './feed.js';
import type { LastKnownGood } from './last-known-good.js';
import { HttpError } from '../outgoing/http-error.js';
import { type Fetched, type Origin, OriginError } from './origin.js';
import { OriginPoll, type PollClock } from './poll.js';
import { provenanceFields } from './provenance.js';
import { type BundleText, type BundleTrust, readBundle } from './read-bundle.js';
import { type RejectedBundles, rejectionReason } from './rejected-bundles.js';

export interface RemoteFeedOptions {
  readonly origin: Origin;
  readonly poll: PollConfig;
  /** How long a server that has no bundle tries before it gives up, in milliseconds. */
  readonly startTimeout: number;
  readonly trust: BundleTrust | undefined;
  readonly rejected: RejectedBundles;
  /** Undefined: nothing is kept on disk. */
  readonly cache: LastKnownGood | undefined;
  readonly log: Logger;
  /** Called when the source begins to fail, and why, or to work again. */
  readonly changed?: (problem: Error | undefined) => void;
  readonly clock?: PollClock;
}

/** A bundle with what a cache wants to know about it. */
interface RemoteBundle extends FirstBundle {
  readonly version: string;
  /** Undefined if it came from the disk. */
  readonly bytes: Uint8Array | undefined;
  /** When the origin had it, in milliseconds since 1970. */
  readonly time: number;
}

/** Pause between attempts of a server that has no bundle yet, in milliseconds. */
const START_PAUSE = 1000;

/**
 * A bundle at an origin. A server that starts while the origin is away, or has a bundle that must not run, starts with
 * the last bundle that was served, from the disk: it is verified again. What cannot be verified or served never replaces
 * what is served.
 */
export class RemoteFeed implements BundleFeed {
  readonly #poll: { current: OriginPoll | undefined } = { current: undefined };
  readonly #stopped = new AbortController();
  readonly #status: Mutable<SourceStatus>;
  /** Digest of the bundle that is served. */
  #digest = '';
  /** A version that could not be served is not tried twice in a row. */
  #refused: { readonly digest: string; readonly error: Error } | undefined;
  /** What the origin had at the start. */
  #newest: RemoteBundle | undefined;
  #keeping: Promise<void> = Promise.resolve();
  #canKeep = true;

  constructor(private readonly options: RemoteFeedOptions) {
    this.#status = {
      source: options.origin.name,
      lastAttempt: 0,
      lastSuccess: 0,
      confirmed: 0,
      fromCache: false,
      problem: undefined,
      attempts: { fetched: 0, unchanged: 0, failed: 0 },
      failures: new Map(),
      bytes: 0,
      cacheWrites: { success: 0, failure: 0 },
    };
  }

  readonly start = async (): Promise<readonly RemoteBundle[]> => {
    const { origin, log } = this.options;
    const kept = await this.#readCache();
    try {
      const fetched = await this.#fetchFirst(kept);
      this.#newest = fetched;
      return kept === undefined || kept.bundle.digest === fetched.bundle.digest ? [fetched] : [fetched, kept];
    } catch (error) {
      if (kept === undefined)
        throw error instanceof ConfigError ? error : new ConfigError((error as Error).message, origin.name);
      this.#status.fromCache = true;
      log.warn('the source has no usable bundle; serving the last known good one', {
        source: origin.name,
        error: error as Error,
        age_s: Math.round((Date.now() - kept.time) / 1000),
      });
      return [kept];
    }
  };

  readonly follow = (served: FirstBundle, swap: (bundle: BundleText) => Promise<string>): void => {
    const { origin, poll, log, clock } = this.options;
    const { bundle, version, bytes, time } = served as RemoteBundle;
    this.#digest = bundle.digest;
    if (bytes !== undefined) this.#keep(version, bytes);
    if (this.#newest !== undefined && served !== this.#newest) this.#status.fromCache = true;
    // It keeps the bytes.
    this.#newest = undefined;
    if (this.#status.fromCache) this.#status.confirmed = time;
    const offer = async ({ version: next, bytes: content }: FetchedBundle): Promise<void> => {
      const candidate = await readBundle(content, origin.name, this.options.trust);
      if (candidate.digest !== this.#digest) {
        await this.#swap(candidate, swap);
        this.#keep(next, content);
      }
      this.#refused = undefined;
    };
    this.#poll.current = new OriginPoll({
      origin,
      poll,
      known: version,
      offer,
      attempted: (problem, fetched) => this.#attempted(problem, fetched, log),
      ...(clock !== undefined && { clock }),
    });
    this.#poll.current.start(this.#status.fromCache ? START_PAUSE : undefined);
    if (this.#status.fromCache)
      this.options.changed?.(new Error(this.#status.problem?.message ?? 'serves the last known good bundle'));
  };

  readonly look = async (): Promise<Error | undefined> => this.#poll.current?.look();

  readonly stop = async (): Promise<void> => {
    this.#stopped.abort();
    this.#poll.current?.stop();
    await this.options.origin.close();
    await this.#keeping;
  };

  readonly status = (): SourceStatus => this.#status;

  async #readCache(): Promise<RemoteBundle | undefined> {
    const { cache, origin, trust, log } = this.options;
    try {
      const kept = await cache?.read();
      if (kept === undefined) return undefined;
      const bundle = await readBundle(kept.bytes, origin.name, trust);
      return { bundle, version: kept.version, bytes: undefined, time: kept.time };
    } catch (error) {
      log.warn('the last known good bundle cannot be used', { source: origin.name, error: error as Error });
      return undefined;
    }
  }

  /** Tries until there is a bundle: for some time if there is none on disk. */
  async #fetchFirst(kept: RemoteBundle | undefined): Promise<RemoteBundle> {
    const { origin, trust, startTimeout, log } = this.options;
    const deadline = performance.now() + (kept === undefined ? startTimeout : 0);
    for (;;) {
      let fetched: Fetched | undefined;
      try {
        fetched = await origin.fetch(kept?.version, this.#stopped.signal);
        if (fetched.kind === 'unchanged' && kept === undefined)
          throw new OriginError('protocol', 'reports an unchanged bundle, but has not sent one');
        const first =
          fetched.kind === 'unchanged'
            ? (kept as RemoteBundle)
            : {
                bundle: await readBundle(fetched.bytes, origin.name, trust),
                version: fetched.version,
                bytes: fetched.bytes,
                time: Date.now(),
              };
        this.#attempted(undefined, fetched, log);
        return first;
      } catch (error) {
        this.#attempted(error as Error, fetched, log);
        const isPassing = error instanceof HttpError && performance.now() + START_PAUSE < deadline;
        if (!isPassing || this.#stopped.signal.aborted) throw error;
        await sleep(START_PAUSE);
      }
    }
  }

  async #swap(candidate: BundleText, swap: (bundle: BundleText) => Promise<string>): Promise<void> {
    const { origin, log } = this.options;
    if (this.#refused?.digest === candidate.digest) throw this.#refused.error;
    const start = performance.now();
    const hash = await swap(candidate).catch((error: Error) => {
      this.#refused = { digest: candidate.digest, error };
      throw error;
    });
    this.#digest = candidate.digest;
    log.info('serving a new bundle', {
      source: origin.name,
      hash,
      ...provenanceFields(candidate),
      time_ms: Math.round(performance.now() - start),
    });
  }

  /** Off the path of requests; one at a time. */
  #keep(version: string, bytes: Uint8Array): void {
    const { cache, log, trust } = this.options;
    if (cache === undefined) return;
    const keep = async (): Promise<void> => {
      try {
        // A server that shares the folder may have accepted a newer one, which this one must not replace.
        if (!(await isTrusted(bytes, trust))) return;
        await cache.keep(version, bytes);
        this.#status.cacheWrites.success += 1;
        if (!this.#canKeep) log.info('the last known good bundle can be written again', { file: cache.file });
        this.#canKeep = true;
      } catch (error) {
        this.#status.cacheWrites.failure += 1;
        if (this.#canKeep) log.warn('the last known good bundle cannot be written', { error: error as Error });
        this.#canKeep = false;
      }
    };
    this.#keeping = this.#keeping.then(keep);
  }

  #attempted(problem: Error | undefined, fetched: Fetched | undefined, log: Logger): void {
    const status = this.#status;
    const before = status.problem;
    const now = Date.now();
    status.lastAttempt = now;
    if (fetched?.kind === 'fetched') status.bytes += fetched.bytes.length;
    status.attempts[fetched?.kind ?? 'failed'] += 1;
    if (problem === undefined) {
      status.lastSuccess = now;
      status.confirmed = now;
      status.fromCache = false;
      status.problem = undefined;
    } else {
      const reason = this.#reasonOf(problem);
      status.failures.set(reason, (status.failures.get(reason) ?? 0) + 1);
      status.problem = { reason, message: problem.message };
    }
    this.#tell(before, problem, log);
  }

  /** The label of a metric. */
  #reasonOf(error: Error): string {
    if (error instanceof HttpError) return error.reason;
    const reason = rejectionReason(error);
    this.options.rejected.add(reason);
    return reason;
  }

  /** Once for each change, not for each request. */
  #tell(before: SourceStatus['problem'], error: Error | undefined, log: Logger): void {
    const { problem, source } = this.#status;
    if (before?.reason === problem?.reason && before?.message === problem?.message) return;
    const isServing = this.#poll.current !== undefined;
    if (problem === undefined) log.info('the source works again', { source });
    else if (isServing)
      log.error('the source has no usable bundle; still serving the last good one', {
        source,
        reason: problem.reason,
        error,
      });
    else log.warn('the source has no usable bundle', { source, reason: problem.reason, error });
    this.options.changed?.(error);
  }
}

/** Whether a bundle that was read before would be trusted now. */
async function isTrusted(bytes: Uint8Array, trust: BundleTrust | undefined): Promise<boolean> {
  try {
    await trust?.verify(readArchive(bytes));
    return true;
  } catch {
    return false;
  }
}

type FetchedBundle = Extract<Fetched, { readonly kind: 'fetched' }>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };
