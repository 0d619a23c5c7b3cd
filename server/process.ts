import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { type AuditLog, openAuditLog } from './audit/audit-log.js';
import type { BundleFeed, FirstBundle } from './bundle/feed.js';
import { ExpiryWatch } from './bundle/expiry-watch.js';
import { openFeed } from './bundle/open-feed.js';
import { type BundleText, readBundleFile } from './bundle/read-bundle.js';
import { provenanceFields } from './bundle/provenance.js';
import { RejectedBundles, RolledBackError, rejectionReason } from './bundle/rejected-bundles.js';
import type { SignedBundles } from './bundle/signed-bundles.js';
import { collectOnceIdle } from './collect-once-idle.js';
import type { Config } from './config.js';
import { startServer } from './main.js';
import { type Reload, type RunRollout, sourceHealth } from './service/services.js';
import { debugOnSignal } from './observe/log/debug-signal.js';
import type { Log, Logger } from './observe/log/logger.js';
import { RolloutControl } from './rollout/rollout-control.js';
import type { KnownBundle } from './service/rollout-command.js';
import type { RolloutChange } from './rollout/rollout.js';
import { BundleSource } from './bundle/bundle-source.js';
import { evaluateBundleText } from './swap/evaluate-bundle.js';
import { makeEngine } from './swap/serving-engine.js';
import { WORKER_VARIABLE } from './workers/worker-environment.js';

/** The arguments of dist/server.js. */
export interface Program {
  /** The path of the program: workers run it too. */
  readonly program: string;
  readonly config: Config;
  /** The bundle of a configuration without a source. */
  readonly bundleFile: string;
  readonly log: Log;
}

/** A server, in one process or several, that serves a bundle. */
interface Served extends Stoppable {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  /** Hash of the policies that it started with. */
  readonly startHash: string;
  /**
   * Makes a change in every process and returns the hashes of its bundles, in order. Rejects, and changes nothing, if
   * one of them cannot be served.
   */
  readonly apply: (change: RolloutChange) => Promise<readonly string[]>;
  /** Tells the processes that report the health what became of the source. */
  readonly sourceChanged: () => void;
}

/** The server as signals see it. */
export interface Stoppable {
  /** Answers calls in progress and stops serving. */
  readonly close: () => Promise<void>;
  /** Kills the other processes, if any, at once. */
  readonly abort?: () => void;
}

/**
 * Runs dist/server.js: serves, prints the ready line, uses new versions of the bundle, and stops on a signal. Rejects if
 * the server cannot start.
 */
export async function runProgram(options: Program): Promise<void> {
  const { config, log } = options;
  const logger = log.logger('authz.bundle');
  const trust = await openTrust(config.bundle);
  const rejected = new RejectedBundles();
  let served: Served | undefined;
  let control: RolloutControl | undefined;
  let problem: Error | undefined;
  const feed = await openFeed({
    config: { ...config.bundle, source: config.bundle.source ?? { kind: 'file', file: options.bundleFile } },
    trust,
    rejected,
    watch: config.server.watchBundle,
    log: logger,
    changed: (current) => {
      problem = current;
      control?.tell('current', current);
      served?.sourceChanged();
    },
  });
  const first = await firstServable(config, await feed.start(), logger);
  const { bundle } = first;
  const workers = config.server.workers ?? availableParallelism();
  debugOnSignal(log);
  let candidates: BundleSource | undefined;
  const look = async (): Promise<Error | undefined> => {
    const [refusal] = await Promise.all([feed.look(), candidates?.look()]);
    return refusal;
  };
  const shared: Shared = {
    audit: await openAudit(config, log),
    reload: async () => (await look())?.message,
    rollout: async (command) => (await control?.run(command)) ?? STARTING,
    status: feed.status,
    rejectedBundles: rejected.counts,
  };
  const running =
    workers > 1 ? await serveWithWorkers(options, bundle, workers, shared) : await serveAlone(options, bundle, shared);
  served = running;
  let { name } = bundle;
  const expiry = new ExpiryWatch((time) =>
    logger.error('the bundle has expired; it is still served', {
      file: name,
      expired: new Date(time).toISOString(),
    }),
  );
  const began = async (current: Omit<KnownBundle, 'hash' | 'loadedAt'>): Promise<void> => {
    name = current.name;
    expiry.serve(current);
    await trust?.accepted(current).catch((error: Error) => {
      logger.error('the sequence of the bundle cannot be remembered; an older one may be served after a restart', {
        error,
      });
    });
  };
  await began(bundle);
  const { stage, percent, id, candidate } = config.rollout;
  const { startHash: hash, apply } = running;
  const bundles = new RolloutControl({ current: bundle, hash, stage, percent, id, apply, began, logger });
  bundles.tell('current', problem);
  control = bundles;
  feed.follow(first, (next) => bundles.offer(next).catch(notUsed));
  if (candidate !== undefined) {
    candidates = candidateSource({ file: candidate, control: bundles, trust, rejected, logger });
    // Before the server is ready: its first calls are tried, too.
    await candidates.look();
    if (config.server.watchBundle) candidates.watch();
  }
  process.on('SIGHUP', () => void look());
  const stop = async (): Promise<void> => {
    candidates?.stop();
    await feed.stop();
  };
  endOnSignal({ ...running, close: () => closeAll(stop, running, log) });
  // Printed last: a reader of the line may stop the server at once.
  logPage(running, config, log);
  process.stdout.write(`${readyLine(running, config)}\n`);
  collectOnceIdle();
}

/** Undefined if no keys are configured: servers without them do not load what verifies signatures. */
async function openTrust({ trust, cache }: Config['bundle']): Promise<SignedBundles | undefined> {
  if (trust === undefined) return undefined;
  const { SignedBundles } = await import('./bundle/signed-bundles.js');
  return SignedBundles.open(trust, cache);
}

/** The first of several bundles that can be served; the last one is not tried. */
async function firstServable(
  config: Config,
  [first, ...others]: readonly FirstBundle[],
  log: Logger,
): Promise<FirstBundle> {
  if (first === undefined) throw new Error('the source returned no bundle');
  if (others.length === 0) return first;
  try {
    await makeEngine(config, await evaluateBundleText(first.bundle));
    return first;
  } catch (error) {
    log.error('the bundle cannot be served; serving the last known good one', {
      source: first.bundle.name,
      error: error as Error,
    });
    return firstServable(config, others, log);
  }
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

/** The address of the page with the playground, for browsers; undefined if the server has none, or no address. */
export function pageAddress(
  { httpAddress }: { readonly httpAddress: string },
  { server: { tls, apiExplorerEnabled } }: Config,
): string | undefined {
  if (!apiExplorerEnabled || httpAddress.startsWith('unix:')) return undefined;
  // Browsers do not open the address that stands for all.
  const host = httpAddress.replace(/^(?:0\.0\.0\.0|\[?::\]?)(?=:\d+$)/, 'localhost');
  return `${tls === undefined ? 'http' : 'https'}://${host}/`;
}

/** Tells where the page is: in the log, because programs read the line that the server is ready as the only one. */
export function logPage(running: { readonly httpAddress: string }, config: Config, log: Log): void {
  const address = pageAddress(running, config);
  if (address !== undefined) log.logger('authz.server').info(`playground and API explorer at ${address}`);
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

/** A bundle that was read could not be used: not a problem of reading it, whatever it was. */
function notUsed(error: Error): never {
  throw error instanceof RolledBackError ? error : new Error(error.message);
}

interface CandidateOptions {
  readonly file: string;
  readonly control: RolloutControl;
  readonly trust: SignedBundles | undefined;
  readonly rejected: RejectedBundles;
  readonly logger: Logger;
}

/** Where candidates come from: the one place that knows. They are trusted as bundles are. */
function candidateSource({ file, control, trust, rejected, logger }: CandidateOptions): BundleSource {
  return new BundleSource({
    file,
    companions: trust?.keyFiles ?? [],
    read: () => readBundleFile(file, trust),
    digest: '',
    watch: false,
    offer: async (next) => {
      const start = performance.now();
      const hash = await control.offerCandidate(next).catch(notUsed);
      control.tell('candidate', undefined);
      logger.info('trying a candidate', {
        file,
        hash,
        ...provenanceFields(next),
        time_ms: Math.round(performance.now() - start),
      });
    },
    failed: (error) => {
      const reason = rejectionReason(error);
      rejected.add(reason);
      control.tell('candidate', error);
      logger.error('the candidate cannot be tried', { file, reason, error });
    },
  });
}

const STARTING = { kind: 'refused', reason: 'the server is starting' } as const;

/** What both kinds of servers get. */
interface Shared {
  readonly audit: AuditLog | undefined;
  readonly reload: Reload;
  readonly rollout: RunRollout;
  readonly status: BundleFeed['status'];
  readonly rejectedBundles: RejectedBundles['counts'];
}

async function serveAlone({ config, log }: Program, bundle: BundleText, shared: Shared): Promise<Served> {
  const { status, ...surroundings } = shared;
  const evaluated = await evaluateBundleText(bundle);
  const server = await startServer(config, evaluated, {
    ...surroundings,
    log,
    ...(status !== undefined && { source: { status, health: () => sourceHealth(status()) } }),
  });
  const apply = async (change: RolloutChange): Promise<readonly string[]> => {
    try {
      const { hashes, commit } = await server.prepareChange(change);
      commit();
      return hashes;
    } catch (error) {
      server.refused();
      throw error;
    }
  };
  return { ...server, startHash: evaluated.policies.hash, apply, sourceChanged: () => undefined };
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
    audit: shared.audit,
    reload: shared.reload,
    rollout: shared.rollout,
    rejectedBundles: shared.rejectedBundles,
    source: shared.status,
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
  return { ...primary, startHash: primary.hash, close };
}

/** Opens the audit log of a configuration; its problems are logged. Returns undefined if auditing is disabled. */
export function openAudit(config: Config, log: Log): Promise<AuditLog | undefined> {
  const logger = log.logger('authz.audit');
  return openAuditLog(config.audit, (message, error) => logger.error(message, error === undefined ? {} : { error }));
}

async function closeAll(stop: () => Promise<void>, served: Served, log: Log): Promise<void> {
  await Promise.all([stop(), served.close()]);
  await log.flush();
}

/**
 * Percentage of the live heap: at 50, garbage collection costs a tenth of a call over gRPC; from 75 on, the cost is not
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
