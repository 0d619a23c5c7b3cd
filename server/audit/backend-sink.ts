import type { QueueConfig } from '../config/audit-config.js';
import { ThrottledReporter } from '../throttled-reporter.js';
import type { AuditBackend, OnAuditProblem, Written } from './backend.js';
import { RecordQueue } from './record-queue.js';
import type { AuditRecord } from './record.js';
import type { AuditSink, AuditStats } from './sink.js';

/** A sink that writes to a backend of this process, in batches (docs/spec/server.md#audit-backends). */
export class BackendSink implements AuditSink {
  readonly #queue: RecordQueue;
  readonly #problems: ThrottledReporter;
  /** Batches that are being written. */
  #underWay = 0;
  /** When the batches that were begun so far are settled: one after the other, whichever is written first. */
  #settling = Promise.resolve();
  /** When the next batch is written. */
  #timer: NodeJS.Timeout | undefined;
  /** Whether the timer is for a batch that is due, and only waits for records to join it. */
  #isGathering = false;
  readonly #flushes = new Flushes();
  #closing: Promise<void> | undefined;
  #waitingForRoom: (() => void)[] = [];
  /** Told whether their record was delivered. */
  readonly #waitingForDelivery = new Map<AuditRecord, (isDelivered: boolean) => void>();

  constructor(
    private readonly backend: AuditBackend,
    queue: QueueConfig,
    onProblem: OnAuditProblem,
  ) {
    this.#queue = new RecordQueue(queue, backend);
    this.#problems = new ThrottledReporter(onProblem);
  }

  encode = (text: string): Buffer => this.#queue.encode(text);

  put = (record: AuditRecord): void => {
    if (this.#accepts(record)) this.#wake();
  };

  deliver = async (record: AuditRecord): Promise<void> => {
    if (!this.#accepts(record)) throw new Error('the audit entry was dropped');
    const delivered = new Promise<boolean>((resolve) => this.#waitingForDelivery.set(record, resolve));
    // Records of the same turn are written in one batch.
    queueMicrotask(() => void this.flush());
    if (!(await delivered)) throw new Error('the audit entry could not be written');
  };

  ready = (): Promise<void> => {
    if (!this.#queue.isHalfFull) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waitingForRoom.push(resolve);
    });
  };

  flush = (): Promise<void> => {
    const done = this.#flushes.begin(this.#queue);
    this.#wake();
    return done;
  };

  close = (): Promise<void> => {
    this.#closing ??= this.#close();
    return this.#closing;
  };

  stats = (): AuditStats => this.#queue.stats();

  #accepts(record: AuditRecord): boolean {
    if (this.#closing !== undefined) {
      this.#queue.drop(record);
      this.#problems.report('audit entries came after the log was closed and were dropped');
      return false;
    }
    if (this.#queue.add(record)) return true;
    this.#problems.report('the audit queue is full: entries are dropped');
    return false;
  }

  async #close(): Promise<void> {
    await withinTime(this.flush(), this.backend.closeTimeout);
    const left = this.#queue.open;
    if (left > 0) {
      this.#queue.settle(
        this.#queue.take({ minRecords: 0, maxWait: 0, maxRecords: left, maxLength: Number.POSITIVE_INFINITY }),
        'failed',
      );
      for (const tell of this.#waitingForDelivery.values()) tell(false);
      this.#problems.report(`${left} audit entries could not be written before the log was closed`);
    }
    clearTimeout(this.#timer);
    await this.backend.close();
  }

  /** Sees to it that what waits is written when it is due. */
  #wake(): void {
    const { batch } = this.backend;
    if (this.#isUrgent()) this.#start();
    if (this.#underWay > 0 || this.#queue.size === 0) return;
    const isDue = this.#queue.size >= batch.minRecords;
    if (this.#timer !== undefined && (this.#isGathering || !isDue)) return;
    clearTimeout(this.#timer);
    this.#isGathering = isDue;
    this.#timer = setTimeout(() => this.#start(), isDue ? GATHERING : batch.maxWait);
    if (!isDue) this.#timer.unref();
  }

  /** Whether something waits for what is in the queue, or waiting for more records gains nothing. */
  #isUrgent(): boolean {
    const queue = this.#queue;
    if (queue.size === 0) return false;
    return this.#flushes.isUnderWay || queue.isHalfFull || queue.hasFullBatch(this.backend.batch);
  }

  /** Begins to write the next batch, and further ones if they are urgent. */
  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { batch } = this.backend;
    while (this.#underWay < (batch.concurrent ?? 1)) {
      const records = this.#queue.take(batch);
      if (records.length === 0) return;
      this.#underWay += 1;
      const result = this.#write(records);
      this.#settling = this.#settling.then(() => this.#settle(records, result));
      if (!this.#isUrgent()) return;
    }
  }

  /** Settles a batch; what of it is to be written again is written before the next one is settled. */
  async #settle(records: readonly AuditRecord[], result: Promise<Written>): Promise<void> {
    let left = this.#settleSome(records, await result);
    while (left.length > 0) left = this.#settleSome(left, await this.#write(left));
    this.#underWay -= 1;
    this.#letIn();
    this.#flushes.settle(this.#queue);
    this.#wake();
  }

  /** Settles the first records of a batch. Returns those that are to be written again. */
  #settleSome(records: readonly AuditRecord[], result: Written): readonly AuditRecord[] {
    const { written, delivered = written, lost = records.length - written, error } = result;
    const settled = records.slice(0, written + lost);
    this.#queue.settle(settled.slice(0, written), 'written');
    this.#queue.settle(settled.slice(written), 'failed');
    this.#tellDelivered(settled, delivered);
    if (error !== undefined)
      this.#problems.report(`${lost} audit entries could not be written: ${error.message}`, error);
    return records.slice(settled.length);
  }

  #tellDelivered(records: readonly AuditRecord[], delivered: number): void {
    if (this.#waitingForDelivery.size === 0) return;
    for (const [index, record] of records.entries()) {
      this.#waitingForDelivery.get(record)?.(index < delivered);
      this.#waitingForDelivery.delete(record);
    }
  }

  /** A backend that rejects nevertheless has a bug; the entries count as lost. */
  async #write(records: readonly AuditRecord[]): Promise<Written> {
    try {
      return await this.backend.write(records);
    } catch (error) {
      return { written: 0, error: error as Error };
    }
  }

  #letIn(): void {
    if (this.#queue.isHalfFull) return;
    const waiting = this.#waitingForRoom;
    this.#waitingForRoom = [];
    for (const resolve of waiting) resolve();
  }
}

/**
 * How long a batch that is due waits for more records, in milliseconds. A write costs as much as several records, so a
 * busy server writes them together.
 */
const GATHERING = 20;

async function withinTime(work: Promise<void>, milliseconds: number | undefined): Promise<void> {
  if (milliseconds === undefined) return await work;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}

/** Promises that resolve when the records put so far are settled, even if more are put meanwhile. */
export class Flushes {
  #waiting: { readonly accepted: number; readonly resolve: () => void }[] = [];

  get isUnderWay(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when all that the queue has accepted by now is settled. */
  begin({ accepted, settled }: RecordQueue): Promise<void> {
    if (settled >= accepted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ accepted, resolve });
    });
  }

  /** Settles the state after records of the queue were settled. */
  settle({ settled }: RecordQueue): void {
    const done = this.#waiting.filter(({ accepted }) => accepted <= settled);
    if (done.length === 0) return;
    this.#waiting = this.#waiting.filter(({ accepted }) => accepted > settled);
    for (const { resolve } of done) resolve();
  }
}
