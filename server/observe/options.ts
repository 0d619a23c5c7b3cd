import type { Environment } from '../config/substitute.js';
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
  /** The release, as traces and pushed metrics name it. */
  readonly version: string;
  /**
   * Finds the conditions of the current bundle that fail for a request. Absent: the bundle cannot find them, and such
   * errors are neither logged nor counted.
   */
  readonly findConditionErrors?: FindConditionErrors | undefined;
  /** What became of audit entries; asked at each scrape. Absent without an audit log. */
  readonly audit?: (() => readonly AuditCount[]) | undefined;
  /** How many bundles were rejected, by reason; asked at each scrape. Absent if another process counts them. */
  readonly rejectedBundles?: (() => ReadonlyMap<string, number>) | undefined;
  /**
   * Where the standard variables of OpenTelemetry are read; the exporters themselves read their own (headers,
   * certificates) from the process.
   */
  readonly environment?: Environment | undefined;
}

/** Of one kind of audit entries, since the start. */
export interface AuditCount {
  readonly kind: 'access' | 'decision';
  readonly written: number;
  /** For want of room in the queue. */
  readonly dropped: number;
  readonly failed: number;
}

/** What watches a server until it is closed. */
export interface Observation {
  /** In the order in which they are called. Disabled parts are left out, so they cost nothing. */
  readonly watchers: readonly Watcher[];
  /** The metrics of this process for a scrape; undefined if metrics are off (404 then). */
  readonly metrics: Scrape | undefined;
  readonly bundle: BundleEvents;
  /** Sends the remaining spans and metrics, for a few seconds at most. */
  readonly close: () => Promise<void>;
}

/** Metrics as Prometheus reads them. */
export interface Scrape {
  /** Of this process alone. */
  readonly text: () => Promise<string>;
  /** The same as plain data, to send to the primary process; see `WorkerTotals`. */
  readonly snapshot: () => Promise<Snapshot>;
  readonly contentType: string;
}

/** To be told when bundles change. */
export interface BundleEvents {
  /** A bundle starts to decide. The first one does not count as a reload. */
  readonly loaded: (bundle: LoadedBundle) => void;
  /** A new bundle could not be served; the last good one is still served. */
  readonly refused: () => void;
}

/** A bundle as metrics describe it. */
export interface LoadedBundle {
  /** Of the policies. */
  readonly hash: string;
  /** Of the server. */
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
  /** In milliseconds since 1970. */
  readonly expires: number | undefined;
  /** The newest signature, in milliseconds since 1970. */
  readonly signedAt: number | undefined;
}
