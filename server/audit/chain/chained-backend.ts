import { hostname } from 'node:os';
import type { ChainLogEntry } from '../../../proto/gen/audit-messages.js';
import { rfc3339 } from '../../../proto/wire/moment.js';
import type { ChainConfig } from '../../config/audit-config.js';
import { CallIds } from '../../service/call-id.js';
import type { AuditBackend, OnAuditProblem, Written } from '../backend.js';
import type { AuditRecord, StoredRecord } from '../record.js';
import { canonicalJson } from './canonical-json.js';
import { hashEntry, linkText, withLink } from './link.js';
import { type ChainPoint, type ChainPosition, continued, PositionFile, positionAfter } from './position.js';
import { type ChainSigner, readSigner } from './signer.js';

/**
 * A backend whose entries are chained by hashes (docs/spec/server.md#audit-chain). The process that owns the backend
 * makes one chain, of the entries of all workers in the order in which they are written, and continues it after a
 * restart if it knows where it ended. Rejects with a ConfigError for files that cannot be used.
 */
export async function chainedBackend(
  inner: AuditBackend<StoredRecord>,
  config: ChainConfig,
  onProblem: OnAuditProblem,
): Promise<AuditBackend> {
  const file = config.stateFile === undefined ? undefined : new PositionFile(config.stateFile);
  const signer = config.signingKey === undefined ? undefined : readSigner(config.signingKey);
  const last = await inner.last?.();
  const start = continued(file?.read(), last === undefined ? undefined : positionAfter(last));
  return new ChainedBackend(inner, config, start, file, signer, onProblem);
}

const NOTHING: ChainPoint = { sequence: 0, hash: '' };

class ChainedBackend implements AuditBackend {
  readonly batch;
  readonly reader;
  readonly closeTimeout;
  readonly #id: string;
  #written: ChainPoint;
  #sent: ChainPoint;
  #isStarted = false;
  /** Entries since the last signed one. */
  #unsigned = 0;
  /** The write under way: entries get their places in the order in which they are written. */
  #turn: Promise<unknown> = Promise.resolve();
  #isWriting = false;
  #hasFailed = false;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly inner: AuditBackend<StoredRecord>,
    private readonly config: ChainConfig,
    start: ChainPosition | undefined,
    private readonly file: PositionFile | undefined,
    private readonly signer: ChainSigner | undefined,
    private readonly onProblem: OnAuditProblem,
  ) {
    this.batch = { ...inner.batch, concurrent: 1 };
    this.reader = inner.reader;
    this.closeTimeout = inner.closeTimeout;
    this.#id = start?.id ?? new CallIds().next();
    this.#written = start?.written ?? NOTHING;
    this.#sent = start?.sent ?? NOTHING;
    if (signer === undefined) return;
    this.#timer = setInterval(() => void this.#checkpoint(), config.checkpointInterval);
    this.#timer.unref();
  }

  write = (records: readonly AuditRecord[]): Promise<Written> => this.#inTurn(() => this.#write(records, false));

  close = async (): Promise<void> => {
    clearInterval(this.#timer);
    // A write that hangs ends when the backend is closed.
    if (!this.#isWriting && !this.#hasFailed) await this.#checkpoint();
    await this.inner.close();
    await this.#turn;
    this.#save();
  };

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(async () => {
      this.#isWriting = true;
      try {
        return await run();
      } finally {
        this.#isWriting = false;
      }
    });
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Signs what is not signed yet. */
  async #checkpoint(): Promise<void> {
    if (this.signer === undefined || this.#unsigned === 0 || this.#isWriting) return;
    const { error } = await this.#inTurn(() => this.#write([], true));
    if (error !== undefined)
      this.onProblem(`a checkpoint of the audit log could not be written: ${error.message}`, error);
  }

  async #write(records: readonly AuditRecord[], isCheckpointDue: boolean): Promise<Written> {
    const batch: StoredRecord[] = [];
    /** Number of records that are written with each entry of the batch. */
    const counts: number[] = [];
    const points: ChainPoint[] = [];
    const add = (record: StoredRecord, count: number): void => {
      batch.push(record);
      counts.push(count);
      points.push(this.#sent);
    };
    if (this.#written.sequence < this.#sent.sequence) add(this.#lostEntry(), 0);
    if (!this.#isStarted) add(this.#ownEntry({ event: 'start', host: hostname() }), 0);
    this.#isStarted = true;
    for (const [index, record] of records.entries()) {
      add(this.#linked(record), index + 1);
      if (this.signer !== undefined && this.#unsigned >= this.config.checkpointEntries)
        add(this.#ownEntry({ event: 'checkpoint' }), index + 1);
    }
    if (isCheckpointDue && this.#unsigned > 0) add(this.#ownEntry({ event: 'checkpoint' }), records.length);
    this.#save();
    const { written, lost, error } = await this.#tryWrite(batch);
    this.#hasFailed = error !== undefined;
    this.#written = points[written - 1] ?? this.#written;
    const settled = counts[written - 1] ?? 0;
    // What follows lost entries gets other places in the chain, after an entry that says what is lost.
    return {
      written: settled,
      ...(lost !== undefined && { lost: (counts[written + lost - 1] ?? 0) - settled }),
      error,
    };
  }

  async #tryWrite(batch: readonly StoredRecord[]): Promise<Written> {
    try {
      return await this.inner.write(batch);
    } catch (error) {
      return { written: 0, error: error as Error };
    }
  }

  #linked<R extends StoredRecord>(record: R): R {
    const place = { id: this.#id, sequence: this.#sent.sequence + 1, previous: this.#sent.hash };
    const hash = hashEntry(place, record.json);
    this.#sent = { sequence: place.sequence, hash };
    this.#unsigned += 1;
    return { ...record, json: withLink(place, hash, record.json) };
  }

  /** Entries that the backend may not have: the entry after them says so. */
  #lostEntry(): StoredRecord {
    const { sequence, hash } = this.#written;
    const lost = { from: String(sequence + 1), to: String(this.#sent.sequence), after: hash };
    return this.#ownEntry({ event: 'lost', lost });
  }

  #ownEntry(members: Omit<ChainLogEntry, 'timestamp'>): StoredRecord {
    const time = Date.now();
    const record = this.#linked({
      kind: 'chain',
      callId: '',
      time,
      json: Buffer.from(canonicalJson(this.#signed({ timestamp: rfc3339(time), ...members }))),
    });
    if (this.signer !== undefined) this.#unsigned = 0;
    return record;
  }

  #signed(entry: ChainLogEntry): ChainLogEntry {
    if (this.signer === undefined) return entry;
    const place = { id: this.#id, sequence: this.#sent.sequence + 1, previous: this.#sent.hash };
    const content = { ...entry, checkpointEntries: this.config.checkpointEntries, keyId: this.signer.keyId };
    return { ...content, signature: this.signer.sign(linkText(place, canonicalJson(content))) };
  }

  #save(): void {
    if (this.file === undefined) return;
    try {
      this.file.write({ id: this.#id, written: this.#written, sent: this.#sent });
    } catch (error) {
      this.onProblem(`the state of the audit chain could not be written: ${(error as Error).message}`, error as Error);
    }
  }
}
