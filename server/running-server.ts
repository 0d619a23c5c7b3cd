import type { Socket } from 'node:net';
import type { AuditLog } from './audit/audit-log.js';
import type { Log } from './observe/log/logger.js';
import type { Scrape, SourceStatus } from './observe/options.js';
import type { RolloutChange } from './rollout/rollout.js';
import type { LocalAccess, Reload, RunRollout, SourceHealth } from './service/services.js';
import type { Bundle } from './service/bundle.js';

/** A running server. */
export interface ListeningServer {
  /** `127.0.0.1:3592`, or `unix:/path`. Empty if another process accepts connections. */
  readonly httpAddress: string;
  readonly grpcAddress: string;
  /** Reports NOT_SERVING, and ends connections with their next response; new connections are still accepted. */
  readonly retire: () => void;
  /**
   * Retires and, unless already retired, waits for the configured delay; then accepts no more connections, answers
   * calls in progress, and resolves when that is done (docs/spec/server.md#start-and-stop). To be called once.
   */
  readonly close: () => Promise<void>;
}

/** A server of compiled policies. */
export interface RunningServer extends ListeningServer {
  /** Serves a connection that another process has accepted. */
  readonly take: Readonly<Record<'http' | 'grpc', (socket: Socket) => void>>;
  /** Prepares another bundle: tries it, and changes nothing yet. Rejects if it cannot be served. */
  readonly prepare: (bundle: Bundle) => Promise<Prepared>;
  /**
   * Uses another bundle from the next request on; a request sees one bundle. Rejects, and changes nothing, if it cannot
   * be served.
   */
  readonly swap: (bundle: Bundle) => Promise<void>;
  /**
   * Prepares a change of the rollout: loads and tries the bundles that are new, and changes nothing yet. Rejects if one
   * cannot be served.
   */
  readonly prepareChange: (change: RolloutChange) => Promise<PreparedChange>;
  /** The hash of the current bundle. */
  readonly hash: () => string;
  /** Reports a bundle that could not be loaded: it is counted. */
  readonly refused: () => void;
  /** The metrics of this process; undefined if metrics are disabled. */
  readonly metrics: Scrape | undefined;
}

/** A bundle that was tried. */
export interface Prepared {
  /** Uses the bundle from the next request on. */
  readonly commit: () => void;
}

/** A change of the rollout whose bundles were tried. */
export interface PreparedChange extends Prepared {
  /** Hashes of the bundles that came with the change, in order. */
  readonly hashes: readonly string[];
}

/** The parts of a server other than its configuration. */
export interface Surroundings {
  /** If absent: there are no watchers, as in tests of the transports. */
  readonly log?: Log | undefined;
  /** Closed with the server. */
  readonly audit?: AuditLog | undefined;
  /** Carries out requests of the admin API; absent if there are no candidates. */
  readonly rollout?: RunRollout | undefined;
  /** Checks the bundle file; absent if there is none. */
  readonly reload?: Reload | undefined;
  /** How many bundles were rejected, by reason; absent if another process knows. */
  readonly rejectedBundles?: (() => ReadonlyMap<string, number>) | undefined;
  /** The built module of the thread in which candidates decide; absent in a program, which has it beside its chunks. */
  readonly shadowThread?: URL;
  /** The state of the source of the bundle; absent if it is a file. */
  readonly source?: SourceWatch | undefined;
  /** The metrics of all processes of the server; absent if this is the only one. */
  readonly scrapeAll?: (() => Promise<string>) | undefined;
  /** Whether the event loops of all processes of the server respond; absent if this is the only one. */
  readonly allTurn?: (() => Promise<boolean>) | undefined;
  /** Shows and explains policies to callers on this machine without credentials; absent: to the admin only. */
  readonly local?: LocalAccess | undefined;
  /**
   * Another process accepts connections for this one and its siblings, which resume TLS sessions with the same keys.
   */
  readonly accepted?: { readonly ticketKeys: Buffer } | undefined;
}

/** The source of the bundle, as the metrics and the health of a process see it. */
export interface SourceWatch {
  /** Absent in a worker: the primary process counts. */
  readonly status?: (() => SourceStatus) | undefined;
  readonly health: () => SourceHealth;
}
