/** How many values are remembered, and how long their keys may be in all, in characters. */
export interface MostRemembered {
  readonly values: number;
  readonly characters: number;
}

/**
 * Values by keys that requests name. Requests can name any number of keys, of any length, so the oldest ones are forgotten;
 * what a value needs grows with its key.
 */
export class Remembered<Value> {
  private readonly values = new Map<string, Value>();
  private characters = 0;

  constructor(private readonly most: MostRemembered) {}

  /** The value of a key, which is made unless it is remembered. */
  get(key: string, make: () => Value): Value {
    const known = this.values.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.values.set(key, made);
    this.characters += key.length;
    for (const oldest of this.values.keys()) {
      const isWithin = this.values.size <= this.most.values && this.characters <= this.most.characters;
      // The latest one is asked for again, however long its key is.
      if (isWithin || oldest === key) break;
      this.values.delete(oldest);
      this.characters -= oldest.length;
    }
    return made;
  }
}
