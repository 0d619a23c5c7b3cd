import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { ArchiveError } from '../archive/index.js';
import { type AuditLog, openAuditLog } from './audit/audit-log.js';
import { type Config, ConfigError } from './config.js';
import { startServer } from './main.js';
import type { Reload } from './service/services.js';
import { debugOnSignal } from './observe/log/debug-signal.js';
import type { Log, LogFields, Logger } from './observe/log/logger.js';
import { ExpiryWatch } from './bundle/expiry-watch.js';
import { type BundleText, readBundleFile } from './bundle/read-bundle.js';
import { RejectedBundles, rejectionReason } from './bundle/rejected-bundles.js';
import { provenanceMessage } from './bundle/provenance.js';
import { SignedBundles } from './bundle/signed-bundles.js';
import { BundleSource } from './swap/bundle-source.js';
import { evaluateBundleText } from './swap/evaluate-bundle.js';
import { WORKER_VARIABLE } from './workers/worker-environment.js';

/** The arguments of dist/server.js. */
export interface Program {
  /** The path of the program: workers run it too. */
  readonly program: string;
  readonly config: Config;
  readonly bundleFile: string;
  readonly log: Log;
}

/** A server, in one process or several, that serves a bundle file. */
interface Served extends Stoppable {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  /**
   * Swaps to a new version of the bundle and returns the hash of its policies. Rejects, and changes nothing, if it
   * cannot be served.
   */
  readonly swap: (bundle: BundleText) => Promise<string>;
}

/** The server as signals see it. */
export interface Stoppable {
  /** Answers calls in progress and stops serving. */
  readonly close: () => Promise<void>;
  /** Kills the other processes, if any, at once. */
  readonly abort?: () => void;
}

/**
 * Runs dist/server.js: serves, prints the ready line, reloads the bundle when its file changes, and stops on a signal.
 * Rejects if the server cannot start.
 */
export async function runProgram(options: Program): Promise<void> {
  const { config, log } = options;
  const trust = await SignedBundles.open(config.bundle);
  const bundle = await readFirst(options.bundleFile, trust);
  const workers = config.server.workers ?? availableParallelism();
  debugOnSignal(log);
  const audit = await openAudit(config, log);
  let source: BundleSource | undefined;
  const rejected = new RejectedBundles();
  const shared: Shared = {
    audit,
    reload: async () => (await source?.look())?.message,
    rejectedBundles: rejected.counts,
  };
  const served =
    workers > 1 ? await serveWithWorkers(options, bundle, workers, shared) : await serveAlone(options, bundle, shared);
  const logger = log.logger('authz.bundle');
  const expiry = new ExpiryWatch((time) =>
    logger.error('the bundle has expired; it is still served', {
      file: options.bundleFile,
      expired: new Date(time).toISOString(),
    }),
  );
  const began = async (next: BundleText): Promise<void> => {
    expiry.serve(next);
    await trust?.accepted(next).catch((error: Error) => {
      logger.error('the sequence of the bundle cannot be remembered; an older one may be served after a restart', {
        error,
      });
    });
  };
  await began(bundle);
  source = followBundle({ served, bundle, watch: config.server.watchBundle, trust, rejected, began, logger });
  const followed = source;
  endOnSignal({ ...served, close: () => closeAll(followed, served, log) });
  // Printed last: a reader of the line may stop the server at once.
  process.stdout.write(`${readyLine(served, config)}\n`);
}

/** Whether this process is a worker of a process that runs the same program. */
export function isWorkerProcess(): boolean {
  return process.env[WORKER_VARIABLE] !== undefined && process.send !== undefined;
}

/** Runs a worker process. */
export async function runWorkerProcess(): Promise<void> {
  const { runWorker } = await import('./workers/worker.js');
  await runWorker();
}

/** The one line a server prints when it is ready. */
export function readyLine(
  { httpAddress, grpcAddress }: { readonly httpAddress: string; readonly grpcAddress: string },
  { server: { tls } }: Config,
): string {
  return `authz: REST and Connect on ${tls === undefined ? 'http' : 'https'}://${httpAddress}, gRPC on ${grpcAddress}`;
}

/**
 * Exits on SIGTERM and SIGINT: with status 0 once all calls in progress are answered; immediately, with 1, at the
 * second signal.
 */
export function endOnSignal(server: Stoppable): void {
  let isEnding = false;
  const end = (): void => {
    if (isEnding) {
      server.abort?.();
      process.exit(1);
    }
    isEnding = true;
    server.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

/** What both kinds of servers get. */
interface Shared {
  readonly audit: AuditLog | undefined;
  readonly reload: Reload;
  readonly rejectedBundles: RejectedBundles['counts'];
}

/** Reads the bundle that the server starts with. Rejects with a ConfigError. */
async function readFirst(file: string, trust: SignedBundles | undefined): Promise<BundleText> {
  try {
    return await readBundleFile(file, trust);
  } catch (error) {
    throw error instanceof ArchiveError ? new ConfigError(error.message, file) : error;
  }
}

async function serveAlone({ config, log }: Program, bundle: BundleText, shared: Shared): Promise<Served> {
  const server = await startServer(config, await evaluateBundleText(bundle), { log, ...shared });
  const swap = async (next: BundleText): Promise<string> => {
    try {
      const evaluated = await evaluateBundleText(next);
      await server.swap(evaluated);
      return evaluated.policies.hash;
    } catch (error) {
      server.refused();
      throw error;
    }
  };
  return { ...server, swap };
}

async function serveWithWorkers(
  { program, config, log }: Program,
  bundle: BundleText,
  workers: number,
  shared: Shared,
): Promise<Served> {
  // Modules that a process does not need are not loaded.
  const { startPrimary } = await import('./workers/primary.js');
  const primary = await startPrimary({
    program,
    config,
    workers,
    bundle,
    ...shared,
    log: log.logger('authz.workers'),
  });
  // Workers reload their own certificates and logs.
  process.on('SIGHUP', () => primary.signal('SIGHUP'));
  process.on('SIGUSR1', () => primary.signal('SIGUSR1'));
  const close = async (): Promise<void> => {
    await primary.close();
    // All messages of the workers have been handled.
    await shared.audit?.sink.close();
  };
  return { ...primary, close };
}

/** Opens the audit log of a configuration; its problems are logged. Returns undefined if auditing is disabled. */
export function openAudit(config: Config, log: Log): Promise<AuditLog | undefined> {
  const logger = log.logger('authz.audit');
  return openAuditLog(config.audit, (message, error) => logger.error(message, error === undefined ? {} : { error }));
}

interface Followed {
  readonly served: Served;
  /** The bundle that the server started with. */
  readonly bundle: BundleText;
  readonly watch: boolean;
  readonly trust: SignedBundles | undefined;
  readonly rejected: RejectedBundles;
  /** Called when another bundle is served. */
  readonly began: (bundle: BundleText) => Promise<void>;
  readonly logger: Logger;
}

/** Swaps to each new version of the bundle file. If one cannot be served, the server keeps the last good bundle. */
function followBundle({ served, bundle, watch, trust, rejected, began, logger }: Followed): BundleSource {
  // Nothing here may retain the source text: it is as large as all policies.
  const { name: file, digest } = bundle;
  const failed = (error: Error): void => {
    const reason = rejectionReason(error);
    rejected.add(reason);
    logger.error('the bundle cannot be served; still serving the last good one', { file, reason, error });
  };
  const offer = async (next: BundleText): Promise<void> => {
    const start = performance.now();
    const hash = await served.swap(next).catch((error: Error) => {
      // Not a problem of reading it, whatever it was.
      throw new Error(error.message);
    });
    await began(next);
    logger.info('serving a new bundle', {
      file,
      hash,
      ...originOf(next),
      time_ms: Math.round(performance.now() - start),
    });
  };
  const source = new BundleSource({
    file,
    companions: trust?.keyFiles ?? [],
    read: () => readBundleFile(file, trust),
    digest,
    watch,
    offer,
    failed,
  });
  process.on('SIGHUP', () => void source.look());
  return source;
}

/** What the log says about the origin of a bundle. */
function originOf(bundle: BundleText): LogFields {
  const { revision, builder, sequence, expires, keys } = provenanceMessage(bundle) ?? {};
  const fields = { revision, builder, sequence, expires, keys: keys?.join(' ') };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));
}

async function closeAll(source: BundleSource, served: Served, log: Log): Promise<void> {
  source.stop();
  await served.close();
  await log.flush();
}

/**
 * In percent of the live heap: at 50, garbage collection costs a tenth of a call over gRPC; from 75 on, the cost is not
 * measurable (bench/peers).
 */
const GARBAGE = 75;

/**
 * Collects garbage before it reaches the size of the live heap. By default V8 lets it grow several times larger under
 * load, above all over gRPC, and a container must be sized for the peak. For a separate process; to be called before it
 * serves.
 */
export function limitGarbage(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE}`);
}
