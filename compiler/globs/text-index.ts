/** Lists of entries, and how many they have together; one entry may be in several. */
export interface Candidates {
  readonly lists: readonly (readonly number[])[];
  readonly count: number;
}

/**
 * Finds the entries of a list whose texts may match a name, without a look at all of them: those with the name itself,
 * and those with a glob that begins as the name does. Some of them may not match. A policy may have thousands of rules,
 * each with its own text.
 */
export class TextIndex {
  private readonly byText = new Map<string, number[]>();
  private readonly byPrefix = new Map<string, number[]>();
  /** The lengths of those prefixes. */
  private readonly lengths: readonly number[];

  /** @param entries the texts of each entry; its place is its number. */
  constructor(entries: readonly (readonly string[])[]) {
    for (const [entry, texts] of entries.entries()) {
      for (const text of texts) {
        addTo(this.byText, text, entry);
        const prefix = prefixOf(text);
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

/** The candidates, each once, ascending. */
export function entriesOf({ lists }: Candidates): readonly number[] {
  const [first = [], ...others] = lists.filter((list) => list.length > 0);
  return others.length === 0 ? first : [...new Set(lists.flat())].sort((a, b) => a - b);
}

/**
 * What every name that a glob matches begins with; undefined for a text that is not a glob in any sense. A `*` may
 * stand for nothing.
 */
export function prefixOf(text: string): string | undefined {
  const end = text.search(/[*?[\]{}\\,!]/);
  return end < 0 ? undefined : text.slice(0, end);
}

function addTo(groups: Map<string, number[]>, key: string, entry: number): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [entry]);
  else if (group.at(-1) !== entry) group.push(entry);
}
