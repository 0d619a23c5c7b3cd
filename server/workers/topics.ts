import type { Config } from '../config.js';
import type { Snapshot } from '../observe/metrics/family.js';
import type { AuditPage, AuditQuery, PageEnd } from '../audit/reader.js';
import type { AuditRecord } from '../audit/record.js';
import type { BundleText } from '../swap/bundle-source.js';

/** The listeners of a server. */
export type PortName = 'http' | 'grpc';

/** What a worker asks the primary process. */
export type PrimaryTopics = {
  /** The first thing: what to serve, and how. */
  readonly begin: { readonly asks: undefined; readonly answers: Beginning };
  /** It takes connections, and decides by the bundle of this digest. */
  readonly ready: { readonly asks: string; readonly answers: undefined };
  /** It wants to end. The answer comes when it is given no connection any more. */
  readonly leave: { readonly asks: undefined; readonly answers: undefined };
  /** It cannot start: the one line about it. */
  readonly failed: { readonly asks: string; readonly answers: undefined };
  /** Whether every worker that serves answers. */
  readonly allTurn: { readonly asks: undefined; readonly answers: boolean };
  /** The metrics of all workers, as Prometheus reads them. */
  readonly scrape: { readonly asks: undefined; readonly answers: string };
  /** Takes audit records over (`AuditPrimary.take`). */
  readonly audit: { readonly asks: readonly AuditRecord[]; readonly answers: number };
  readonly auditPage: {
    readonly asks: { readonly query: AuditQuery; readonly after: PageEnd | undefined };
    readonly answers: AuditPage;
  };
};

/** What the primary process asks a worker. */
export type WorkerTopics = {
  /**
   * Makes a decider of a bundle and tries it; nothing changes yet. Answers with the hash of its policies; fails with
   * the reason when it cannot be served.
   */
  readonly prepare: { readonly asks: BundleText; readonly answers: string };
  /** Decides by what was prepared from the next request on. */
  readonly commit: { readonly asks: string; readonly answers: undefined };
  /** What was prepared is not wanted: some worker could not. */
  readonly abort: { readonly asks: string; readonly answers: undefined };
  /** Nothing: that it answers is the answer. */
  readonly turn: { readonly asks: undefined; readonly answers: undefined };
  readonly snapshot: { readonly asks: undefined; readonly answers: Snapshot | undefined };
  /** Serves the connection that comes with the question. The answer is sent before anything is read from it. */
  readonly take: { readonly asks: PortName; readonly answers: undefined };
  /** Says that it does not serve, and has those who talk go elsewhere; connections still come. */
  readonly retire: { readonly asks: undefined; readonly answers: undefined };
  /** Ends, having answered what is under way; no connection comes any more. The answer is its end. */
  readonly stop: { readonly asks: undefined; readonly answers: undefined };
};

export interface Beginning {
  readonly config: Config;
  readonly bundle: BundleText;
  /** With which all workers resume TLS sessions, whichever of them has begun them. */
  readonly ticketKeys: Uint8Array;
}
