import { type handleUnaryCall, Metadata, type Server, type ServiceDefinition } from '@grpc/grpc-js';
import { decodeCheckResourcesRequest } from '../../../proto/codec/check-resources-request.js';
import { encodeCheckResourcesResponse } from '../../../proto/codec/check-resources-response.js';
import { decodeServerInfoRequest, encodeServerInfoResponse } from '../../../proto/codec/server-info.js';
import { TextTable } from '../../../proto/codec/text-table.js';
import { WireWriter } from '../../../proto/codec/wire-writer.js';
import type { CheckResourcesRequest, CheckResourcesResponse, ServerInfoResponse } from '../../../proto/messages.js';
import { checkResources } from '../../service/check-resources.js';
import { RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import { AUTHZ_SERVICE, type Services } from '../../service/services.js';
import { grpcErrorOf } from './status-details.js';
import { type Codec, unary } from './method.js';

/** The decision service over gRPC. Messages go through our own codec: plain values in, bytes from decisions out (bench: server). */
export function addAuthzService(server: Server, services: Services): void {
  server.addService(definition(), {
    CheckResources: checkResourcesHandler(services),
    PlanResources: unimplemented('PlanResources'),
    ServerInfo: serverInfoHandler(services),
    CheckResourceSet: unimplemented('CheckResourceSet'),
    CheckResourceBatch: unimplemented('CheckResourceBatch'),
  });
}

function definition(): ServiceDefinition {
  const texts = new TextTable();
  const writer = new WireWriter();
  const check: Codec<CheckResourcesRequest, CheckResourcesResponse> = {
    decode: (bytes) => decodeCheckResourcesRequest(bytes, texts),
    encode: (response) => encodeCheckResourcesResponse(response, writer),
  };
  const info: Codec<Record<string, never>, ServerInfoResponse> = {
    decode: decodeServerInfoRequest,
    encode: (response) => encodeServerInfoResponse(response, writer),
  };
  return {
    CheckResources: unary(AUTHZ_SERVICE, 'CheckResources', check),
    PlanResources: unary(AUTHZ_SERVICE, 'PlanResources', NO_CODEC),
    ServerInfo: unary(AUTHZ_SERVICE, 'ServerInfo', info),
    CheckResourceSet: unary(AUTHZ_SERVICE, 'CheckResourceSet', NO_CODEC),
    CheckResourceBatch: unary(AUTHZ_SERVICE, 'CheckResourceBatch', NO_CODEC),
  };
}

/** Of a method that is refused whatever is sent. */
const NO_CODEC: Codec<object, null> = { decode: () => ({}), encode: () => Buffer.alloc(0) };

function checkResourcesHandler(services: Services): handleUnaryCall<CheckResourcesRequest, CheckResourcesResponse> {
  return (call, callback) => {
    const fail = (thrown: unknown): void => {
      const error = rpcErrorOf(thrown);
      if (error.handled) call.sendMetadata(versionOf(services));
      callback(grpcErrorOf(error));
    };
    const finish = (response: CheckResourcesResponse): void => {
      call.sendMetadata(versionOf(services));
      callback(null, response);
    };
    try {
      const outcome = checkResources(services.check, call.request);
      if (outcome instanceof Promise) outcome.then(finish, fail);
      else finish(outcome);
    } catch (thrown) {
      fail(thrown);
    }
  };
}

function serverInfoHandler(services: Services): handleUnaryCall<Record<string, never>, ServerInfoResponse> {
  return (call, callback) => {
    call.sendMetadata(versionOf(services));
    callback(null, services.release);
  };
}

function unimplemented(method: string): handleUnaryCall<object, null> {
  return (_call, callback) => callback(grpcErrorOf(new RpcError('unimplemented', `${method} is not served yet`)));
}

/** The header `authz-version` of handled calls (server.md 1.5). */
function versionOf(services: Services): Metadata {
  const metadata = new Metadata();
  metadata.set('authz-version', services.release.version);
  return metadata;
}
