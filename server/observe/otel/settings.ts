import { ConfigError } from '../../config/config-error.js';
import type { Environment } from '../../config/substitute.js';

/** The settings in the standard variables of OpenTelemetry (docs/spec/server.md#opentelemetry). */
export interface OtelSettings {
  readonly serviceName: string;
  /** Undefined: no traces. */
  readonly traces: TraceSettings | undefined;
  /** Undefined: no metrics are sent. */
  readonly pushedMetrics: PushSettings | undefined;
  /** Whether metrics may be scraped. */
  readonly scrapedMetrics: boolean;
  /** Warnings about variables that have no effect, for the log. */
  readonly warnings: readonly string[];
}

export interface TraceSettings {
  readonly protocol: OtlpProtocol;
  readonly sampler: SamplerName;
  /** The part of traces that a ratio sampler takes, from 0 to 1. */
  readonly ratio: number;
  readonly propagators: readonly PropagatorName[];
}

export interface PushSettings {
  readonly protocol: OtlpProtocol;
  /** Interval in milliseconds. */
  readonly interval: number;
  readonly timeout: number;
}

export type OtlpProtocol = (typeof PROTOCOLS)[number];
export type SamplerName = (typeof SAMPLERS)[number];
export type PropagatorName = (typeof PROPAGATORS)[number];

/**
 * Reads the variables. Throws a ConfigError for an unknown sampler, protocol, propagator or exporter, and for an
 * invalid number.
 */
export function otelSettings(environment: Environment): OtelSettings {
  const isOff = environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true';
  const exporters = readWords(environment, 'OTEL_METRICS_EXPORTER', METRICS_EXPORTERS, ['prometheus']);
  const wantsPush = exporters.includes('otlp') && !isOff;
  const canPush = hasEndpoint(environment, 'METRICS');
  return {
    serviceName: environment['OTEL_SERVICE_NAME'] || 'authz',
    traces: isOff ? undefined : traceSettings(environment),
    pushedMetrics: wantsPush && canPush ? pushSettings(environment) : undefined,
    scrapedMetrics: exporters.includes('prometheus'),
    warnings:
      wantsPush && !canPush
        ? ['OTEL_METRICS_EXPORTER: no endpoint to send metrics to; set OTEL_EXPORTER_OTLP_ENDPOINT']
        : [],
  };
}

const PROTOCOLS = ['grpc', 'http/protobuf'] as const;
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const PROPAGATORS = ['tracecontext', 'baggage', 'b3', 'b3multi', 'none'] as const;
const METRICS_EXPORTERS = ['prometheus', 'otlp', 'none'] as const;
const TRACES_EXPORTERS = ['otlp', 'none'] as const;

function traceSettings(environment: Environment): TraceSettings | undefined {
  const exporter = readWord(environment, 'OTEL_TRACES_EXPORTER', TRACES_EXPORTERS, 'otlp');
  if (exporter === 'none' || !hasEndpoint(environment, 'TRACES')) return undefined;
  return {
    protocol: readProtocol(environment, 'TRACES'),
    sampler: readWord(environment, 'OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_off'),
    ratio: readNumber(environment, 'OTEL_TRACES_SAMPLER_ARG', 0.1, { least: 0, greatest: 1 }),
    propagators: readWords(environment, 'OTEL_PROPAGATORS', PROPAGATORS, ['tracecontext', 'baggage', 'b3']),
  };
}

function pushSettings(environment: Environment): PushSettings {
  const limits = { least: 1, greatest: 2 ** 31 - 1 };
  const interval = readNumber(environment, 'OTEL_METRIC_EXPORT_INTERVAL', 60_000, limits);
  const timeout = readNumber(environment, 'OTEL_METRIC_EXPORT_TIMEOUT', 30_000, limits);
  // The library refuses a timeout that is longer than the interval.
  return { protocol: readProtocol(environment, 'METRICS'), interval, timeout: Math.min(timeout, interval) };
}

type Signal = 'TRACES' | 'METRICS';

function hasEndpoint(environment: Environment, signal: Signal): boolean {
  return Boolean(environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || environment['OTEL_EXPORTER_OTLP_ENDPOINT']);
}

function readProtocol(environment: Environment, signal: Signal): OtlpProtocol {
  const general = readWord(environment, 'OTEL_EXPORTER_OTLP_PROTOCOL', PROTOCOLS, 'grpc');
  return readWord(environment, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, PROTOCOLS, general);
}

/** An empty variable counts as not set, as OpenTelemetry specifies. */
function readWord<T extends string>(environment: Environment, name: string, known: readonly T[], otherwise: T): T {
  const text = environment[name]?.trim();
  return text === undefined || text === '' ? otherwise : checkWord(name, text, known);
}

function readWords<T extends string>(
  environment: Environment,
  name: string,
  known: readonly T[],
  otherwise: readonly T[],
): readonly T[] {
  const texts = (environment[name] ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  return texts.length === 0 ? otherwise : texts.map((text) => checkWord(name, text, known));
}

function checkWord<T extends string>(name: string, text: string, known: readonly T[]): T {
  const found = known.find((value) => value === text);
  if (found === undefined) throw new ConfigError(`\`${text}\` is not supported; use ${known.join(', ')}`, name);
  return found;
}

function readNumber(
  environment: Environment,
  name: string,
  otherwise: number,
  { least, greatest }: { readonly least: number; readonly greatest: number },
): number {
  const text = environment[name]?.trim();
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (!(value >= least && value <= greatest))
    throw new ConfigError(`\`${text}\` must be a number from ${least} to ${greatest}`, name);
  return value;
}
