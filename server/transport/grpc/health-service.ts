import { type handleServerStreamingCall, type handleUnaryCall, type Server, status as Status } from '@grpc/grpc-js';
import type {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthListRequest,
  HealthListResponse,
} from '../../../proto/gen/health-messages.js';
import {
  decodeHealthCheckRequest,
  decodeHealthListRequest,
  encodeHealthCheckResponse,
  encodeHealthListResponse,
} from '../../../proto/gen/wire/health.js';
import { WireWriter } from '../../../proto/wire/writer.js';
import type { Health } from '../../service/health.js';
import { HEALTH_SERVICE } from '../../service/services.js';
import { serverStream, unary } from './method.js';

/** Health over gRPC (docs/spec/server.md#health). */
export function addHealthService(server: Server, health: Health): void {
  const one = {
    decode: decodeHealthCheckRequest,
    encode: (response: HealthCheckResponse): Buffer => encodeHealthCheckResponse(response, new WireWriter()),
  };
  const all = {
    decode: decodeHealthListRequest,
    encode: (response: HealthListResponse): Buffer => encodeHealthListResponse(response, new WireWriter()),
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

function checkHandler(health: Health): handleUnaryCall<HealthCheckRequest, HealthCheckResponse> {
  return (call, callback) => {
    const status = health.of(call.request.service);
    if (status === undefined) callback({ code: Status.NOT_FOUND, details: 'unknown service' });
    else callback(null, { status });
  };
}

function listHandler(health: Health): handleUnaryCall<HealthListRequest, HealthListResponse> {
  return (_call, callback) => callback(null, health.all());
}

/** The status now and after every change; the stream ends with the server. */
function watchHandler(health: Health): handleServerStreamingCall<HealthCheckRequest, HealthCheckResponse> {
  return (call) => {
    const current = health.of(call.request.service);
    call.write({ status: current ?? 'SERVICE_UNKNOWN' });
    if (current === 'NOT_SERVING') call.end();
    const forget = health.onChange((status) => {
      if (current !== undefined) call.write({ status });
      call.end();
    });
    call.on('cancelled', forget);
    call.on('close', forget);
  };
}
