import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleRecord } from '../../tests/support/audit/samples.js';
import { AT_ONCE, type AuditBackend, type BatchPolicy, type Written } from './backend.js';
import { BackendSink } from './backend-sink.js';
import type { AuditRecord } from './record.js';

const QUEUE = { maxEntries: 100, maxSizeMB: 1 };

/** A backend that keeps what it gets, as slowly and as badly as asked. */
class Memory implements AuditBackend {
  readonly reader = undefined;
  readonly kept: AuditRecord[] = [];
  closed = 0;
  largest = 0;

  constructor(
    private readonly result: (records: readonly AuditRecord[]) => Promise<Written> = async (records) => ({
      written: records.length,
      error: undefined,
    }),
    readonly closeTimeout: number | undefined = undefined,
    readonly batch: BatchPolicy = AT_ONCE,
  ) {}

  write = async (records: readonly AuditRecord[]): Promise<Written> => {
    this.largest = Math.max(this.largest, records.length);
    const result = await this.result(records);
    this.kept.push(...records.slice(0, result.written));
    return result;
  };

  close = async (): Promise<void> => {
    this.closed += 1;
  };
}

const gate = (): { readonly open: () => void; readonly passed: Promise<void> } => {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
};

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('entries are written in order, and closing waits for all of them', async () => {
  const backend = new Memory();
  const sink = new BackendSink(backend, QUEUE, assert.unreachable);
  for (let index = 0; index < 50; index++) sink.put(sampleRecord(index));
  await Promise.all([sink.close(), sink.close()]);
  assert.equal(
    backend.kept.map(({ json }) => JSON.parse(json.toString()).index),
    Array.from({ length: 50 }, (_, index) => index),
  );
  assert.is(backend.closed, 1);
  assert.equal(sink.stats(), {
    written: { access: 25, decision: 25 },
    dropped: { access: 0, decision: 0 },
    failed: { access: 0, decision: 0 },
    queued: 0,
  });
});

test('100,000 entries of a producer that waits for capacity are all written', async () => {
  const backend = new Memory();
  const sink = new BackendSink(backend, QUEUE, assert.unreachable);
  for (let index = 0; index < 100_000; index++) {
    sink.put(sampleRecord(index));
    if (index % 20 === 0) await sink.ready();
  }
  await sink.close();
  assert.is(backend.kept.length, 100_000);
});

test('entries over capacity are dropped, counted and logged once', async () => {
  const { open, passed } = gate();
  const problems: string[] = [];
  const backend = new Memory(async (records) => {
    await passed;
    return { written: records.length, error: undefined };
  });
  const sink = new BackendSink(backend, QUEUE, (message) => problems.push(message));
  for (let index = 0; index < 250; index++) sink.put(sampleRecord(index));
  assert.is(sink.stats().queued, 100);
  assert.equal(sink.stats().dropped, { access: 75, decision: 75 });
  assert.equal(problems, ['the audit queue is full: entries are dropped']);
  open();
  await sink.close();
  assert.is(backend.kept.length, 100);
});

test('the queue is also limited by size, but takes one entry of any size', async () => {
  const { open, passed } = gate();
  const backend = new Memory(async (records) => {
    await passed;
    return { written: records.length, error: undefined };
  });
  const sink = new BackendSink(backend, QUEUE, () => {});
  for (let index = 0; index < 5; index++) sink.put(sampleRecord(index, 0, 3 * 1024 * 1024));
  assert.is(sink.stats().queued, 1);
  open();
  await sink.flush();
  for (let index = 0; index < 8; index++) sink.put(sampleRecord(index, 0, 300_000));
  await sink.close();
  assert.is(backend.kept.length, 1 + 3);
});

test('a partly failed batch is counted partly, a rejection fails the whole batch, and the sink continues', async () => {
  let round = 0;
  const backend = new Memory(async (records) => {
    round += 1;
    if (round === 1) return { written: 1, error: new Error('half') };
    if (round === 2) throw new Error('bug');
    return { written: records.length, error: undefined };
  });
  const problems: string[] = [];
  const sink = new BackendSink(backend, QUEUE, (message) => problems.push(message));
  for (const count of [1, 4, 2]) {
    for (let index = 0; index < count; index++) sink.put(sampleRecord(0));
    await sink.flush();
  }
  const { written, failed } = sink.stats();
  assert.is(written.access + failed.access, 7);
  assert.is(backend.kept.length, written.access);
  assert.ok(failed.access > 0);
  assert.match(problems.join('\n'), /bug/);
  await sink.close();
});

test('a flush ends when the entries queued before it are written, whatever is added meanwhile', async () => {
  const sink: BackendSink = new BackendSink(
    new Memory(async (records) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      sink.put(sampleRecord(0));
      return { written: records.length, error: undefined };
    }),
    QUEUE,
    () => {},
  );
  sink.put(sampleRecord(0));
  await sink.flush();
  assert.ok(sink.stats().written.access >= 1);
  await sink.close();
});

test('entries that come within a few milliseconds share a write, unless it would be too long', async () => {
  const batches: number[] = [];
  const write = async (records: readonly AuditRecord[]): Promise<Written> => {
    batches.push(records.length);
    return { written: records.length, error: undefined };
  };
  const backend = new Memory(write, undefined, { ...AT_ONCE, maxLength: 1024 * 1024 });
  const sink = new BackendSink(backend, { ...QUEUE, maxSizeMB: 4 }, assert.unreachable);
  for (let index = 0; index < 3; index++) sink.put(sampleRecord(index));
  assert.equal(batches, []);
  while (batches.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(batches, [3]);
  for (let index = 0; index < 2; index++) sink.put(sampleRecord(index, 0, 600_000));
  await nextTurn();
  assert.equal(batches, [3, 1]);
  await sink.close();
  assert.equal(batches, [3, 1, 1]);
});

test('a write of each turn of the event loop has room for what came in the turn, so nothing is dropped', async () => {
  const backend = new Memory(async (records) => {
    await nextTurn();
    return { written: records.length, error: undefined };
  });
  const sink = new BackendSink(backend, { maxEntries: 1000, maxSizeMB: 8 }, assert.unreachable);
  const record = sampleRecord(0, 0, 40_000);
  for (let turn = 0; turn < 20; turn++) {
    for (let index = 0; index < 64; index++) sink.put(record);
    await nextTurn();
  }
  await sink.close();
  assert.is(backend.kept.length, 20 * 64);
});

/** A backend that takes three batches of two records at a time, and writes each when it is told to. */
function concurrentBackend(): { readonly backend: Memory; readonly gates: readonly ReturnType<typeof gate>[] } {
  const gates: ReturnType<typeof gate>[] = [];
  const write = async (records: readonly AuditRecord[]): Promise<Written> => {
    const own = gate();
    gates.push(own);
    await own.passed;
    return { written: records.length, error: undefined };
  };
  return { backend: new Memory(write, undefined, { ...AT_ONCE, maxRecords: 2, concurrent: 3 }), gates };
}

test('as many batches are under way as the backend takes', async () => {
  const { backend, gates } = concurrentBackend();
  const sink = new BackendSink(backend, QUEUE, assert.unreachable);
  for (let index = 0; index < 9; index++) sink.put(sampleRecord(index));
  assert.is(gates.length, 3);
  gates[0]?.open();
  while (gates.length === 3) await nextTurn();
  assert.is(gates.length, 4);
  const closed = sink.close();
  while (gates.length < 5 || sink.stats().queued > 0) {
    for (const { open } of gates) open();
    await nextTurn();
  }
  await closed;
  assert.is(backend.kept.length, 9);
});

test('a flush waits for a batch that is written after those that follow it', async () => {
  const { backend, gates } = concurrentBackend();
  const sink = new BackendSink(backend, QUEUE, assert.unreachable);
  for (let index = 0; index < 2; index++) sink.put(sampleRecord(index));
  let isFlushed = false;
  const flushed = sink.flush().then(() => {
    isFlushed = true;
  });
  for (let index = 0; index < 2; index++) sink.put(sampleRecord(index));
  for (const { open } of gates.slice(1)) open();
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  assert.is(backend.kept.length, 2);
  assert.is(isFlushed, false);
  gates[0]?.open();
  await flushed;
  await sink.close();
  assert.is(backend.kept.length, 4);
});

test('the bytes of an entry stay until it is settled, and after that if a client may still read it', async () => {
  for (const [isWritten, keepsFailed, after] of [
    [true, false, '"third"'],
    [true, true, '"third"'],
    [false, false, '"third"'],
    [false, true, '"first"'],
  ] as const) {
    const last = gate();
    const backend = Object.assign(
      new Memory(async (records) => {
        await last.passed;
        return isWritten ? { written: records.length, error: undefined } : { written: 0, error: new Error('full') };
      }),
      { keepsFailed },
    );
    const sink = new BackendSink(backend, QUEUE, () => {});
    const put = (text: string): Buffer => {
      const json = sink.encode(text);
      sink.put({ ...sampleRecord(0), json });
      return json;
    };
    const first = put('"first"');
    const flushed = sink.flush();
    put('"second"');
    assert.is(first.toString(), '"first"');
    last.open();
    await flushed;
    await sink.flush();
    put('"third"');
    assert.is(first.toString(), after);
    await sink.close();
  }
});

test('closing waits at most as long as the backend says, and unwritten entries are counted as failed', async () => {
  const problems: string[] = [];
  const sink = new BackendSink(new Memory(() => new Promise(() => {}), 20), QUEUE, (message) => problems.push(message));
  for (let index = 0; index < 10; index++) sink.put(sampleRecord(index));
  await sink.close();
  assert.match(problems.join('\n'), /10 audit entries could not be written before the log was closed/);
});

test('entries after closing are dropped and counted', async () => {
  const sink = new BackendSink(new Memory(), QUEUE, () => {});
  await sink.close();
  sink.put(sampleRecord(0));
  assert.is(sink.stats().dropped.access, 1);
});

test.run();
