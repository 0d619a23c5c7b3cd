import { charge } from '../cel/index.js';

/** Elements in their original order, without those that are equal to an earlier one. */
export class Distinct<T> {
  readonly elements: T[] = [];
  private byLikeness: Map<number, T[]> | undefined = undefined;

  /** @param likenessOf a hash: equal elements have equal hashes. */
  constructor(
    private readonly same: (a: T, b: T) => boolean,
    private readonly likenessOf: (element: T) => number,
  ) {}

  add(element: T): void {
    const { elements } = this;
    if (elements.length < FEW) {
      if (!this.isAmong(elements, element)) elements.push(element);
      return;
    }
    this.byLikeness ??= this.sorted();
    const likeness = this.likenessOf(element);
    const alike = this.byLikeness.get(likeness);
    if (alike === undefined) this.byLikeness.set(likeness, [element]);
    else if (this.isAmong(alike, element)) return;
    else alike.push(element);
    elements.push(element);
  }

  private isAmong(known: readonly T[], element: T): boolean {
    charge(known.length);
    for (let i = 0; i < known.length; i++) if (this.same(known[i] as T, element)) return true;
    return false;
  }

  private sorted(): Map<number, T[]> {
    const byLikeness = new Map<number, T[]>();
    for (const element of this.elements) {
      const likeness = this.likenessOf(element);
      const alike = byLikeness.get(likeness);
      if (alike === undefined) byLikeness.set(likeness, [element]);
      else alike.push(element);
    }
    return byLikeness;
  }
}

/** Up to this number, elements are compared one by one: that is faster than to sort them first. */
const FEW = 8;
