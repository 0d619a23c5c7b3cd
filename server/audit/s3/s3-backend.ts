import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { S3AuditConfig } from '../../config/audit-config.js';
import { ConfigError } from '../../config/config-error.js';
import { bucketAddress, S3Client } from '../../s3/s3-client.js';
import { CallIds } from '../../service/call-id.js';
import type { AuditBackend, Written } from '../backend.js';
import { entryLines } from '../file/entry-line.js';
import type { StoredRecord } from '../record.js';
import { Retries } from '../retries.js';

const MEBI = 1024 * 1024;
const compress = promisify(gzip);

/**
 * Objects in S3-compatible storage (docs/spec/server.md#audit-backends): each is a batch, of the lines that the file
 * backend writes, compressed. A batch that cannot be stored is tried again under the same name. Throws a ConfigError
 * for a CA file that cannot be read.
 */
export function openS3Backend(config: S3AuditConfig): AuditBackend<StoredRecord> {
  const client = new S3Client({
    ...bucketAddress(config, config.bucket),
    credentials: { file: config.credentialsFile, profile: config.profile },
    ca: config.caPath === undefined ? undefined : readCa(config.caPath),
    timeout: config.requestTimeout,
  });
  const retries = new Retries(config.retryTimeout);
  const ids = new CallIds();
  const host = hostname();
  const write = async (records: readonly StoredRecord[]): Promise<Written> => {
    const now = Date.now();
    const key = objectKey(config.prefix, now, `${host}-${ids.next(now)}`);
    const content = await compress(entryLines(records));
    const error = await retries.run(() => client.put(key, content, { contentType: 'application/gzip' }));
    return { written: error === undefined ? records.length : 0, error };
  };
  return {
    batch: {
      minRecords: config.maxBatchEntries,
      maxWait: config.flushInterval,
      maxRecords: config.maxBatchEntries,
      maxLength: config.maxBatchSizeMB * MEBI,
    },
    write,
    close: async () => {
      retries.stop();
      await client.close();
    },
    reader: undefined,
    closeTimeout: config.closeTimeout,
  };
}

/** `prefix/2024/05/06/07/host-01HX7QJ8Z3ABCDEFGHJKMNPQRS.ndjson.gz`, in UTC: names sort by time. */
export function objectKey(prefix: string, time: number, name: string): string {
  const hour = new Date(time).toISOString().slice(0, 13).replaceAll(/[-T]/g, '/');
  const folder = prefix.replaceAll(/^\/+|\/+$/g, '');
  return `${folder === '' ? '' : `${folder}/`}${hour}/${name}.ndjson.gz`;
}

function readCa(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError((error as Error).message, 'audit.s3.caPath');
  }
}
