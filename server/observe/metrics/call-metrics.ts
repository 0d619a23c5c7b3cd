import type { Call, Protocol } from '../../service/call.js';
import { CODES, type Code } from '../../service/rpc-error.js';
import type { CallEnd } from '../../service/watcher.js';
import { nameCode, nameHttpMethod, splitMethod, nameRpcSystem, nameStatus } from '../call-names.js';
import { BODY_BYTES, CALL_MILLISECONDS, Histogram, inSeconds } from './histogram.js';
import type { Family, HistogramSeries, ScalarFamily, Snapshot } from './family.js';
import { addedUp, combined } from './merge.js';

/**
 * Counts calls. A call is recorded once, in the series of its method, protocol and result; the HTTP, gRPC and RPC
 * metrics are views of these series, computed on demand.
 */
export class CallMetrics {
  readonly #methods = new Map<string, Map<Protocol, ProtocolCalls>>();

  began(call: Call): void {
    this.#callsOf(call).started++;
  }

  ended(call: Call, end: CallEnd, duration: number): void {
    const { ends } = this.#callsOf(call);
    const key = end.httpStatus * CODE_COUNT + (end.code === undefined ? 0 : CODES[end.code].number);
    let series = ends.get(key);
    if (series === undefined) {
      series = newEnd(end);
      ends.set(key, series);
    }
    series.duration.record(duration);
    series.requestSize.record(end.requestSize);
    series.responseSize.record(end.responseSize);
  }

  /** What the calls were, under the names of docs/spec/server.md#metrics and the usual ones of gRPC servers. */
  snapshot(): Snapshot {
    const all = [...this.#methods].flatMap(([method, protocols]) =>
      [...protocols].map(([protocol, calls]) => ({ method, protocol, ...calls })),
    );
    const ends = all.flatMap(({ method, protocol, ends: known }) =>
      [...known.values()].map((end) => ({ method, protocol, ...end })),
    );
    const overHttp = ends.filter(({ protocol }) => protocol !== 'grpc');
    const overGrpc = ends.filter(isGrpc);
    return [
      counter(
        'authz_http_requests_total',
        'Calls over HTTP, by RPC.',
        ['rpc', 'protocol', 'status'],
        overHttp.map((end) => ({
          labels: [splitMethod(end.method).method, end.protocol, String(end.httpStatus)],
          value: end.duration.count,
        })),
      ),
      histogram(
        'http_server_request_duration_seconds',
        'How long calls over HTTP took.',
        HTTP_LABELS,
        SECONDS,
        overHttp.map((end) => end.duration.series(httpLabels(end), 0.001)),
      ),
      histogram(
        'http_server_request_body_size_bytes',
        'Bodies of requests.',
        HTTP_LABELS,
        BODY_BYTES,
        overHttp.map((end) => end.requestSize.series(httpLabels(end))),
      ),
      histogram(
        'http_server_response_body_size_bytes',
        'Bodies of answers.',
        HTTP_LABELS,
        BODY_BYTES,
        overHttp.map((end) => end.responseSize.series(httpLabels(end))),
      ),
      counter(
        'grpc_server_started_total',
        'RPCs begun.',
        GRPC_LABELS,
        all.filter(isGrpc).map(({ method, started, protocol: _ }) => ({ labels: grpcLabels(method), value: started })),
      ),
      counter(
        'grpc_server_handled_total',
        'RPCs answered.',
        [...GRPC_LABELS, 'grpc_code'],
        overGrpc.map((end) => ({
          labels: [...grpcLabels(end.method), nameCode(end.code)],
          value: end.duration.count,
        })),
      ),
      histogram(
        'grpc_server_handling_seconds',
        'How long RPCs took.',
        GRPC_LABELS,
        SECONDS,
        overGrpc.map((end) => end.duration.series(grpcLabels(end.method), 0.001)),
      ),
      histogram(
        'rpc_server_call_duration_seconds',
        'How long calls by an RPC protocol took.',
        RPC_LABELS,
        SECONDS,
        ends.flatMap(rpcSeries),
      ),
    ];
  }

  #callsOf({ method, protocol }: Call): ProtocolCalls {
    let protocols = this.#methods.get(method);
    if (protocols === undefined) {
      if (this.#methods.size >= MAX_METHODS && method !== OTHER_METHOD)
        return this.#callsOf({ method: OTHER_METHOD, protocol } as Call);
      protocols = new Map();
      this.#methods.set(method, protocols);
    }
    let calls = protocols.get(protocol);
    if (calls === undefined) {
      calls = { started: 0, ends: new Map() };
      protocols.set(protocol, calls);
    }
    return calls;
  }
}

interface ProtocolCalls {
  started: number;
  /** Series by HTTP status and code. */
  readonly ends: Map<number, CallSeries>;
}

interface CallSeries {
  readonly code: Code | undefined;
  readonly httpStatus: number;
  /** Duration in milliseconds. */
  readonly duration: Histogram;
  readonly requestSize: Histogram;
  readonly responseSize: Histogram;
}

/** The series of a result of calls, with its labels. */
interface NamedEnd extends CallSeries {
  readonly method: string;
  readonly protocol: Protocol;
}

/** More than there are codes. */
const CODE_COUNT = 32;
/** More than there are RPCs; should callers ever be able to choose the name, they cannot fill the memory. */
const MAX_METHODS = 64;
const OTHER_METHOD = '/other/other';

const SECONDS = inSeconds(CALL_MILLISECONDS);
const HTTP_LABELS = ['http_request_method', 'http_response_status_code', 'network_protocol_name'];
const GRPC_LABELS = ['grpc_type', 'grpc_service', 'grpc_method'];
const RPC_LABELS = ['rpc_system_name', 'rpc_method', 'rpc_response_status_code'];

function newEnd({ code, httpStatus }: CallEnd): CallSeries {
  return {
    code,
    httpStatus,
    duration: new Histogram(CALL_MILLISECONDS),
    requestSize: new Histogram(BODY_BYTES),
    responseSize: new Histogram(BODY_BYTES),
  };
}

function isGrpc({ protocol }: { readonly protocol: Protocol }): boolean {
  return nameRpcSystem(protocol) === 'grpc';
}

function httpLabels({ method, protocol, httpStatus }: NamedEnd): readonly string[] {
  return [nameHttpMethod(protocol, method), String(httpStatus), 'http'];
}

function grpcLabels(name: string): readonly string[] {
  const { service, method } = splitMethod(name);
  return [STREAMS.get(name) ?? 'unary', service, method];
}

/** The streaming RPCs. */
const STREAMS: ReadonlyMap<string, string> = new Map([
  ['/grpc.health.v1.Health/Watch', 'server_stream'],
  ['/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', 'bidi_stream'],
  ['/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo', 'bidi_stream'],
  ['/authz.svc.v1.AuthzAdminService/ListAuditLogEntries', 'server_stream'],
]);

function rpcSeries({ method, protocol, code, duration }: NamedEnd): readonly HistogramSeries[] {
  const system = nameRpcSystem(protocol);
  return system === undefined ? [] : [duration.series([system, method.slice(1), nameStatus(code)], 0.001)];
}

function counter(name: string, help: string, labels: readonly string[], series: ScalarFamily['series']): Family {
  return { type: 'counter', name, help, labels, across: 'sum', series: combined(series, 'sum') };
}

function histogram(
  name: string,
  help: string,
  labels: readonly string[],
  bounds: readonly number[],
  series: readonly HistogramSeries[],
): Family {
  return { type: 'histogram', name, help, labels, across: 'sum', bounds, series: addedUp(series) };
}
