/** A sequence of choices that a seed determines (mulberry32), so that a failure is repeated by its seed. */
export class Random {
  constructor(private state: number) {}

  /** 0 <= x < 1. */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Between `least` and `most` different items, in the order of the list. */
  some<T>(items: readonly T[], least: number, most: number): readonly T[] {
    const left = [...items];
    const count = Math.min(items.length, least + this.below(most - least + 1));
    while (left.length > count) left.splice(this.below(left.length), 1);
    return left;
  }

  /** `make` called between `least` and `most` times. */
  times<T>(least: number, most: number, make: (index: number) => T): readonly T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, index) => make(index));
  }
}
