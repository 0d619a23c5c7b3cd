import { charge } from './meter.js';

/**
 * What is costly to make from text that requests bring: a map that forgets its oldest entry when it is full,
 * so that a caller who sends ever new texts costs time but not memory.
 */
export class BoundedCache<T> {
  readonly #entries = new Map<string, T>();
  readonly #capacity: number;
  readonly #fits: (value: T) => boolean;

  /** @param fits whether a value is small enough to be held. */
  constructor(capacity: number, fits: (value: T) => boolean = () => true) {
    this.#capacity = capacity;
    this.#fits = fits;
  }

  /** The value made for this text, made now when it is not held. That of a long text never is. */
  get(text: string, make: (text: string) => T): T {
    if (text.length > MAX_LENGTH) return make(text);
    const held = this.#entries.get(text);
    if (held !== undefined) return held;
    charge(text.length);
    const key = copy(text);
    const made = make(key);
    if (!this.#fits(made)) return made;
    if (this.#entries.size >= this.#capacity) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(key, made);
    return made;
  }
}

/** Length in UTF-16 units. */
const MAX_LENGTH = 10_000;

/** Part of a long string keeps all of it in memory. */
function copy(text: string): string {
  return text.split('').join('');
}
