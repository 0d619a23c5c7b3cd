import { AUDIT_DEFAULTS } from '../../server/config/audit-config.js';
import { openAuditLog } from '../../server/audit/audit-log.js';
import { configWith, sampleRecord } from '../support/audit/samples.js';

/** Puts more entries into a database than its file may hold. Prints how many were written and how many failed. */
const [storagePath = ''] = process.argv.slice(2);
const log = await openAuditLog(
  configWith({ backend: 'local', local: { ...AUDIT_DEFAULTS.local, storagePath } }),
  () => {},
);
for (let index = 0; index < 2000; index++) {
  log?.sink.put(sampleRecord(index * 2, Date.now(), 500));
  if (index % 100 === 0) await log?.sink.flush();
}
await log?.sink.close();
const [access] = log?.counts() ?? [];
console.log(`${access?.written} ${access?.failed}`);
