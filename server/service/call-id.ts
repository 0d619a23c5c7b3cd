import { randomFillSync } from 'node:crypto';

const ALPHABET = Buffer.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;
/**
 * Random bytes are taken a block at a time: asking the platform for sixteen costs a hundred times as much as using
 * them.
 */
const BLOCK = RANDOM_LENGTH * 512;

/**
 * Creates call ids (docs/spec/server.md#call-id): ULIDs of 26 characters of Crockford's base 32, ten for the
 * milliseconds since 1970 and sixteen random. They are not monotonic within a millisecond.
 */
export class CallIds {
  readonly #random = Buffer.alloc(BLOCK);
  #used = BLOCK;
  #millisecond = -1;
  /** The id in ASCII; not a text that grows, for JSON (docs/decisions/engine-and-generated-code.md#0043). */
  readonly #id = Buffer.alloc(TIME_LENGTH + RANDOM_LENGTH);

  next(now: number = Date.now()): string {
    if (now !== this.#millisecond) {
      this.#millisecond = now;
      writeTime(now, this.#id);
    }
    if (this.#used === BLOCK) {
      randomFillSync(this.#random);
      this.#used = 0;
    }
    for (let at = TIME_LENGTH; at < this.#id.length; at++, this.#used++) {
      this.#id[at] = ALPHABET[(this.#random[this.#used] as number) & 31] as number;
    }
    return this.#id.toString('latin1');
  }
}

function writeTime(now: number, id: Buffer): void {
  let rest = now;
  for (let at = TIME_LENGTH - 1; at >= 0; at--) {
    id[at] = ALPHABET[rest % 32] as number;
    rest = Math.floor(rest / 32);
  }
}
