import type { Socket } from 'node:net';
import { type AuditLog, workerAuditLog } from '../audit/audit-log.js';
import { collectOnceIdle } from '../collect-once-idle.js';
import type { AuditConfig } from '../config/audit-config.js';
import { type ListeningServer, type PreparedChange, type RunningServer, startServer } from '../main.js';
import { debugOnSignal } from '../observe/log/debug-signal.js';
import type { Log } from '../observe/log/logger.js';
import { openLog } from '../observe/log/open-log.js';
import type { BundleText } from '../bundle/read-bundle.js';
import { evaluateBundleText } from '../swap/evaluate-bundle.js';
import { Link } from './link.js';
import type { PrimaryTopics, WorkerTopics } from './topics.js';

/**
 * Runs a worker process: gets the configuration and the bundle from the primary, serves, and stops when the primary
 * asks it to, on SIGTERM, or when the primary has exited.
 */
export async function runWorker(): Promise<void> {
  const log = openLog();
  debugOnSignal(log);
  const link: Link<PrimaryTopics, WorkerTopics> = new Link({
    send: (message, sent) => {
      if (process.connected) process.send?.(message, undefined, undefined, sent);
      else sent(new Error('not connected'));
    },
  });
  process.on('message', (message, socket) => link.receive(message, socket as Socket | undefined));
  process.on('disconnect', () => process.exit(0));
  // A terminal sends Ctrl-C to all processes of a group: the primary decides when to stop. It also forwards SIGHUP to
  // its listeners.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  let server: ListeningServer | undefined;
  const stop = async (): Promise<undefined> => {
    // Asked to stop before it serves, it has nothing to answer.
    await server?.close();
    process.exit(0);
  };
  link.answer('stop', stop);
  // A signal to this worker or to the group: it stops when it gets no more connections.
  process.on('SIGTERM', () => void (server === undefined ? stop() : link.ask('leave', undefined).then(stop, stop)));
  try {
    server = await serveAsWorker(link, log);
  } catch (error) {
    await link.ask('failed', error instanceof Error ? error.message : String(error)).catch(() => {});
    process.exit(1);
  }
}

/**
 * Serves, in a worker process, the connections that the primary process passes on, and swaps bundles when the primary
 * asks it to.
 */
async function serveAsWorker(link: Link<PrimaryTopics, WorkerTopics>, log: Log): Promise<RunningServer> {
  const { config, change, ticketKeys, source } = await link.ask('begin', undefined);
  const { version, current } = change.rollout;
  // A change comes with its bundles.
  const bundle = change.texts.find(({ digest }) => digest === current) as BundleText;
  let health = source;
  const server = await startServer(config, await evaluateBundleText(bundle), {
    log,
    audit: config.audit.enabled ? makeAuditLog(config.audit, link, log) : undefined,
    scrapeAll: () => link.ask('scrape', undefined, PATIENCE),
    allTurn: () => link.ask('allTurn', undefined, PATIENCE).catch(() => false),
    reload: () => link.ask('reload', undefined),
    rollout: (command) => link.ask('rollout', command),
    ...(source !== undefined && { source: { health: () => health ?? source } }),
    accepted: { ticketKeys: Buffer.from(ticketKeys) },
  });

  if (version > 0) (await server.prepareChange(change)).commit();

  let prepared: { readonly version: number; readonly change: PreparedChange } | undefined;
  link.answer('prepare', async (next) => {
    try {
      const change = await server.prepareChange(next);
      prepared = { version: next.rollout.version, change };
      return change.hashes;
    } catch (error) {
      server.refused();
      throw error;
    }
  });
  link.answer('commit', (asked) => {
    if (prepared?.version !== asked) throw new Error('another change was prepared');
    prepared.change.commit();
    prepared = undefined;
    return undefined;
  });
  link.answer('abort', () => {
    prepared = undefined;
    server.refused();
    return undefined;
  });
  link.answer('source', (current) => {
    health = current;
    return undefined;
  });
  link.answer('turn', () => undefined);
  link.answer('snapshot', () => server.metrics?.snapshot());

  link.answer('take', (port, socket: Socket | undefined) => {
    // No connection arrived: it had ended before it could be passed on.
    if (socket !== undefined) server.take[port](socket);
    return undefined;
  });
  link.answer('retire', () => {
    server.retire();
    return undefined;
  });

  await link.ask('ready', { version, hash: server.hash() });
  collectOnceIdle();
  return server;
}

/** How long the primary process may take to query all workers, in milliseconds. */
const PATIENCE = 5000;

function makeAuditLog(config: AuditConfig, link: Link<PrimaryTopics, WorkerTopics>, log: Log): AuditLog {
  const logger = log.logger('authz.audit');
  const primary = {
    take: async (records: PrimaryTopics['audit']['asks']) => link.ask('audit', records),
    page: (query: PrimaryTopics['auditPage']['asks']['query'], after: PrimaryTopics['auditPage']['asks']['after']) =>
      link.ask('auditPage', { query, after }, PATIENCE),
  };
  return workerAuditLog(config, primary, (message, error) =>
    logger.error(message, error === undefined ? {} : { error }),
  );
}
