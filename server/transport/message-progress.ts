/** The bytes before each gRPC message: the compression flag and the length. */
const HEAD = 5;

/** Tracks the messages in the body of a gRPC request, and when the incomplete one began. */
export class MessageProgress {
  /** When the first byte of the incomplete message arrived. */
  partialSince: number | undefined;
  #headBytes = 0;
  #length = 0;
  #missing = 0;

  /** Returns whether a message ends in the chunk. */
  add(chunk: Uint8Array, now: number): boolean {
    let hasEnded = false;
    for (let at = 0; at < chunk.length; ) {
      this.partialSince ??= now;
      if (this.#missing > 0) {
        const taken = Math.min(this.#missing, chunk.length - at);
        this.#missing -= taken;
        at += taken;
      } else {
        // The first byte is the compression flag.
        if (this.#headBytes > 0) this.#length = this.#length * 256 + (chunk[at] as number);
        this.#headBytes += 1;
        at += 1;
        if (this.#headBytes < HEAD) continue;
        this.#missing = this.#length;
        this.#length = 0;
        this.#headBytes = 0;
      }
      if (this.#missing > 0) continue;
      this.partialSince = undefined;
      hasEnded = true;
    }
    return hasEnded;
  }
}
