/** The bytes before each message of gRPC: whether it is compressed, and its length. */
const HEAD = 5;

/** Follows the messages in the body of a gRPC request, and knows when the one that is arriving began. */
export class MessageProgress {
  /** When the first byte of a message came whose last one has not. */
  partialSince: number | undefined;
  #headBytes = 0;
  #length = 0;
  #missing = 0;

  add(chunk: Uint8Array, now: number): void {
    for (let at = 0; at < chunk.length; ) {
      this.partialSince ??= now;
      if (this.#missing > 0) {
        const taken = Math.min(this.#missing, chunk.length - at);
        this.#missing -= taken;
        at += taken;
      } else {
        // The first byte says whether the message is compressed.
        if (this.#headBytes > 0) this.#length = this.#length * 256 + (chunk[at] as number);
        this.#headBytes += 1;
        at += 1;
        if (this.#headBytes < HEAD) continue;
        this.#missing = this.#length;
        this.#length = 0;
        this.#headBytes = 0;
      }
      if (this.#missing === 0) this.partialSince = undefined;
    }
  }
}
