import { writeSync } from 'node:fs';
import { AUDIT_DEFAULTS } from '../../server/audit/audit-config.js';
import { openLocalBackend } from '../../server/audit/local/local-backend.js';
import { sampleRecord } from './samples.js';

/** Writes until it is killed, in the middle of whatever it does, and prints after each batch how many entries were acknowledged. */
const [storagePath = ''] = process.argv.slice(2);
const backend = await openLocalBackend({ ...AUDIT_DEFAULTS.local, storagePath }, console.error);
for (let acknowledged = 0; ; ) {
  const records = Array.from({ length: 16 }, (_, index) => sampleRecord(acknowledged + index, Date.now(), 500));
  acknowledged += (await backend.write(records)).written;
  writeSync(1, `${acknowledged}\n`);
}
