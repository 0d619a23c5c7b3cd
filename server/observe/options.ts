import type { Environment } from '../config/substitute.js';
import type { Watcher } from '../service/watcher.js';
import type { FindConditionErrors } from './condition-errors.js';
import type { Log, LogLevel } from './log/logger.js';
import type { Snapshot } from './metrics/family.js';

/** What is watched, and how (docs/spec/server.md#observability). */
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
   * Of the bundle in force: finds the conditions that fail for a request. Absent: nobody can tell, and such errors are
   * neither logged nor counted.
   */
  readonly findConditionErrors?: FindConditionErrors | undefined;
  /** What became of audit entries; asked at each scrape. Absent without an audit log. */
  readonly audit?: (() => readonly AuditCount[]) | undefined;
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
  /** In the order they are to be told. Empty parts are left out: what is off costs nothing. */
  readonly watchers: readonly Watcher[];
  /** What a scrape of this process gives; undefined when metrics are off (404 then). */
  readonly metrics: Scrape | undefined;
  readonly bundle: BundleEvents;
  /** Sends what is left to send, for a few seconds at most. */
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
  /** This bundle decides from now on; also the first one, which is no reload. */
  readonly loaded: (bundle: { readonly hash: string; readonly version: string }) => void;
  /** A new bundle could not be served; the last good one goes on. */
  readonly refused: () => void;
}
