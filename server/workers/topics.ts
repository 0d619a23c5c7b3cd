import type { Config } from '../config.js';
import type { Snapshot } from '../observe/metrics/family.js';
import type { AuditPage, AuditQuery, PageEnd } from '../audit/reader.js';
import type { AuditRecord } from '../audit/record.js';
import type { RolloutCommand, RolloutOutcome } from '../service/rollout-command.js';
import type { RolloutChange } from '../rollout/rollout.js';
import type { SourceHealth } from '../service/services.js';

/** The listeners of a server. */
export type PortName = 'http' | 'grpc';

/** The requests of a worker to the primary process. */
export type PrimaryTopics = {
  /** The first request: what to serve, and how. */
  readonly begin: { readonly asks: undefined; readonly answers: Beginning };
  /** The worker accepts connections, and uses this version of the rollout; the hash is that of the current bundle. */
  readonly ready: { readonly asks: Readiness; readonly answers: undefined };
  /** The worker wants to stop. The response is sent once it gets no more connections. */
  readonly leave: { readonly asks: undefined; readonly answers: undefined };
  /** The worker cannot start: the error message, on one line. */
  readonly failed: { readonly asks: string; readonly answers: undefined };
  /** Whether every serving worker responds. */
  readonly allTurn: { readonly asks: undefined; readonly answers: boolean };
  /** Checks the bundle file (`Reload`). */
  readonly reload: { readonly asks: undefined; readonly answers: string | undefined };
  /** Carries out a request of the admin API. */
  readonly rollout: { readonly asks: RolloutCommand; readonly answers: RolloutOutcome };
  /** The metrics of all workers, in the Prometheus format. */
  readonly scrape: { readonly asks: undefined; readonly answers: string };
  /** Passes audit records to the primary (`AuditPrimary.take`). */
  readonly audit: { readonly asks: readonly AuditRecord[]; readonly answers: number };
  readonly auditPage: {
    readonly asks: { readonly query: AuditQuery; readonly after: PageEnd | undefined };
    readonly answers: AuditPage;
  };
};

/** The requests of the primary process to a worker. */
export type WorkerTopics = {
  /**
   * Creates engines for the bundles of a change and tries them; nothing changes yet. Responds with the hashes of their
   * policies, in order; fails with the reason if one cannot be served.
   */
  readonly prepare: { readonly asks: RolloutChange; readonly answers: readonly string[] };
  /** Makes the prepared change of this version from the next request on. */
  readonly commit: { readonly asks: number; readonly answers: undefined };
  /** Discards the prepared change: another worker could not prepare it. */
  readonly abort: { readonly asks: number; readonly answers: undefined };
  /** Does nothing: only the response matters. */
  readonly turn: { readonly asks: undefined; readonly answers: undefined };
  /** What became of the source of the bundle. */
  readonly source: { readonly asks: SourceHealth; readonly answers: undefined };
  readonly snapshot: { readonly asks: undefined; readonly answers: Snapshot | undefined };
  /**
   * Serves the connection that is sent with the request. The response is sent before anything is read from the
   * connection.
   */
  readonly take: { readonly asks: PortName; readonly answers: undefined };
  /** Makes the worker report that it is not serving and move its clients elsewhere; it still gets connections. */
  readonly retire: { readonly asks: undefined; readonly answers: undefined };
  /** Makes the worker answer the calls in progress and exit; it gets no more connections. Its exit is the response. */
  readonly stop: { readonly asks: undefined; readonly answers: undefined };
};

/** What a worker uses when it begins to serve. */
export interface Readiness {
  readonly version: number;
  readonly hash: string;
}

export interface Beginning {
  readonly config: Config;
  /** The rollout, with all its bundles. */
  readonly change: RolloutChange;
  /** The keys with which all workers resume each other's TLS sessions. */
  readonly ticketKeys: Uint8Array;
  /** What became of the source of the bundle; undefined if it is a file. */
  readonly source: SourceHealth | undefined;
}
