import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditLog, type AuditPrimary, auditPrimary } from '../audit/audit-log.js';
import type { Config } from '../config.js';
import { hasOneListener } from '../config/address.js';
import type { Logger } from '../observe/log/logger.js';
import { auditFamilies } from '../observe/metrics/audit-metrics.js';
import { rejectionFamilies } from '../observe/metrics/bundle-metrics.js';
import { sourceFamilies } from '../observe/metrics/source-metrics.js';
import { WorkerTotals } from '../observe/metrics/worker-totals.js';
import { type Listener, openListener } from '../listen.js';
import type { SourceStatus } from '../observe/options.js';
import { type Reload, type RunRollout, type SourceHealth, sourceHealth } from '../service/services.js';
import { hasBundle, initialRollout, type RolloutChange } from '../rollout/rollout.js';
import type { BundleText } from '../bundle/read-bundle.js';
import { Fleet, type Member } from './fleet.js';
import { HandOver } from './hand-over.js';
import { swapAll } from './swap-all.js';
import type { PortName } from './topics.js';

/** The options of the primary process. */
export interface PrimaryOptions {
  /** The program that workers run, dist/server.js. */
  readonly program: string;
  readonly config: Config;
  readonly workers: number;
  readonly bundle: BundleText;
  /** Closed by the caller, after the workers have exited. */
  readonly audit: AuditLog | undefined;
  readonly reload: Reload;
  /** Carries out requests of the admin API. */
  readonly rollout: RunRollout;
  /** How many bundles were rejected, by reason. */
  readonly rejectedBundles: () => ReadonlyMap<string, number>;
  /** What became of the source of the bundle; undefined if it is a file. */
  readonly source: (() => SourceStatus) | undefined;
  readonly log: Logger;
}

/** A server of several processes, as seen by the primary process, which serves no requests. */
export interface Primary {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  /** Hash of the policies that the workers started with. */
  readonly hash: string;
  /**
   * Makes a change in all workers and returns the hashes of its bundles, in order. If it rejects, with the reason, it
   * was made in none.
   */
  readonly apply: (change: RolloutChange) => Promise<readonly string[]>;
  /** All workers answer the calls in progress and exit. */
  readonly close: () => Promise<void>;
  /** Tells all workers what became of the source of the bundle. */
  readonly sourceChanged: () => void;
  /** All workers are killed. */
  readonly abort: () => void;
  /** Forwards a signal to all workers. */
  readonly signal: (signal: NodeJS.Signals) => void;
}

/**
 * Starts the workers of a server and replaces those that die. This process accepts connections and passes them to the
 * workers in turn, without reading a byte of a request; it distributes bundles to the workers and aggregates their
 * metrics. Resolves when all workers are ready and it listens; rejects with the reason if a worker cannot start or it
 * cannot listen.
 */
export async function startPrimary(options: PrimaryOptions): Promise<Primary> {
  return new Promise((resolve, reject) => {
    const { log, workers, audit, config } = options;
    const handOver = new HandOver();
    const ticketKeys = randomBytes(TICKET_KEYS);
    let isStopping = false;
    const totals = new WorkerTotals();
    /** The rollout with all its bundles, for workers that start. */
    let current: RolloutChange = { rollout: initialRollout(options.bundle), texts: [options.bundle] };
    let swapping: Promise<unknown> = Promise.resolve();
    const health = (): SourceHealth | undefined => options.source && sourceHealth(options.source());

    const apply = async (change: RolloutChange): Promise<readonly string[]> => {
      const result = await swapAll(fleet.serving(), change);
      if (result.kind === 'refused') throw new Error(result.reason);
      const { rollout } = change;
      const texts = new Map([...current.texts, ...change.texts].map((text) => [text.digest, text]));
      current = { rollout, texts: [...texts.values()].filter(({ digest }) => hasBundle(rollout, digest)) };
      await Promise.all(fleet.serving().map(catchUp));
      return result.hashes;
    };
    const applyInTurn = (change: RolloutChange): Promise<readonly string[]> => {
      const applied = swapping.then(() => apply(change));
      swapping = applied.catch(() => {});
      return applied;
    };
    /** A worker may have started just before a change. */
    const catchUp = async (member: Member): Promise<void> => {
      if (member.version !== undefined && member.version < current.rollout.version) await swapAll([member], current);
    };

    let isServing = false;
    const fleet = new Fleet({
      program: options.program,
      count: workers,
      answers: (member) => {
        member.link.answer('begin', () => ({ config, change: current, ticketKeys, source: health() }));
        member.link.answer('leave', async () => {
          await handOver.leave(member);
          return undefined;
        });
        member.link.answer('allTurn', () => allTurn(fleet.serving()));
        member.link.answer('reload', () => options.reload());
        member.link.answer('rollout', (command) => options.rollout(command));
        member.link.answer('scrape', () => scrape(fleet.serving(), totals, options));
        if (audit !== undefined) answerAudit(member, auditPrimary(audit, config.audit.delivery));
      },
      serves: (member, hash) => {
        swapping = swapping.then(() => catchUp(member));
        if (!isStopping) handOver.add(member);
        if (isServing || fleet.serving().length < workers) return;
        isServing = true;
        openListeners(config, handOver).then((listeners) => listening(listeners, hash), failed);
      },
      gone: (member) => handOver.remove(member),
      lost: (member, how, restart) => {
        totals.ended(member.id);
        tellLost(log, member, how, restart);
      },
      failed: (message) => {
        fleet.kill();
        if (isServing) {
          log.error('workers keep failing to start; giving up');
          process.exit(1);
        }
        reject(new Error(message));
      },
    });
    const listening = ([http, grpc]: Listeners, hash: string): void => {
      const close = async (): Promise<void> => {
        isStopping = true;
        await fleet.retire();
        // Clients that watch the health send new calls elsewhere; until they notice, calls are still answered.
        await sleep(config.server.shutdownGrace);
        await Promise.all([...new Set([http, grpc])].map((listener) => listener.close()));
        await handOver.settled();
        await fleet.stop();
      };
      resolve({
        httpAddress: http.address,
        grpcAddress: grpc.address,
        hash,
        apply: applyInTurn,
        sourceChanged: () => tellSource(fleet.serving(), health()),
        close,
        abort: () => fleet.kill(),
        signal: (signal) => fleet.signal(signal),
      });
    };
    const failed = (error: unknown): void => {
      fleet.kill();
      reject(error as Error);
    };
    fleet.start();
  });
}

/** The size of the key material from which the platform derives ticket keys. */
const TICKET_KEYS = 48;

type Listeners = readonly [http: Listener, grpc: Listener];

async function openListeners({ server }: Config, handOver: HandOver): Promise<Listeners> {
  const open = (port: PortName): Promise<Listener> =>
    openListener({
      address: server[`${port}ListenAddr`],
      key: `server.${port}ListenAddr`,
      socketMode: server.udsFileMode,
      unread: true,
      onConnection: (socket) => handOver.accept(port, socket),
    });
  if (hasOneListener(server)) {
    const both = await open('http');
    return [both, both];
  }
  const grpc = await open('grpc');
  try {
    return [await open('http'), grpc];
  } catch (error) {
    await grpc.close();
    throw error;
  }
}

function tellLost(log: Logger, { id }: Member, how: string, restart: number | undefined): void {
  if (restart === undefined) log.debug('a worker exited', { worker: id, reason: how });
  else log.warn('a worker exited and is being replaced', { worker: id, reason: how, after_ms: restart });
}

/** A worker whose event loop has not responded for this many milliseconds is stuck. */
const TURN_PATIENCE = 2000;

async function allTurn(members: readonly Member[]): Promise<boolean> {
  const turns = members.map(({ link }) =>
    link.ask('turn', undefined, TURN_PATIENCE).then(
      () => true,
      // A worker that has exited is not stuck.
      () => !link.isOpen,
    ),
  );
  return (await Promise.all(turns)).every(Boolean);
}

/** If a worker does not respond in time, its last snapshot counts. */
const SCRAPE_PATIENCE = 2000;
/** A number that no worker has. */
const PRIMARY = 0;

async function scrape(
  members: readonly Member[],
  totals: WorkerTotals,
  { audit, rejectedBundles, source }: PrimaryOptions,
): Promise<string> {
  const record = async ({ id, link }: Member): Promise<void> => {
    const snapshot = await link.ask('snapshot', undefined, SCRAPE_PATIENCE).catch(() => undefined);
    if (snapshot !== undefined && link.isOpen) totals.record(id, snapshot);
  };
  await Promise.all(members.map(record));
  // This process knows the outcome of audit entries and of bundles, and asks the source.
  totals.record(PRIMARY, [
    ...(audit === undefined ? [] : auditFamilies(audit.counts())),
    ...rejectionFamilies(rejectedBundles()),
    ...(source === undefined ? [] : sourceFamilies(source())),
  ]);
  return totals.text();
}

function tellSource(members: readonly Member[], health: SourceHealth | undefined): void {
  if (health === undefined) return;
  // A worker that does not hear it has exited.
  for (const { link } of members) link.ask('source', health).catch(() => undefined);
}

function answerAudit({ link }: Member, primary: AuditPrimary): void {
  link.answer('audit', (records) => primary.take(records));
  link.answer('auditPage', ({ query, after }) => primary.page(query, after));
}
