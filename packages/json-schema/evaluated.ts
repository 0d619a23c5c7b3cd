/**
 * The members of an object, or items of an array, that a schema and those beside it have evaluated: `unevaluated…` does
 * not apply to them.
 */
export class Evaluated {
  private readonly names = new Set<string>();
  private readonly indexes = new Set<number>();
  private everything = false;

  add(member: string | number): void {
    if (typeof member === 'string') this.names.add(member);
    else this.indexes.add(member);
  }

  addAll(): void {
    this.everything = true;
  }

  merge(other: Evaluated): void {
    this.everything ||= other.everything;
    for (const name of other.names) this.names.add(name);
    for (const index of other.indexes) this.indexes.add(index);
  }

  has(member: string | number): boolean {
    return this.everything || (typeof member === 'string' ? this.names.has(member) : this.indexes.has(member));
  }
}
