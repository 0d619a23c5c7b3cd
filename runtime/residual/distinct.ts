import { charge } from '../cel/index.js';

/** Elements in the order in which they came, those left out that are written as one before them. */
export class Distinct<T> {
  readonly elements: T[] = [];
  private byLikeness: Map<number, T[]> | undefined = undefined;

  /** @param likenessOf the same for all that are the same. */
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

/** So many are compared one by one: quicker than to sort them first. */
const FEW = 8;
