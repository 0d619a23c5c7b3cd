import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Aggregate, Family, HistogramSeries, Snapshot } from './family.js';
import { grouped } from './merge.js';

/**
 * Measures the process itself: memory, processor time, event loop, garbage collection, under the names that Node
 * dashboards know.
 */
export async function watchProcess(): Promise<() => Promise<Snapshot>> {
  // All of the library would load TLS for pushing, and more for kinds of metrics that are not here.
  const [{ default: Registry }, { default: collectDefaultMetrics }] = await Promise.all([
    import('prom-client/lib/registry.js'),
    import('prom-client/lib/defaultMetrics.js'),
  ]);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return async () =>
    ((await registry.getMetricsAsJSON()) as unknown as readonly ClientFamily[])
      .filter(({ name }) => !SUMS.has(name))
      .map(toFamily);
}

/** Sums of other families, which the library calls by the suffix of counters. */
const SUMS = new Set(['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']);

/** What the library's types leave out. */
type ClientFamily = Omit<MetricObjectWithValues<ClientValue>, 'type'> & {
  readonly type: 'counter' | 'gauge' | 'histogram';
};
type ClientValue = MetricValue<string> & { readonly metricName?: string };

function toFamily({ name, help, type, aggregator, values }: ClientFamily): Family {
  const across = (aggregator ?? 'sum') as Aggregate;
  const labels = [...new Set(values.flatMap((value) => Object.keys(value.labels)))].filter((label) => label !== 'le');
  const listLabels = (value: ClientValue): readonly string[] =>
    labels.map((label) => String(value.labels[label] ?? ''));
  switch (type) {
    case 'counter':
    case 'gauge':
      return {
        type,
        name,
        help,
        labels,
        across,
        series: values.map((value) => ({ labels: listLabels(value), value: value.value })),
      };
    case 'histogram':
      return { type, name, help, labels, across, ...distribution(name, values, listLabels) };
  }
}

/** Converts the cumulative buckets of the library to separate counts. */
function distribution(
  name: string,
  values: readonly ClientValue[],
  listLabels: (value: ClientValue) => readonly string[],
): { bounds: readonly number[]; series: readonly HistogramSeries[] } {
  let bounds: readonly number[] = [];
  const series = grouped(values.map((value) => ({ labels: listLabels(value), value }))).map((group) => {
    const buckets = group.filter(({ value }) => value.metricName === `${name}_bucket`);
    bounds = buckets.map(({ value }) => Number(value.labels['le'])).filter(Number.isFinite);
    const counts = buckets.map(({ value }, index) => value.value - (buckets[index - 1]?.value.value ?? 0));
    const sum = group.find(({ value }) => value.metricName === `${name}_sum`)?.value.value ?? 0;
    return { labels: (group[0] as (typeof group)[number]).labels, counts, sum };
  });
  return { bounds, series };
}
