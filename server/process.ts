import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { type AuditLog, openAuditLog } from './audit/audit-log.js';
import type { Config } from './config.js';
import { startServer } from './main.js';
import type { Reload } from './service/services.js';
import { debugOnSignal } from './observe/log/debug-signal.js';
import type { Log, Logger } from './observe/log/logger.js';
import { type BundleText, readBundleFile } from './bundle/read-bundle.js';
import { BundleSource } from './swap/bundle-source.js';
import { evaluateBundle } from './swap/evaluate-bundle.js';
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
  const bundle = await readBundleFile(options.bundleFile);
  const workers = config.server.workers ?? availableParallelism();
  debugOnSignal(log);
  const audit = await openAudit(config, log);
  let source: BundleSource | undefined;
  const reload: Reload = async () => (await source?.look())?.message;
  const served =
    workers > 1
      ? await serveWithWorkers(options, bundle, workers, audit, reload)
      : await serveAlone(options, bundle, audit, reload);
  source = followBundle(served, bundle, config.server.watchBundle, log.logger('authz.bundle'));
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

async function serveAlone(
  { config, log }: Program,
  { text, name }: BundleText,
  audit: AuditLog | undefined,
  reload: Reload,
): Promise<Served> {
  const server = await startServer(config, await evaluateBundle(text, name), { log, audit, reload });
  const swap = async (next: BundleText): Promise<string> => {
    try {
      const evaluated = await evaluateBundle(next.text, next.name);
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
  audit: AuditLog | undefined,
  reload: Reload,
): Promise<Served> {
  // Modules that a process does not need are not loaded.
  const { startPrimary } = await import('./workers/primary.js');
  const primary = await startPrimary({
    program,
    config,
    workers,
    bundle,
    audit,
    reload,
    log: log.logger('authz.workers'),
  });
  // Workers reload their own certificates and logs.
  process.on('SIGHUP', () => primary.signal('SIGHUP'));
  process.on('SIGUSR1', () => primary.signal('SIGUSR1'));
  const close = async (): Promise<void> => {
    await primary.close();
    // All messages of the workers have been handled.
    await audit?.sink.close();
  };
  return { ...primary, close };
}

/** Opens the audit log of a configuration; its problems are logged. Returns undefined if auditing is disabled. */
export function openAudit(config: Config, log: Log): Promise<AuditLog | undefined> {
  const logger = log.logger('authz.audit');
  return openAuditLog(config.audit, (message, error) => logger.error(message, error === undefined ? {} : { error }));
}

/** Swaps to each new version of the bundle file. If one cannot be served, the server keeps the last good bundle. */
function followBundle(served: Served, { name, digest }: BundleText, watch: boolean, logger: Logger): BundleSource {
  // Nothing here may retain the source text: it is as large as all policies.
  const refused = (error: Error): void =>
    logger.error('the bundle cannot be served; still serving the last good one', { file: name, error });
  const offer = async (next: BundleText): Promise<void> => {
    const start = performance.now();
    const hash = await served.swap(next);
    logger.info('serving a new bundle', {
      file: next.name,
      hash,
      time_ms: Math.round(performance.now() - start),
    });
  };
  const source = new BundleSource({
    file: name,
    read: () => readBundleFile(name),
    digest,
    watch,
    offer,
    failed: refused,
  });
  process.on('SIGHUP', () => void source.look());
  return source;
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
