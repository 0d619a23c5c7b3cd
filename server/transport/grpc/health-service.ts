import { type handleServerStreamingCall, type handleUnaryCall, type Server, status } from '@grpc/grpc-js';
import { WireWriter } from '../../../proto/wire/writer.js';
import type { Health } from '../../service/health.js';
import {
  decodeHealthCheckRequest,
  encodeHealthCheckResponse,
  encodeHealthListResponse,
  HEALTH_SERVICE,
  type HealthCheckRequest,
  type HealthList,
  type WatchedStatus,
} from '../health-messages.js';
import { serverStream, unary } from './method.js';

/** Health over gRPC (docs/spec/server.md#health). */
export function addHealthService(server: Server, health: Health): void {
  const one = {
    decode: decodeHealthCheckRequest,
    encode: (current: WatchedStatus): Buffer => encodeHealthCheckResponse(current, new WireWriter()),
  };
  const all = {
    decode: () => NO_FIELDS,
    encode: (statuses: HealthList): Buffer => encodeHealthListResponse(statuses, new WireWriter()),
  };
  const definition = {
    Check: unary(HEALTH_SERVICE, 'Check', one),
    List: unary(HEALTH_SERVICE, 'List', all),
    Watch: serverStream(HEALTH_SERVICE, 'Watch', one),
  };
  server.addService(definition, {
    Check: checkHandler(health),
    List: listHandler(health),
    Watch: watchHandler(health),
  });
}

const NO_FIELDS = {};

function checkHandler(health: Health): handleUnaryCall<HealthCheckRequest, WatchedStatus> {
  return (call, callback) => {
    const current = health.of(call.request.service);
    if (current === undefined) callback({ code: status.NOT_FOUND, details: 'unknown service' });
    else callback(null, current);
  };
}

function listHandler(health: Health): handleUnaryCall<object, HealthList> {
  return (_call, callback) => callback(null, health.all());
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
