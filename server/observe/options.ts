import type { Histogram } from './metrics/histogram.js';
import type { Environment } from '../config/substitute.js';
import type { MaskPath } from '../config/mask-path.js';
import type { Watcher } from '../service/watcher.js';
import type { FindConditionErrors } from './condition-errors.js';
import type { Log, LogLevel } from './log/logger.js';
import type { Snapshot } from './metrics/family.js';

/** The options of observability (docs/spec/server.md#observability). */
export interface ObserveOptions {
  /** Made by `openLog`, before the configuration is read. */
  readonly log: Log;
  /** `server.metricsEnabled`. */
  readonly metricsEnabled: boolean;
  /** `server.logRequestPayloads`: requests and answers in the log, tokens redacted. */
  readonly logRequestPayloads: boolean;
  /** `engine.celErrorLogLevel`: of the lines about conditions that could not be evaluated. */
  readonly celErrorLogLevel: LogLevel | 'none';
  /** `audit.mask`: what the log must not show either. Absent: nothing is hidden. */
  readonly mask?: readonly MaskPath[];
  /** The release, as traces and pushed metrics name it. */
  readonly version: string;
  /**
   * Finds the conditions of the current bundle that fail for a request. Absent: the bundle cannot find them, and such
   * errors are neither logged nor counted.
   */
  readonly findConditionErrors?: FindConditionErrors | undefined;
  /** The milliseconds by which the search for these errors is limited. Default: `performance.now`. */
  readonly now?: () => number;
  /** What became of audit entries; asked at each scrape. Absent without an audit log. */
  readonly audit?: (() => readonly AuditCount[]) | undefined;
  /** How many bundles were rejected, by reason; asked at each scrape. Absent if another process counts them. */
  readonly rejectedBundles?: (() => ReadonlyMap<string, number>) | undefined;
  /** What became of the source of the bundle; asked at each scrape. Absent if it is a file. */
  readonly source?: (() => SourceStatus) | undefined;
  /** What became of documents of tenants; asked at each scrape. Absent without a source of them. */
  readonly tenants?: (() => TenantCounts) | undefined;
  /** What became of sources of facts; asked at each scrape. Absent without sources. */
  readonly facts?: (() => readonly FactSourceCounts[]) | undefined;
  /**
   * Where the standard variables of OpenTelemetry are read; the exporters themselves read their own (headers,
   * certificates) from the process.
   */
  readonly environment?: Environment | undefined;
}

/** Counts of one kind of audit entries, since the start. */
export interface AuditCount {
  readonly kind: 'access' | 'decision';
  readonly written: number;
  /** Entries dropped for want of room in the queue. */
  readonly dropped: number;
  readonly failed: number;
}

/** Counts of the documents of tenants, since the start; the last two are of now (server/tenants/tenant-store.ts). */
export interface TenantCounts {
  readonly loaded: number;
  readonly unchanged: number;
  /** The tenant has none. */
  readonly missing: number;
  /** Not valid, or not within what the policies let tenants grant: its roles give nothing. */
  readonly refused: number;
  /** The source did not answer. */
  readonly failed: number;
  readonly tenants: number;
  readonly bytes: number;
}

/** Counts of one source of facts, since the start (server/facts/source-states.ts). */
export interface FactSourceCounts {
  readonly name: string;
  readonly requests: number;
  /** Requests that failed, or had a row that cannot be used. */
  readonly failures: number;
  /** Rows that it returned. */
  readonly fetched: number;
  /** Calls that lacked a fact of it. */
  readonly unknown: number;
  /** Milliseconds. */
  readonly durations: Histogram;
}

/** What watches a server until it is closed. */
export interface Observation {
  /** Watchers in the order in which they are called. Disabled parts are left out, so they cost nothing. */
  readonly watchers: readonly Watcher[];
  /** The metrics of this process for a scrape; undefined if metrics are off (404 then). */
  readonly metrics: Scrape | undefined;
  readonly bundle: BundleEvents;
  readonly rollout: RolloutEvents;
  /** Sends the remaining spans and metrics, for a few seconds at most. */
  readonly close: () => Promise<void>;
}

/** Metrics as Prometheus reads them. */
export interface Scrape {
  /** Metrics of this process alone. */
  readonly text: () => Promise<string>;
  /** The same as plain data, to send to the primary process; see `WorkerTotals`. */
  readonly snapshot: () => Promise<Snapshot>;
  readonly contentType: string;
}

/** Events when bundles change. */
export interface BundleEvents {
  /** A bundle starts to decide. The first one does not count as a reload. */
  readonly loaded: (bundle: LoadedBundle) => void;
  /** A new bundle could not be served; the last good one is still served. */
  readonly refused: () => void;
}

/** A bundle as metrics describe it. */
export interface LoadedBundle {
  /** Hash of the policies. */
  readonly hash: string;
  /** Version of the server. */
  readonly version: string;
  /** Undefined if the bundle did not come in an archive. */
  readonly archive?: LoadedArchive | undefined;
}

/** What the archive of a bundle says. Strings are empty and numbers undefined if it does not say. */
export interface LoadedArchive {
  /** SHA-256 of the manifest. */
  readonly digest: string;
  /** The commit. */
  readonly revision: string;
  readonly builder: string;
  readonly sequence: number | undefined;
  /** Milliseconds since 1970. */
  readonly expires: number | undefined;
  /** The newest signature, in milliseconds since 1970. */
  readonly signedAt: number | undefined;
}

/** What became of requests to the source of the bundle. Times are milliseconds since 1970; 0 means never. */
export interface SourceStatus {
  /** Source without credentials. */
  readonly source: string;
  readonly lastAttempt: number;
  /** When the source last answered with a bundle that is served, or that it is unchanged. */
  readonly lastSuccess: number;
  /** When the source last had the bundle that is served. */
  readonly confirmed: number;
  /** Whether the bundle is the last known good one, and the source has not confirmed it since the start. */
  readonly fromCache: boolean;
  /** Why the source has no bundle that can be served; undefined if it has. */
  readonly problem: { readonly reason: string; readonly message: string } | undefined;
  readonly attempts: { fetched: number; unchanged: number; failed: number };
  /** Failed requests and refused bundles, by reason. */
  readonly failures: Map<string, number>;
  /** Size of the bundles that were fetched. */
  readonly bytes: number;
  /** Writes of the last known good bundle. */
  readonly cacheWrites: { success: number; failure: number };
}

/** Events of candidates (docs/rollout.md). */
export interface RolloutEvents {
  /** A candidate is in this stage from now on; undefined: there is none. */
  readonly changed: (
    rollout: { readonly hash: string; readonly stage: string; readonly percent: number } | undefined,
  ) => void;
  /** So many calls of the engine were not compared for want of room. */
  readonly dropped: (count: number) => void;
  /** A call of the engine was compared. */
  readonly compared: (comparison: {
    readonly result: 'same' | 'different' | 'needs' | 'limited' | 'failed';
    /** Facts that the candidate needs and the call did not fetch. */
    readonly needs?: readonly string[];
    readonly differences?: readonly {
      readonly call: string;
      readonly kind: string;
      readonly action: string;
      readonly change: string;
    }[];
  }) => void;
}
