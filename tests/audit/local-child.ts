import { writeSync } from 'node:fs';
import { AUDIT_DEFAULTS } from '../../server/config/audit-config.js';
import { openLocalBackend } from '../../server/audit/local/local-backend.js';
import { sampleRecord } from '../support/audit/samples.js';

/**
 * Writes entries from an index on until it is killed, at any point of its work. Prints the index of the next entry
 * after each batch.
 */
const [storagePath = '', first = '0'] = process.argv.slice(2);
const problem = (message: string): void => void writeSync(2, `${message}\n`);
const backend = await openLocalBackend({ ...AUDIT_DEFAULTS.local, storagePath }, problem);
for (let next = Number(first); ; ) {
  const records = Array.from({ length: 16 }, (_, index) => sampleRecord(next + index, Date.now(), 500));
  next += (await backend.write(records)).written;
  writeSync(1, `${next}\n`);
}
