/**
 * The first results of rules in one check (docs/spec/policy-language.md#rules-that-share-a-name), by what identifies a
 * rule. Mostly few are visited, and looking through a few costs less than a Map, which has to be made anew to be
 * emptied (bench/check.bench.ts, "check").
 */
export class FirstResults {
  private readonly identities: unknown[] = [];
  private readonly results: boolean[] = [];
  private count = 0;
  private readonly others = new Map<unknown, boolean>();

  get(identity: unknown): boolean | undefined {
    for (let i = 0; i < this.count; i++) if (this.identities[i] === identity) return this.results[i];
    return this.count < FEW ? undefined : this.others.get(identity);
  }

  /** Keeps a result that is not known yet. */
  add(identity: unknown, holds: boolean): void {
    if (this.count === FEW) {
      this.others.set(identity, holds);
      return;
    }
    this.identities[this.count] = identity;
    this.results[this.count] = holds;
    this.count++;
  }

  clear(): void {
    this.count = 0;
    if (this.others.size > 0) this.others.clear();
  }
}

const FEW = 12;
