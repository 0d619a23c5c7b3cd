/**
 * The bytes of entries that wait for a backend, in memory that is used again. Buffers that wait outlive young objects,
 * so the garbage collector would free them only with the whole heap, which it marks again after 64 MB of them.
 */
export class EntryMemory {
  readonly #chunks = new Map<ArrayBufferLike, Chunk>();
  /** Chunks without entries. */
  readonly #free: Chunk[] = [];
  #current = this.#added();

  /** The text in UTF-8, until it is freed. A long text gets memory of its own. */
  encode(text: string): Buffer {
    if (text.length > LONGEST) return Buffer.from(text);
    const bytes = this.#current.encode(text);
    if (bytes !== undefined) return bytes;
    this.#current = this.#free.pop() ?? this.#added();
    return this.#current.encode(text) as Buffer;
  }

  /** Gives up the memory of an entry, once: nothing reads it from now on. Leaves other bytes alone. */
  free(entry: Buffer): void {
    const chunk = this.#chunks.get(entry.buffer);
    if (chunk === undefined) return;
    chunk.entries -= 1;
    if (chunk.entries > 0) return;
    chunk.end = 0;
    if (chunk === this.#current) return;
    if (this.#free.length < MOST_FREE) this.#free.push(chunk);
    else this.#chunks.delete(entry.buffer);
  }

  /** Leaves the memory of an entry, and what shares it, to the garbage collector: something may still read the entry. */
  abandon(entry: Buffer): void {
    const chunk = this.#chunks.get(entry.buffer);
    if (chunk === undefined) return;
    this.#chunks.delete(entry.buffer);
    if (chunk === this.#current) this.#current = this.#free.pop() ?? this.#added();
  }

  #added(): Chunk {
    const chunk = new Chunk();
    this.#chunks.set(chunk.bytes.buffer, chunk);
    return chunk;
  }
}

/** Size in bytes. */
const CHUNK_SIZE = 1024 * 1024;
/** Length in characters, each of which takes up to three bytes. */
const LONGEST = 128 * 1024;
/** So many free chunks are kept: what two batches for a file take, one of which is written while the other one gathers. */
const MOST_FREE = 32;

class Chunk {
  readonly bytes = Buffer.allocUnsafeSlow(CHUNK_SIZE);
  /** End of the last entry. */
  end = 0;
  /** So many are not freed. */
  entries = 0;

  /** Undefined: there is no room. */
  encode(text: string): Buffer | undefined {
    const room = CHUNK_SIZE - this.end;
    if (text.length * 3 > room && Buffer.byteLength(text) > room) return undefined;
    const start = this.end;
    this.end += this.bytes.write(text, start);
    this.entries += 1;
    return this.bytes.subarray(start, this.end);
  }
}
