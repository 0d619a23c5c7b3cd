import { type ListeningServer, type Prepared, startServer } from '../main.js';
import { evaluateBundle } from '../swap/evaluate-bundle.js';
import { type AuditLog, workerAuditLog } from '../audit/audit-log.js';
import type { AuditConfig } from '../audit/audit-config.js';
import type { Log } from '../observe/log/logger.js';
import type { Link } from './link.js';
import type { PrimaryTopics, WorkerTopics } from './topics.js';

/** Serves in a worker process what the primary process says, and follows it from one bundle to the next. */
export async function listenAsWorker(link: Link<PrimaryTopics, WorkerTopics>, log: Log): Promise<ListeningServer> {
  const { config, bundle } = await link.ask('begin', undefined);
  const server = await startServer(config, await evaluateBundle(bundle.text, bundle.file), {
    log,
    audit: config.audit.enabled ? auditLogOf(config.audit, link, log) : undefined,
    scrapeAll: () => link.ask('scrape', undefined, PATIENCE),
    sharesSockets: true,
  });

  let prepared: { readonly digest: string; readonly bundle: Prepared } | undefined;
  link.answer('prepare', async ({ text, file, digest }) => {
    try {
      const next = await evaluateBundle(text, file);
      prepared = { digest, bundle: await server.prepare(next) };
      return next.policies.hash;
    } catch (error) {
      server.refused();
      throw error;
    }
  });
  link.answer('commit', (digest) => {
    if (prepared?.digest !== digest) throw new Error('another bundle was prepared');
    prepared.bundle.commit();
    prepared = undefined;
    return undefined;
  });
  link.answer('abort', () => {
    prepared = undefined;
    server.refused();
    return undefined;
  });
  link.answer('snapshot', () => server.metrics?.snapshot());

  const { httpAddress, grpcAddress } = server;
  await link.ask('ready', { httpAddress, grpcAddress, digest: bundle.digest });
  return server;
}

/** How long the primary process may take to add up the metrics of all workers, in milliseconds. */
const PATIENCE = 5000;

function auditLogOf(config: AuditConfig, link: Link<PrimaryTopics, WorkerTopics>, log: Log): AuditLog {
  const logger = log.logger('authz.audit');
  const primary = {
    take: async (records: PrimaryTopics['audit']['asks']) => link.ask('audit', records),
    page: (query: PrimaryTopics['auditPage']['asks']['query'], after: PrimaryTopics['auditPage']['asks']['after']) => link.ask('auditPage', { query, after }, PATIENCE),
  };
  return workerAuditLog(config, primary, (message, error) => logger.error(message, error === undefined ? {} : { error }));
}
