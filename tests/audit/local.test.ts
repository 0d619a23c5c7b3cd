import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sqlite from 'node-sqlite3-wasm';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuditConfig, AUDIT_DEFAULTS, type LocalAuditConfig } from '../../server/config/audit-config.js';
import { type AuditLog, openAuditLog } from '../../server/audit/audit-log.js';
import { type AuditQuery, readAuditLog } from '../../server/audit/reader.js';
import { configWith, sampleRecord } from '../support/audit/samples.js';
import { Random } from '../support/oracle/random.js';
import { inTempFolder } from './temp-folder.js';
import { until } from '../support/timeout.js';

const HOUR = 3_600_000;
const NOW = Date.now();

const localConfig = (storagePath: string, changes: Partial<LocalAuditConfig> = {}): AuditConfig =>
  configWith({ backend: 'local', local: { ...AUDIT_DEFAULTS.local, storagePath, ...changes } });

async function openLog(
  folder: string,
  changes: Partial<LocalAuditConfig> = {},
  onProblem = (message: string): void => assert.unreachable(message),
): Promise<AuditLog> {
  return (await openAuditLog(localConfig(folder, changes), onProblem)) as AuditLog;
}

async function read(log: AuditLog, query: AuditQuery): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const entry of readAuditLog(log.reader as NonNullable<AuditLog['reader']>, query))
    found.push((entry as unknown as { index: number }).index);
  return found;
}

/** Entry `index` is `index` minutes old. Even entries are access entries. */
function fill(log: AuditLog, count: number): void {
  for (let index = count - 1; index >= 0; index--) log.sink.put(sampleRecord(index, NOW - index * 60_000));
}

test('tail returns the newest entries of one kind first, including those just written', () =>
  inTempFolder(async (folder) => {
    const log = await openLog(folder);
    fill(log, 20);
    assert.equal(await read(log, { kind: 'access', by: 'tail', count: 3 }), [0, 2, 4]);
    assert.equal(await read(log, { kind: 'decision', by: 'tail', count: 1000 }), [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    await log.sink.close();
  }));

test('between and since return the oldest entries first, and include both bounds', () =>
  inTempFolder(async (folder) => {
    const log = await openLog(folder);
    fill(log, 20);
    assert.equal(
      await read(log, { kind: 'access', by: 'between', start: NOW - 6 * 60_000, end: NOW - 2 * 60_000 }),
      [6, 4, 2],
    );
    assert.equal(await read(log, { kind: 'access', by: 'between', start: NOW + 1, end: NOW + 2 }), []);
    await log.sink.close();
  }));

test('lookup returns every entry of a call, and nothing for an unknown id', () =>
  inTempFolder(async (folder) => {
    const log = await openLog(folder);
    const callId = '7'.padStart(26, '0');
    for (let copy = 0; copy < 3; copy++) log.sink.put(sampleRecord(7, NOW + copy));
    assert.equal(await read(log, { kind: 'decision', by: 'lookup', callId }), [7, 7, 7]);
    assert.equal(await read(log, { kind: 'access', by: 'lookup', callId }), []);
    assert.equal(await read(log, { kind: 'decision', by: 'lookup', callId: 'X'.repeat(26) }), []);
    await log.sink.close();
  }));

test('a query spans pages, even among entries with equal timestamps', () =>
  inTempFolder(async (folder) => {
    const log = await openLog(folder);
    for (let index = 0; index < 1500; index++) log.sink.put(sampleRecord(index * 2, NOW));
    const all = Array.from({ length: 1500 }, (_, index) => index * 2);
    assert.equal(await read(log, { kind: 'access', by: 'between', start: NOW, end: NOW }), all);
    assert.equal(await read(log, { kind: 'access', by: 'tail', count: 250 }), all.slice(-250).reverse());
    await log.sink.close();
  }));

test('entries persist after closing and reopening', () =>
  inTempFolder(async (folder) => {
    const first = await openLog(folder);
    fill(first, 10);
    await first.sink.close();
    assert.not.ok(existsSync(join(folder, 'owner')));
    const second = await openLog(folder);
    assert.is((await read(second, { kind: 'access', by: 'tail', count: 100 })).length, 5);
    await second.sink.close();
  }));

test('a database of an earlier release keeps its pages, and returns what a new one returns', () =>
  inTempFolder(async (folder) => {
    const earlier = join(folder, 'earlier');
    const current = join(folder, 'current');
    mkdirSync(earlier);
    const database = new sqlite.Database(join(earlier, 'audit.db'));
    database.exec(EARLIER_SETUP);
    database.close();
    const logs = [await openLog(earlier), await openLog(current)];
    const random = new Random(57);
    for (let index = 0; index < 300; index++) {
      const record = sampleRecord(index, NOW - index);
      const padding = 'é'.repeat(Math.floor(random.fraction() ** 8 * 50_000));
      const json = Buffer.from(JSON.stringify({ ...JSON.parse(record.json.toString()), padding }));
      for (const log of logs) log.sink.put({ ...record, json });
    }
    for (const kind of ['access', 'decision'] as const) {
      const [ofEarlier, ofCurrent] = await Promise.all(
        logs.map(async ({ reader }) => {
          const entries: unknown[] = [];
          const query = { kind, by: 'tail', count: 1000 } as const;
          for await (const entry of readAuditLog(reader as NonNullable<AuditLog['reader']>, query)) entries.push(entry);
          return entries;
        }),
      );
      assert.is(ofEarlier?.length, 150);
      assert.equal(ofEarlier, ofCurrent);
    }
    for (const log of logs) await log.sink.close();
    assert.is(pageSizeOf(join(earlier, 'audit.db')), 4096);
    assert.is(pageSizeOf(join(current, 'audit.db')), 16_384);
  }));

/** What the first release wrote into a new database. */
const EARLIER_SETUP = `
PRAGMA page_size = 4096;
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
CREATE TABLE entries (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, call_id TEXT NOT NULL, time INTEGER NOT NULL, entry TEXT NOT NULL);
CREATE INDEX entries_time ON entries (time, id);
CREATE INDEX entries_call ON entries (call_id);
`;

/** From the header of a database file. */
function pageSizeOf(path: string): number {
  return readFileSync(path).readUInt16BE(16);
}

test('entries older than the retention period are deleted at the start and at intervals', () =>
  inTempFolder(async (folder) => {
    const first = await openLog(folder);
    for (let index = 0; index < 100; index++) first.sink.put(sampleRecord(index * 2, NOW - index * HOUR));
    await first.sink.close();
    const second = await openLog(folder, {
      retentionPeriod: 10 * HOUR,
      advanced: { ...AUDIT_DEFAULTS.local.advanced, gcInterval: 20 },
    });
    const count = async (): Promise<number> => (await read(second, { kind: 'access', by: 'tail', count: 1000 })).length;
    await until(async () => (await count()) === 10, 'ten entries');
    second.sink.put(sampleRecord(500, NOW - 11 * HOUR));
    await second.sink.flush();
    await until(async () => (await count()) === 10, 'ten entries');
    await second.sink.close();
  }));

test('a batch is written when it is full or after the flush interval', () =>
  inTempFolder(async (folder) => {
    const full = await openLog(folder, {
      advanced: { ...AUDIT_DEFAULTS.local.advanced, maxBatchSize: 4, flushInterval: 3_600_000 },
    });
    for (let index = 0; index < 3; index++) full.sink.put(sampleRecord(index));
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.is(full.sink.stats().queued, 3);
    full.sink.put(sampleRecord(3));
    await until(() => full.sink.stats().queued === 0, 'an empty queue');
    await full.sink.close();
    const late = await openLog(folder, {
      advanced: { ...AUDIT_DEFAULTS.local.advanced, maxBatchSize: 4, flushInterval: 100 },
    });
    late.sink.put(sampleRecord(4));
    assert.is(late.sink.stats().queued, 1);
    await until(() => late.sink.stats().queued === 0, 'an empty queue');
    await late.sink.close();
  }));

test('a folder locked by a live process fails the start, and the lock of a killed process does not', () =>
  inTempFolder(async (folder) => {
    const log = await openLog(folder);
    try {
      await openLog(folder);
      assert.unreachable();
    } catch (error) {
      assert.match(String(error), `is in use by process ${process.pid}`);
    }
    await log.sink.close();
    // The lock of a killed process: its pid, and another start time.
    writeFileSync(
      join(folder, 'owner'),
      `${process.pid} 1 ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`,
    );
    const after = await openLog(folder);
    await after.sink.close();
  }));

test('a full disk drops whole entries and counts them; the others stay and the database is intact', () =>
  inTempFolder(async (folder) => {
    const program = fileURLToPath(new URL('local-full-child.ts', import.meta.url));
    const text = execFileSync(
      'bash',
      ['-c', 'ulimit -f 300; exec "$0" "$@"', process.execPath, '--import', 'tsx', program, folder],
      { encoding: 'utf8' },
    );
    const [written = 0, failed = 0] = text.trim().split(' ').map(Number);
    assert.ok(written > 0 && failed > 0, text);
    assert.is(written + failed, 2000);
    const log = await openLog(folder);
    assert.is((await read(log, { kind: 'access', by: 'between', start: 0, end: Date.now() + HOUR })).length, written);
    await log.sink.close();
  }));

test('a damaged database is moved aside and logged, and the server starts', () =>
  inTempFolder(async (folder) => {
    writeFileSync(join(folder, 'audit.db'), 'not a database '.repeat(1000));
    const problems: string[] = [];
    const log = await openLog(folder, {}, (message) => problems.push(message));
    assert.match(problems.join('\n'), /^the audit database was damaged and is now `.*audit\.db\.damaged-\d+`/);
    assert.is(readdirSync(folder).filter((name) => name.includes('damaged')).length, 1);
    log.sink.put(sampleRecord(0));
    assert.equal(await read(log, { kind: 'access', by: 'tail', count: 10 }), [0]);
    await log.sink.close();
  }));

test('a folder that cannot be created fails the start', () =>
  inTempFolder(async (folder) => {
    writeFileSync(join(folder, 'file'), '');
    try {
      await openLog(join(folder, 'file', 'audit'));
      assert.unreachable();
    } catch (error) {
      assert.match(String(error), /audit\.local\.storagePath: the audit log cannot be kept in/);
    }
    assert.is(readFileSync(join(folder, 'file'), 'utf8'), '');
  }));

test.run();
