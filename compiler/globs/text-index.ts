/** Lists of entries and their total length; an entry may be in several lists. */
export interface Candidates {
  readonly lists: readonly (readonly number[])[];
  readonly count: number;
}

/**
 * Finds the entries of a list whose strings may match a name, without scanning all of them: entries that contain the
 * name itself, and entries with a glob whose literal prefix the name begins with. Some of them may not match. A policy
 * may have thousands of rules, each with different strings.
 */
export class TextIndex {
  private readonly byText = new Map<string, number[]>();
  private readonly byPrefix = new Map<string, number[]>();
  /** The lengths of those prefixes. */
  private readonly lengths: readonly number[];

  /** @param entries the strings of each entry; its index identifies it. */
  constructor(entries: readonly (readonly string[])[]) {
    for (const [entry, texts] of entries.entries()) {
      for (const text of texts) {
        addTo(this.byText, text, entry);
        const prefix = findPrefix(text);
        if (prefix !== undefined) addTo(this.byPrefix, prefix, entry);
      }
    }
    this.lengths = [...new Set([...this.byPrefix.keys()].map((prefix) => prefix.length))];
  }

  find(name: string): Candidates {
    const prefixes = this.lengths.filter((length) => length <= name.length).map((length) => name.slice(0, length));
    const lists = [this.byText.get(name) ?? [], ...prefixes.map((prefix) => this.byPrefix.get(prefix) ?? [])];
    return { lists, count: lists.reduce((sum, list) => sum + list.length, 0) };
  }
}

/** The candidates in ascending order, without duplicates. */
export function listEntries({ lists }: Candidates): readonly number[] {
  const [first = [], ...others] = lists.filter((list) => list.length > 0);
  return others.length === 0 ? first : [...new Set(lists.flat())].sort((a, b) => a - b);
}

/**
 * The prefix of every name that a glob matches; undefined for a string that is not a glob in any sense. A `*` may match
 * the empty string.
 */
export function findPrefix(text: string): string | undefined {
  const end = text.search(/[*?[\]{}\\,!]/);
  return end < 0 ? undefined : text.slice(0, end);
}

function addTo(groups: Map<string, number[]>, key: string, entry: number): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [entry]);
  else if (group.at(-1) !== entry) group.push(entry);
}
