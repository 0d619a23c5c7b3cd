import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
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
  #time = '';

  next(now: number = Date.now()): string {
    if (now !== this.#millisecond) {
      this.#millisecond = now;
      this.#time = timeText(now);
    }
    if (this.#used === BLOCK) {
      randomFillSync(this.#random);
      this.#used = 0;
    }
    let id = this.#time;
    for (const end = this.#used + RANDOM_LENGTH; this.#used < end; this.#used++) {
      id += ALPHABET[(this.#random[this.#used] as number) & 31];
    }
    return id;
  }
}

function timeText(now: number): string {
  let text = '';
  let rest = now;
  for (let length = 0; length < TIME_LENGTH; length++) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
