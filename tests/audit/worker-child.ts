import { workerAuditLog } from '../../server/audit/audit-log.js';
import { Link, type Topics } from '../../server/workers/link.js';
import { configWith, sampleRecord } from '../support/audit/samples.js';

/** A worker that puts entries as fast as its primary accepts them, closes its log, and reports the counts. */
const [, count = '0'] = process.argv.slice(2);
const link = new Link<Topics, Topics>({
  send: (message, sent) => void process.send?.(message, undefined, undefined, sent),
});
process.on('message', (message) => link.receive(message));
const primary = {
  take: async (records: unknown): Promise<number> => (await link.ask('take', records)) as number,
  page: () => Promise.reject(new Error('not asked here')),
};
const log = workerAuditLog(
  configWith({ backend: 'file', queue: { maxEntries: 500, maxSizeMB: 1 } }),
  primary,
  console.error,
);
for (let index = 0; index < Number(count); index++) {
  log.sink.put(sampleRecord(index * 2));
  if (index % 100 === 99) await log.sink.ready();
}
await log.sink.close();
await link.ask('done', log.counts());
