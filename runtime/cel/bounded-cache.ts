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

  /** The value made for this text, made now when it is not held. */
  get(text: string, make: (text: string) => T): T {
    const held = this.#entries.get(text);
    if (held !== undefined) return held;
    const made = make(text);
    if (!this.#fits(made)) return made;
    if (this.#entries.size >= this.#capacity) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(text, made);
    return made;
  }
}
