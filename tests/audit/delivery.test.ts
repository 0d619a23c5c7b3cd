import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuditConfig, AUDIT_DEFAULTS } from '../../server/config/audit-config.js';
import { type AuditLog, auditPrimary, openAuditLog, workerAuditLog } from '../../server/audit/audit-log.js';
import { type AuditWatch, auditWatcher } from '../../server/audit/audit-watcher.js';
import { openLocalBackend } from '../../server/audit/local/local-backend.js';
import type { Call } from '../../server/service/call.js';
import { startBroker } from './kafka-broker.js';
import { configWith, ENDED, sampleCall, sampleCheck } from '../support/audit/samples.js';
import { inTempFolder } from './temp-folder.js';

const BUNDLE = { policySource: { embeddedPdp: { bundleHash: 'one' } } };
const beforeReply = (changes: Partial<AuditConfig>): AuditConfig =>
  configWith({ delivery: 'before_reply', ...changes });
const callWith = (index: number): Call => sampleCall({ id: String(index).padStart(26, '0') });

function watching(config: AuditConfig, { sink }: AuditLog): AuditWatch {
  return auditWatcher({ config, sink, bundle: () => BUNDLE, onProblem: () => {} });
}

/** Decides and answers a call. Resolves when the response would be sent. */
function served({ watcher, deliver }: AuditWatch, call: Call): Promise<void> {
  watcher.checked?.(call, sampleCheck());
  if (deliver === undefined) throw new Error('no call waits');
  return deliver(call, ENDED);
}

const idsIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `${JSON.parse(line).callId} ${JSON.parse(line)['log.kind']}`);

test('file: both entries of an answered call are in the file', () =>
  inTempFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const config = beforeReply({ backend: 'file', file: { ...AUDIT_DEFAULTS.file, path } });
    const log = (await openAuditLog(config, assert.unreachable)) as AuditLog;
    const watch = watching(config, log);
    for (let index = 0; index < 50; index++) {
      const call = callWith(index);
      await served(watch, call);
      assert.equal(idsIn(readFileSync(path, 'utf8')).slice(-2), [`${call.id} decision`, `${call.id} access`]);
    }
    await watch.close();
  }));

test('local: entries of concurrent calls are written to the database without waiting for a batch', () =>
  inTempFolder(async (storagePath) => {
    const local = { ...AUDIT_DEFAULTS.local, storagePath };
    const backend = await openLocalBackend(local, assert.unreachable);
    const page = async (): Promise<number> =>
      (await backend.reader?.page({ kind: 'decision', by: 'tail', count: 100 }, undefined))?.entries.length ?? -1;
    const { BackendSink } = await import('../../server/audit/backend-sink.js');
    const log = {
      sink: new BackendSink(backend, AUDIT_DEFAULTS.queue, assert.unreachable),
      reader: undefined,
      counts: () => [],
    };
    const watch = watching(beforeReply({ backend: 'local', local }), log);
    await served(watch, callWith(0));
    assert.is(await page(), 1);
    await Promise.all(Array.from({ length: 20 }, (_, index) => served(watch, callWith(index + 1))));
    assert.is(await page(), 21);
    await watch.close();
  }));

test('kafka: the broker has acknowledged the entries of an answered call', async () => {
  const broker = await startBroker({ topic: 'audit' });
  const config = beforeReply({
    backend: 'kafka',
    kafka: { ...AUDIT_DEFAULTS.kafka, topic: 'audit', brokers: [broker.address] },
  });
  const log = (await openAuditLog(config, assert.unreachable)) as AuditLog;
  const watch = watching(config, log);
  for (let index = 0; index < 5; index++) {
    await served(watch, callWith(index));
    assert.is(broker.records.length, (index + 1) * 2);
  }
  await watch.close();
  await broker.close();
});

test('worker: the primary has written the entries of an answered call', () =>
  inTempFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const config = beforeReply({ backend: 'file', file: { ...AUDIT_DEFAULTS.file, path } });
    const log = (await openAuditLog(config, assert.unreachable)) as AuditLog;
    const worker = workerAuditLog(config, auditPrimary(log, config.delivery), assert.unreachable);
    const watch = watching(config, worker);
    await Promise.all(Array.from({ length: 20 }, (_, index) => served(watch, callWith(index))));
    assert.is(new Set(idsIn(readFileSync(path, 'utf8'))).size, 40);
    await watch.close();
    await log.sink.close();
  }));

test('entries that a backend cannot write, or that do not fit in the queue, are reported as undelivered and counted once', async () => {
  const failing = { written: 0, error: new Error('the disk is full') };
  for (const maxEntries of [1, 100]) {
    const { BackendSink } = await import('../../server/audit/backend-sink.js');
    const backend = {
      batch: { minRecords: 1, maxWait: 0, maxRecords: 10, maxLength: 1e6 },
      write: async () => failing,
      close: async () => {},
      reader: undefined,
      closeTimeout: undefined,
    };
    const primary = new BackendSink(backend, { maxEntries, maxSizeMB: 1 }, () => {});
    const config = beforeReply({ backend: 'file' });
    const worker = workerAuditLog(config, auditPrimary({ sink: primary, reader: undefined }, 'before_reply'), () => {});
    for (const sink of [primary, worker.sink]) {
      const watch = auditWatcher({ config, sink, bundle: () => BUNDLE, onProblem: () => {} });
      assert.is(
        await served(watch, callWith(1))
          .then(
            () => 'delivered',
            ({ message }) => message,
          )
          .then((said: string) => /could not be written|was dropped/.test(said)),
        true,
      );
    }
    const { dropped, failed } = primary.stats();
    assert.is(dropped.access + dropped.decision + failed.access + failed.decision, 4);
    assert.equal(
      worker.counts().map((counts) => counts.failed),
      [0, 0],
    );
  }
});

test('an entry that cannot be built is reported as undelivered', async () => {
  const config = beforeReply({ backend: 'file' });
  const log = { sink: { deliver: async () => {} } } as unknown as AuditLog;
  const call = sampleCall({
    peer: () => {
      throw new Error('no peer');
    },
  });
  const said = await served(watching(config, log), call).then(
    () => 'delivered',
    ({ message }) => message,
  );
  assert.is(said, 'no peer');
});

test('by default no reply waits, and the watcher sees the end of the call', () => {
  const watch = auditWatcher({
    config: configWith({ backend: 'file' }),
    sink: {} as never,
    bundle: () => BUNDLE,
    onProblem: () => {},
  });
  assert.is(watch.deliver, undefined);
  assert.type(watch.watcher.ended, 'function');
});

test.run();
