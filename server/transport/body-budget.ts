import { RpcError } from '../service/rpc-error.js';

/** The memory for incomplete request bodies, shared by all connections of a process. */
export class BodyBudget {
  #used = 0;

  /** @param limit bytes; 0: no limit. */
  constructor(readonly limit: number) {}

  /** Reserves memory, in bytes; returns false if there is not enough. */
  take(bytes: number): boolean {
    if (this.limit > 0 && this.#used + bytes > this.limit) return false;
    this.#used += bytes;
    return true;
  }

  /** Returns memory that was reserved. */
  release(bytes: number): void {
    this.#used -= bytes;
  }
}

/**
 * A part of a body takes this many bytes besides its own: a client may send each byte as a chunk or a frame of its own.
 */
const PART_COST = 384;

/** The memory of one incomplete body. Released when the stream of the body closes, at the latest. */
export class BodyReservation {
  #hasBegun = false;
  #watchesStream = false;
  #bytes = 0;

  constructor(
    readonly budget: BodyBudget,
    readonly stream: BodyStream,
  ) {}

  /**
   * Reserves memory for the next part of the body, of this many bytes. Returns false if there is not enough. The first
   * part is free: requests that arrive in one piece are served even if others have used up the budget.
   */
  add(length: number): boolean {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      return true;
    }
    if (!this.budget.take(length + PART_COST)) return false;
    this.#bytes += length + PART_COST;
    this.#releaseOnClose();
    return true;
  }

  /** Returns the memory: the body is complete, or is no longer kept. Another body may follow. */
  release(): void {
    this.budget.release(this.#bytes);
    this.#bytes = 0;
    this.#hasBegun = false;
  }

  /** The error for a body that does not fit. */
  refusal(): RpcError {
    const { limit } = this.budget;
    return new RpcError('resource_exhausted', `incomplete request bodies exceed ${limit} bytes in total, retry later`);
  }

  #releaseOnClose(): void {
    if (this.#watchesStream) return;
    this.#watchesStream = true;
    this.stream.once('close', () => this.release());
  }
}

/** The part of a stream that is used here. */
interface BodyStream {
  readonly once: (event: 'close', listener: () => void) => unknown;
}
