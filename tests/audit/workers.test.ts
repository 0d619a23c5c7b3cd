import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AUDIT_DEFAULTS } from '../../server/config/audit-config.js';
import { type AuditLog, auditPrimary, openAuditLog, workerAuditLog } from '../../server/audit/audit-log.js';
import { readAuditLog } from '../../server/audit/reader.js';
import { Link, type Topics } from '../../server/workers/link.js';
import { configWith, sampleRecord } from '../support/audit/samples.js';
import { inTempFolder } from './temp-folder.js';

test('entries of workers are in the log of the primary once they close theirs, and every entry is counted once', () =>
  inTempFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const config = configWith({
      backend: 'file',
      file: { ...AUDIT_DEFAULTS.file, path },
      queue: { maxEntries: 500, maxSizeMB: 1 },
    });
    const log = (await openAuditLog(config, assert.unreachable)) as AuditLog;
    const counts = await Promise.all([1, 2].map((worker) => workerDone(log, [String(worker), '20000'])));
    await log.sink.close();
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    assert.is(lines.length, 40_000);
    assert.is(log.sink.stats().written.access, 40_000);
    assert.equal(
      counts.flat(),
      new Array(2)
        .fill([
          { kind: 'access', written: 0, dropped: 0, failed: 0 },
          { kind: 'decision', written: 0, dropped: 0, failed: 0 },
        ])
        .flat(),
    );
  }));

/** Runs a worker over a real IPC channel and returns its counts. */
function workerDone(log: AuditLog, parts: readonly string[]): Promise<readonly unknown[]> {
  const child = fork(fileURLToPath(new URL('worker-child.ts', import.meta.url)), [...parts], {
    serialization: 'advanced',
    execArgv: ['--import', 'tsx'],
  });
  return new Promise((resolve) => {
    const link = linkOf(child, log);
    link.answer('done', (counts) => {
      resolve(counts as readonly unknown[]);
      setImmediate(() => child.disconnect());
    });
  });
}

function linkOf(child: ChildProcess, log: AuditLog): Link<Topics, Topics> {
  const link = new Link<Topics, Topics>({ send: (message, sent) => void child.send(message as object, sent) });
  const primary = auditPrimary(log, 'after_reply');
  link.answer('take', (records) => primary.take(records as never));
  child.on('message', (message) => link.receive(message));
  return link;
}

test('a worker that cannot reach the primary counts its losses and closes', async () => {
  const problems: string[] = [];
  const gone = {
    take: () => Promise.reject(new Error('the other process is gone')),
    page: () => Promise.reject(new Error('gone')),
  };
  const log = workerAuditLog(configWith({ backend: 'file' }), gone, (message) => problems.push(message));
  for (let index = 0; index < 10; index++) log.sink.put(sampleRecord(index));
  await log.sink.close();
  assert.equal(log.counts(), [
    { kind: 'access', written: 0, dropped: 0, failed: 5 },
    { kind: 'decision', written: 0, dropped: 0, failed: 5 },
  ]);
  assert.match(problems[0] ?? '', /the other process is gone/);
  assert.is(log.reader, undefined);
});

test('the primary answers the query of a worker, and includes the entries of that worker', () =>
  inTempFolder(async (folder) => {
    const config = configWith({ backend: 'local', local: { ...AUDIT_DEFAULTS.local, storagePath: folder } });
    const log = (await openAuditLog(config, assert.unreachable)) as AuditLog;
    const worker = workerAuditLog(config, auditPrimary(log, 'after_reply'), assert.unreachable);
    for (let index = 0; index < 300; index++) worker.sink.put(sampleRecord(index * 2));
    const found: unknown[] = [];
    for await (const entry of readAuditLog(worker.reader as NonNullable<AuditLog['reader']>, {
      kind: 'access',
      by: 'tail',
      count: 1000,
    }))
      found.push(entry);
    assert.is(found.length, 300);
    await worker.sink.close();
    await log.sink.close();
  }));

test.run();
