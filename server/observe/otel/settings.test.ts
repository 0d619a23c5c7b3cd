import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { otelSettings } from './settings.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317' };

test('by default metrics are scraped and nothing is exported', () => {
  assert.equal(otelSettings({}), {
    serviceName: 'authz',
    traces: undefined,
    pushedMetrics: undefined,
    scrapedMetrics: true,
    warnings: [],
  });
});

test('an endpoint enables traces, for sampled parent traces', () => {
  const traces = {
    protocol: 'grpc',
    sampler: 'parentbased_always_off',
    ratio: 0.1,
    propagators: ['tracecontext', 'baggage', 'b3'],
  };
  assert.equal(otelSettings(ENDPOINT).traces, traces);
  assert.equal(otelSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c' }).traces, traces);
  assert.is(otelSettings({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://c' }).traces, undefined);
  assert.is(otelSettings({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }).traces, undefined);
  assert.is(otelSettings({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }).traces, undefined);
});

test('each signal can have its own protocol', () => {
  const environment = {
    ...ENDPOINT,
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc',
  };
  assert.is(otelSettings(environment).traces?.protocol, 'http/protobuf');
  assert.equal(otelSettings(environment).pushedMetrics, { protocol: 'grpc', interval: 60_000, timeout: 30_000 });
});

test('metrics can be scraped, exported, both or neither', () => {
  const read = (OTEL_METRICS_EXPORTER: string): readonly boolean[] => {
    const { scrapedMetrics, pushedMetrics } = otelSettings({ ...ENDPOINT, OTEL_METRICS_EXPORTER });
    return [scrapedMetrics, pushedMetrics !== undefined];
  };
  assert.equal(read('prometheus'), [true, false]);
  assert.equal(read('otlp'), [false, true]);
  assert.equal(read('prometheus, otlp'), [true, true]);
  assert.equal(read('none'), [false, false]);
});

test('exported metrics without an endpoint are a warning', () => {
  const { pushedMetrics, warnings } = otelSettings({ OTEL_METRICS_EXPORTER: 'otlp' });
  assert.is(pushedMetrics, undefined);
  assert.is(warnings.length, 1);
});

test('an unknown sampler, protocol, propagator or exporter, and an invalid number, are errors that name their variable', () => {
  const wrong = {
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'x',
    OTEL_PROPAGATORS: 'b3,jaeger',
    OTEL_METRICS_EXPORTER: 'console',
    OTEL_TRACES_EXPORTER: 'zipkin',
    OTEL_TRACES_SAMPLER_ARG: '2',
  };
  for (const [name, value] of Object.entries(wrong))
    assert.throws(() => otelSettings({ ...ENDPOINT, [name]: value }), `${name}: `);
  assert.throws(
    () => otelSettings({ ...ENDPOINT, OTEL_METRICS_EXPORTER: 'otlp', OTEL_METRIC_EXPORT_INTERVAL: '1m' }),
    'OTEL_METRIC_EXPORT_INTERVAL: ',
  );
});

test.run();
