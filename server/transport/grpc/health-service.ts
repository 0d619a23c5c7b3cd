import { type handleServerStreamingCall, type handleUnaryCall, type Server, status } from '@grpc/grpc-js';
import { BYTES, WireReader } from '../../../proto/codec/wire-reader.js';
import { WireWriter } from '../../../proto/codec/wire-writer.js';
import type { Health, ServingStatus } from '../../service/health.js';
import { serverStream, unary } from './method.js';

/** grpc.health.v1.Health (server.md 5.1). */
export const HEALTH_SERVICE = 'grpc.health.v1.Health';

export function addHealthService(server: Server, health: Health): void {
  const one = { decode: decodeHealthCheckRequest, encode: encodeHealthCheckResponse };
  const definition = {
    Check: unary(HEALTH_SERVICE, 'Check', one),
    List: unary(HEALTH_SERVICE, 'List', { decode: () => NO_FIELDS, encode: encodeHealthListResponse }),
    Watch: serverStream(HEALTH_SERVICE, 'Watch', one),
  };
  server.addService(definition, { Check: checkHandler(health), List: listHandler(health), Watch: watchHandler(health) });
}

/** A request must be an object: the library takes a falsy one for none. */
interface HealthCheckRequest {
  readonly service: string;
}

const NO_FIELDS = {};

/** What a watcher may be told beside the status of a service that exists. */
type WatchedStatus = ServingStatus | 'SERVICE_UNKNOWN';

const NUMBERS = { SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } as const;

function checkHandler(health: Health): handleUnaryCall<HealthCheckRequest, WatchedStatus> {
  return (call, callback) => {
    const current = health.of(call.request.service);
    if (current === undefined) callback({ code: status.NOT_FOUND, details: 'unknown service' });
    else callback(null, current);
  };
}

function listHandler(health: Health): handleUnaryCall<object, ReadonlyMap<string, ServingStatus>> {
  return (_call, callback) => {
    callback(null, new Map(health.services.map((service) => [service, health.of(service) ?? 'NOT_SERVING'])));
  };
}

/** The status now and after every change; the stream ends with the server. */
function watchHandler(health: Health): handleServerStreamingCall<HealthCheckRequest, WatchedStatus> {
  return (call) => {
    const current = health.of(call.request.service);
    call.write(current ?? 'SERVICE_UNKNOWN');
    if (current === 'NOT_SERVING') call.end();
    const forget = health.onChange((next) => {
      if (current !== undefined) call.write(next);
      call.end();
    });
    call.on('cancelled', forget);
    call.on('close', forget);
  };
}

function decodeHealthCheckRequest(bytes: Buffer): HealthCheckRequest {
  const reader = new WireReader(bytes);
  let service = '';
  while (reader.at < bytes.length) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) service = reader.string();
    else reader.skip(tag);
  }
  return { service };
}

function encodeHealthCheckResponse(current: WatchedStatus): Buffer {
  const writer = new WireWriter();
  writer.varintField(1, NUMBERS[current]);
  return writer.finish();
}

function encodeHealthListResponse(statuses: ReadonlyMap<string, ServingStatus>): Buffer {
  const writer = new WireWriter();
  for (const [service, current] of [...statuses].sort().reverse()) {
    const entry = writer.mark();
    const response = writer.mark();
    writer.varintField(1, NUMBERS[current]);
    writer.messageField(2, response);
    writer.stringField(1, service);
    writer.messageField(1, entry);
  }
  return writer.finish();
}
