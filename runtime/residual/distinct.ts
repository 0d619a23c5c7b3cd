import { charge } from '../../packages/cel/runtime/index.js';

/** Elements in their original order, without those that are equal to an earlier one. */
export class Distinct<T> {
  readonly elements: T[] = [];
  private index: Index<T> | undefined = undefined;

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
    this.index ??= this.indexed();
    if (this.isNew(this.index, element)) elements.push(element);
  }

  private isAmong(known: readonly T[], element: T): boolean {
    charge(known.length);
    for (let i = 0; i < known.length; i++) if (this.same(known[i] as T, element)) return true;
    return false;
  }

  private indexed(): Index<T> {
    const index: Index<T> = { firsts: new Map(), groups: undefined };
    for (const element of this.elements) place(index, this.likenessOf(element), element);
    return index;
  }

  private isNew(index: Index<T>, element: T): boolean {
    const likeness = this.likenessOf(element);
    const first = index.firsts.get(likeness);
    if (first !== undefined && this.isAmong(index.groups?.get(likeness) ?? [first], element)) return false;
    place(index, likeness, element);
    return true;
  }
}

/** Elements by their hash. Hashes are seldom shared, so only those that are have a list. */
interface Index<T> {
  readonly firsts: Map<number, T>;
  /** All elements of each hash that several elements share. */
  groups: Map<number, T[]> | undefined;
}

function place<T>(index: Index<T>, likeness: number, element: T): void {
  const first = index.firsts.get(likeness);
  if (first === undefined) {
    index.firsts.set(likeness, element);
    return;
  }
  index.groups ??= new Map();
  const group = index.groups.get(likeness);
  if (group === undefined) index.groups.set(likeness, [first, element]);
  else group.push(element);
}

/** Up to this number, elements are compared one by one: that is faster than to sort them first. */
const FEW = 8;
