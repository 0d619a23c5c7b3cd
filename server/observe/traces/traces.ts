import type { Context, Span } from '@opentelemetry/api';
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Call } from '../../service/call.js';
import type { Code } from '../../service/rpc-error.js';
import type { CallEnd, Watcher } from '../../service/watcher.js';
import type { ThrottledReporter } from '../../throttled-reporter.js';
import { isHousekeeping } from '../call-names.js';
import { reportFailures } from '../otel/failures.js';
import { detectResource } from '../otel/resource.js';
import type { TraceSettings } from '../otel/settings.js';
import { endAttributes, httpAttributes, rpcAttributes } from './attributes.js';
import { parentReader } from './parent.js';
import { partSpans, toWallTime } from './part-spans.js';

/** Records spans, and sends them. */
export interface Traces {
  readonly watcher: Watcher;
  /** Sends the remaining spans. */
  readonly close: () => Promise<void>;
}

/** What makes spans. */
export interface TraceOptions {
  readonly settings: TraceSettings;
  readonly serviceName: string;
  readonly version: string;
  /** Told of batches that cannot be sent. */
  readonly reporter: ThrottledReporter;
}

/**
 * Makes a span for every call that is sampled (docs/spec/server.md#opentelemetry): `/api` for REST, below it the RPC,
 * below it its parts (`partSpans`). The library is loaded here and not before: a server without traces has none of it.
 * The exporter reads endpoint, headers and certificates from the standard variables itself.
 */
export async function createTraces({ settings, serviceName, version, reporter }: TraceOptions): Promise<Traces> {
  const { SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api');
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const parentOf = await parentReader(settings.propagators);
  const provider = new NodeTracerProvider({
    resource: await detectResource(serviceName, version),
    sampler: await createSampler(settings),
    spanProcessors: [new BatchSpanProcessor(reportFailures(await createExporter(settings), 'traces', reporter))],
  });
  const tracer = provider.getTracer('authz', version);

  const began = (call: Call): void => {
    if (isHousekeeping(call)) return;
    const parent = parentOf(call.metadata());
    const isRest = call.protocol === 'rest';
    const outer = tracer.startSpan(
      isRest ? '/api' : call.method.slice(1),
      { kind: SpanKind.SERVER, startTime: call.timestamp },
      parent,
    );
    if (!outer.isRecording()) return;
    const outerContext = trace.setSpan(parent, outer);
    const rpc = isRest
      ? tracer.startSpan(call.method.slice(1), { kind: SpanKind.INTERNAL, startTime: call.timestamp }, outerContext)
      : outer;
    if (call.protocol !== 'grpc') outer.setAttributes(httpAttributes(call));
    rpc.setAttributes(rpcAttributes(call));
    call.trace = new CallSpans(outer, rpc, trace.setSpan(outerContext, rpc));
  };
  const ended = (call: Call, end: CallEnd): void => {
    const spans = findSpans(call);
    if (spans === undefined) return;
    const { outer, rpc } = spans;
    rpc.setAttributes(endAttributes(call, end));
    if (call.protocol !== 'grpc') outer.setAttribute('http.response.status_code', end.httpStatus);
    const moment = toWallTime(call, performance.now());
    for (const span of rpc === outer ? [rpc] : [rpc, outer]) {
      if (isFailure(end.code)) span.setStatus({ code: SpanStatusCode.ERROR, message: end.message });
      span.end(moment);
    }
  };
  const parts = partSpans({
    tracer,
    below: (parent, span) => trace.setSpan(parent, span),
    contextOf: (call) => findSpans(call)?.context,
    errorStatus: SpanStatusCode.ERROR,
  });
  const watcher: Watcher = { began, ended, ...parts };
  return { watcher, close: () => provider.shutdown() };
}

async function createExporter({ protocol }: TraceSettings): Promise<SpanExporter> {
  if (protocol !== 'grpc') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
    return new OTLPTraceExporter();
  }
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-grpc');
  const { grpcExporterOptions } = await import('../otel/grpc-exporter-options.js');
  return new OTLPTraceExporter(grpcExporterOptions(process.env, 'TRACES'));
}

/**
 * The spans of a call that is sampled: kept as long as the call is, because its audit entries are made after the
 * answer.
 */
class CallSpans {
  constructor(
    /** Span of the HTTP request, or of the RPC itself. */
    readonly outer: Span,
    readonly rpc: Span,
    /** Below the RPC. */
    readonly context: Context,
  ) {}
}

function findSpans({ trace }: Call): CallSpans | undefined {
  return trace instanceof CallSpans ? trace : undefined;
}

/** The codes that OpenTelemetry's conventions count as errors of a server; the others are the caller's. */
function isFailure(code: Code | undefined): boolean {
  return code !== undefined && FAILURES.has(code);
}

const FAILURES: ReadonlySet<Code> = new Set([
  'unknown',
  'deadline_exceeded',
  'unimplemented',
  'internal',
  'unavailable',
  'data_loss',
]);

/** The sampler of a configuration: which traces are recorded. */
async function createSampler({ sampler, ratio }: TraceSettings): Promise<Sampler> {
  const { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } = await import(
    '@opentelemetry/sdk-trace-node'
  );
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}
