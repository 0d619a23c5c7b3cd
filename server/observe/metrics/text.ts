import type { Family, HistogramFamily, Snapshot } from './family.js';

/** The content type of `metricsText`. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics in the text format of Prometheus, version 0.0.4. Families without series are omitted. */
export function metricsText(snapshot: Snapshot): string {
  return snapshot
    .filter(({ series }) => series.length > 0)
    .map(familyText)
    .join('');
}

function familyText(family: Family): string {
  const head = `# HELP ${family.name} ${escaped(family.help)}\n# TYPE ${family.name} ${family.type}\n`;
  if (family.type === 'histogram') return head + histogramText(family);
  return (
    head +
    family.series
      .map(({ labels, value }) => `${family.name}${labelText(family.labels, labels)} ${numberText(value)}\n`)
      .join('')
  );
}

function histogramText({ name, labels: names, bounds, series }: HistogramFamily): string {
  let text = '';
  const bucketNames = [...names, 'le'];
  for (const { labels, counts, sum } of series) {
    let total = 0;
    counts.forEach((count, index) => {
      total += count;
      text += `${name}_bucket${labelText(bucketNames, [...labels, numberText(bounds[index] ?? Number.POSITIVE_INFINITY)])} ${total}\n`;
    });
    text += `${name}_sum${labelText(names, labels)} ${numberText(sum)}\n${name}_count${labelText(names, labels)} ${total}\n`;
  }
  return text;
}

function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return '';
  return `{${names.map((name, index) => `${name}="${escaped(values[index] as string).replaceAll('"', '\\"')}"`).join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
