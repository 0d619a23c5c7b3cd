import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuditLog, openAuditLog } from '../../server/audit/audit-log.js';
import { objectKey } from '../../server/audit/s3/s3-backend.js';
import { AUDIT_DEFAULTS, type AuditConfig, type S3AuditConfig } from '../../server/config/audit-config.js';
import { configWith, sampleRecord } from '../support/audit/samples.js';
import { S3_KEY, type S3Storage, startS3 } from '../support/server/s3.js';
import { inTempFolder } from './temp-folder.js';
import { LAST_RESORT, until, within } from '../support/timeout.js';

const s3Config = (endpoint: string, changes: Partial<S3AuditConfig> = {}): AuditConfig =>
  configWith({
    backend: 's3',
    s3: { ...AUDIT_DEFAULTS.s3, bucket: 'logs', endpoint, pathStyle: true, retryTimeout: LAST_RESORT, ...changes },
  });

const open = async (config: AuditConfig, problems: string[] = []): Promise<AuditLog> =>
  (await openAuditLog(config, (message) => problems.push(message))) as AuditLog;

/** The indexes of the entries of each object. */
const batchesOf = (storage: S3Storage): readonly (readonly number[])[] =>
  [...storage.objects().values()].map((content) =>
    gunzipSync(content)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).index),
  );
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const sorted = (indexes: readonly number[]): readonly number[] => [...indexes].sort((a, b) => a - b);

test.before(() => {
  Object.assign(process.env, S3_KEY);
});

test.after(() => {
  for (const name of Object.keys(S3_KEY)) delete process.env[name];
});

test('objects are named by the hour, and have the lines of files', async () => {
  assert.is(
    objectKey('/logs/authz/', Date.UTC(2024, 4, 6, 7, 8, 9), 'host-1'),
    'logs/authz/2024/05/06/07/host-1.ndjson.gz',
  );
  assert.is(objectKey('', Date.UTC(2024, 4, 6, 7), 'a'), '2024/05/06/07/a.ndjson.gz');
  const storage = await startS3({ bucket: 'logs' });
  try {
    const log = await open(s3Config(storage.endpoint));
    log.sink.put(sampleRecord(1));
    await log.sink.close();
    const [[key, content] = ['', Buffer.alloc(0)]] = storage.objects();
    assert.match(key, /^audit\/\d{4}\/\d\d\/\d\d\/\d\d\/.+-[0-9A-Z]{26}\.ndjson\.gz$/);
    assert.match(gunzipSync(content).toString(), /^\{"log\.logger":"authz\.audit","log\.kind":"decision","callId":/);
  } finally {
    await storage.close();
  }
});

test('a batch ends by count, by size and by age', async () => {
  const storage = await startS3({ bucket: 'logs' });
  try {
    const byCount = await open(s3Config(storage.endpoint, { maxBatchEntries: 10 }));
    for (let index = 0; index < 25; index++) byCount.sink.put(sampleRecord(index));
    await byCount.sink.close();
    assert.equal(
      batchesOf(storage)
        .map(({ length }) => length)
        .sort(),
      [10, 10, 5],
    );
    const bySize = await open(s3Config(storage.endpoint, { maxBatchSizeMB: 1 }));
    for (let index = 0; index < 4; index++) bySize.sink.put(sampleRecord(index, 0, 400_000));
    await bySize.sink.close();
    assert.is(batchesOf(storage).length, 3 + 2);
    const byAge = await open(s3Config(storage.endpoint, { flushInterval: 50 }));
    byAge.sink.put(sampleRecord(0));
    await until(() => storage.objects().size === 6, 'six objects');
    // Then the last object is complete.
    await byAge.sink.close();
    assert.is(batchesOf(storage).length, 6);
  } finally {
    await storage.close();
  }
});

test('a storage that is away, and one that fails, delay entries and lose and repeat none', () =>
  inTempFolder(async (folder) => {
    const first = await startS3({ bucket: 'logs', folder });
    const port = Number(new URL(first.endpoint).port);
    const log = await open(s3Config(first.endpoint, { maxBatchEntries: 50, requestTimeout: 1000 }));
    for (let index = 0; index < 200; index++) log.sink.put(sampleRecord(index));
    await wait(50);
    await first.close();
    for (let index = 200; index < 400; index++) log.sink.put(sampleRecord(index));
    const failing = createServer((_, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => failing.listen(port, '127.0.0.1', resolve));
    await wait(400);
    failing.closeAllConnections();
    await new Promise((resolve) => failing.close(resolve));
    const second = await startS3({ bucket: 'logs', folder, port });
    try {
      await log.sink.close();
      assert.equal(log.sink.stats().failed, { access: 0, decision: 0 });
      assert.equal(sorted(batchesOf(second).flat()), upTo(400));
    } finally {
      await second.close();
    }
  }));

test('what cannot be stored is given up in time, when running and when closing, and is counted and logged', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  try {
    const problems: string[] = [];
    const log = await open(s3Config(endpoint, { retryTimeout: 0, requestTimeout: 100 }), problems);
    log.sink.put(sampleRecord(0));
    await log.sink.flush();
    assert.equal(log.sink.stats().failed, { access: 1, decision: 0 });
    assert.match(
      problems.join('\n'),
      /1 audit entries could not be written: PUT s3:\/\/logs\/audit\/.*no complete response in 100 ms/,
    );
    await log.sink.close();
    const closing = await open(s3Config(endpoint, { closeTimeout: 200 }), problems);
    for (let index = 0; index < 3; index++) closing.sink.put(sampleRecord(index));
    // What it waits for never answers.
    await within(closing.sink.close(), 'the end of the log');
    assert.match(problems.join('\n'), /3 audit entries could not be written before the log was closed/);
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});

test('credentials are read for each object, so that a file can be replaced', () =>
  inTempFolder(async (folder) => {
    const credentialsFile = join(folder, 'credentials');
    const storage = await startS3({ bucket: 'logs' });
    try {
      writeFileSync(credentialsFile, '[default]\naws_access_key_id=S3RVER\naws_secret_access_key=old\n');
      const problems: string[] = [];
      const log = await open(s3Config(storage.endpoint, { credentialsFile }), problems);
      log.sink.put(sampleRecord(0));
      const flushed = log.sink.flush();
      await wait(200);
      writeFileSync(credentialsFile, '[default]\naws_access_key_id=S3RVER\naws_secret_access_key=S3RVER\n');
      await flushed;
      await log.sink.close();
      assert.equal(batchesOf(storage), [[0]]);
      assert.equal(problems, []);
    } finally {
      await storage.close();
    }
  }));

test.run();
