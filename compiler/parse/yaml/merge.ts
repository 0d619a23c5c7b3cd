import type { YamlEntry } from './node.js';

/** A merge key `<<` of a mapping. */
export interface Merge {
  /** How many own entries stand before it. */
  readonly at: number;
  readonly from: readonly YamlEntry[];
}

/**
 * The entries of a mapping with those it merges, where `<<` stands. Explicit keys win whatever their order, values are
 * replaced and never merged (docs/spec/policy-language.md#anchors-and-merge-keys).
 */
export function withMerged(own: readonly YamlEntry[], merges: readonly Merge[]): readonly YamlEntry[] {
  const taken = new Set(own.map(({ key }) => key.text));
  const result: YamlEntry[] = [];
  let next = 0;
  for (const { at, from } of merges) {
    for (; next < at; next++) result.push(own[next] as YamlEntry);
    for (const entry of from) {
      if (taken.has(entry.key.text)) continue;
      taken.add(entry.key.text);
      result.push(entry);
    }
  }
  return [...result, ...own.slice(next)];
}
