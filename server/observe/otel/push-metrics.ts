import type { HrTime } from '@opentelemetry/api';
import type {
  CollectionResult,
  DataPoint,
  Histogram,
  MetricData,
  MetricProducer,
  PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import type { ThrottledReporter } from '../../throttled-reporter.js';
import type { Family, HistogramFamily, HistogramSeries, ScalarFamily, Snapshot } from '../metrics/family.js';
import { reportFailures } from './failures.js';
import { detectResource } from './resource.js';
import type { PushSettings } from './settings.js';

/** The options of `pushMetrics`. */
export interface Push {
  readonly settings: PushSettings;
  readonly serviceName: string;
  readonly version: string;
  /** Told of metrics that cannot be sent. */
  readonly reporter: ThrottledReporter;
  readonly snapshot: () => Promise<Snapshot>;
}

/**
 * Sends the metrics of this process to a collector (docs/spec/server.md#opentelemetry): the same values under the same
 * names as a scrape. Each worker sends its own, with its own `service.instance.id`. Returns a function that sends the
 * last metrics and stops.
 */
export async function pushMetrics({
  settings,
  serviceName,
  version,
  reporter,
  snapshot,
}: Push): Promise<() => Promise<void>> {
  const sdk = await import('@opentelemetry/sdk-metrics');
  const resource = await detectResource(serviceName, version);
  const toData = dataWriter(sdk);
  const producer: MetricProducer = {
    collect: async (): Promise<CollectionResult> => {
      const metrics = (await snapshot()).filter(({ series }) => series.length > 0).map(toData);
      return {
        resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'authz', version }, metrics }] },
        errors: [],
      };
    },
  };
  const reader = new sdk.PeriodicExportingMetricReader({
    exporter: reportFailures(await createExporter(settings), 'metrics', reporter),
    exportIntervalMillis: settings.interval,
    exportTimeoutMillis: settings.timeout,
    metricProducers: [producer],
  });
  const provider = new sdk.MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}

async function createExporter({ protocol }: PushSettings): Promise<PushMetricExporter> {
  if (protocol !== 'grpc') {
    const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-proto');
    return new OTLPMetricExporter();
  }
  const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-grpc');
  const { grpcExporterOptions } = await import('./grpc-exporter-options.js');
  return new OTLPMetricExporter(grpcExporterOptions(process.env, 'METRICS'));
}

type Sdk = typeof import('@opentelemetry/sdk-metrics');

function dataWriter({ AggregationTemporality, DataPointType }: Sdk): (family: Family) => MetricData {
  const startTime = hrTime(performance.timeOrigin);
  return (family) => {
    const endTime = hrTime(Date.now());
    const point = <T>(labels: readonly string[], value: T): DataPoint<T> => ({
      startTime,
      endTime,
      attributes: Object.fromEntries(family.labels.map((name, index) => [name, labels[index] ?? ''])),
      value,
    });
    const base = { descriptor: toDescriptor(family), aggregationTemporality: AggregationTemporality.CUMULATIVE };
    switch (family.type) {
      case 'counter':
        return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: scalars(family, point) };
      case 'gauge':
        return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: scalars(family, point) };
      case 'histogram':
        return {
          ...base,
          dataPointType: DataPointType.HISTOGRAM,
          dataPoints: family.series.map((series) => point(series.labels, toHistogram(family, series))),
        };
    }
  };
}

function scalars(
  { series }: ScalarFamily,
  point: (labels: readonly string[], value: number) => DataPoint<number>,
): DataPoint<number>[] {
  return series.map(({ labels, value }) => point(labels, value));
}

function toHistogram({ bounds }: HistogramFamily, { counts, sum }: HistogramSeries): Histogram {
  return {
    buckets: { boundaries: [...bounds], counts: [...counts] },
    sum,
    count: counts.reduce((total, count) => total + count, 0),
  };
}

function toDescriptor({ name, help }: Family): MetricData['descriptor'] {
  // 1 is ValueType.DOUBLE, the one kind of number there is here.
  return { name, description: help, unit: findUnit(name), valueType: 1 };
}

/** The unit that a name ends in, as UCUM writes it. */
function findUnit(name: string): string {
  if (name.endsWith('_milliseconds')) return 'ms';
  if (/_seconds(?:_total)?$/.test(name)) return 's';
  return name.endsWith('_bytes') ? 'By' : '1';
}

function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}
