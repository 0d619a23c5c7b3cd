import type {
  Aggregate,
  Family,
  HistogramFamily,
  HistogramSeries,
  ScalarFamily,
  ScalarSeries,
  Snapshot,
} from './family.js';

/**
 * What several processes make together, family by family: counters add up, gauges by their own rule. One snapshot stays
 * as it is.
 */
export function mergeSnapshots(snapshots: readonly Snapshot[]): Snapshot {
  const present = snapshots.filter(({ length }) => length > 0);
  if (present.length === 1) return present[0] as Snapshot;
  const families = new Map<string, Family[]>();
  for (const family of present.flat()) {
    if (family.across === 'omit') continue;
    const known = families.get(family.name);
    if (known === undefined) families.set(family.name, [family]);
    else known.push(family);
  }
  return [...families.values()].map(mergeFamilies);
}

function mergeFamilies(families: readonly Family[]): Family {
  const first = families[0] as Family;
  // A name has one type: all snapshots come from the same program.
  return first.type === 'histogram'
    ? mergeHistograms(first, families as readonly HistogramFamily[])
    : mergeScalars(first, families as readonly ScalarFamily[]);
}

function mergeHistograms(head: HistogramFamily, families: readonly HistogramFamily[]): HistogramFamily {
  return { ...head, series: addedUp(families.flatMap(({ series }) => series)) };
}

/** Histogram series with those of equal labels added up. */
export function addedUp(series: readonly HistogramSeries[]): readonly HistogramSeries[] {
  return grouped(series).map((group) => ({
    labels: (group[0] as HistogramSeries).labels,
    counts: (group[0] as HistogramSeries).counts.map((_, index) =>
      total(group.map(({ counts }) => counts[index] ?? 0)),
    ),
    sum: total(group.map(({ sum }) => sum)),
  }));
}

function mergeScalars(head: ScalarFamily, families: readonly ScalarFamily[]): ScalarFamily {
  return {
    ...head,
    series: combined(
      families.flatMap(({ series }) => series),
      head.across,
    ),
  };
}

/** Scalar series with those of equal labels made one. */
export function combined(series: readonly ScalarSeries[], across: Aggregate): readonly ScalarSeries[] {
  return grouped(series).map((group) => ({
    labels: (group[0] as ScalarSeries).labels,
    value: aggregate(
      group.map(({ value }) => value),
      across,
    ),
  }));
}

/** Series of equal labels, together. */
export function grouped<S extends { readonly labels: readonly string[] }>(
  series: readonly S[],
): readonly (readonly S[])[] {
  const groups = new Map<string, S[]>();
  for (const one of series) {
    const key = JSON.stringify(one.labels);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

function aggregate(values: readonly number[], across: Aggregate): number {
  switch (across) {
    case 'sum':
      return total(values);
    case 'max':
      return Math.max(...values);
    case 'min':
      return Math.min(...values);
    case 'average':
      return total(values) / values.length;
    case 'first':
    case 'omit':
      return values[0] as number;
  }
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
