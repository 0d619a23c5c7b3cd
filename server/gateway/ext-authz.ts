import type { handleUnaryCall } from '@grpc/grpc-js';
import type { CheckResponse, HeaderValueOption } from '../../proto/gen/ext-authz-answers.js';
import type { CheckRequest, HttpRequest } from '../../proto/gen/ext-authz-messages.js';
import { encodeCheckResponse } from '../../proto/gen/wire/ext-authz.js';
import { decodeCheckRequest } from '../../proto/gen/wire/external-auth.js';
import { WireWriter } from '../../proto/wire/writer.js';
import { CODES, type RpcError } from '../service/rpc-error.js';
import type { Services } from '../service/services.js';
import { GrpcCall } from '../transport/grpc/grpc-call.js';
import type { GrpcPlugin } from '../transport/grpc/grpc-server.js';
import { BYTES, unary } from '../transport/grpc/method.js';
import { createRunner } from '../transport/unary-call.js';
import type { Gateway, Identity, ProxiedRequest } from './gateway.js';
import { denied } from './header-fields.js';
import { toHttpStatus } from './status.js';

/** The service that Envoy calls. */
const EXT_AUTHZ_SERVICE = 'envoy.service.auth.v3.Authorization';

/** Envoy's external authorization, as a plugin of the gRPC server (docs/gateways.md#envoy). */
export function createExtAuthz(gateway: Gateway, services: Services): GrpcPlugin {
  return {
    service: EXT_AUTHZ_SERVICE,
    addTo: (server, authInfo) =>
      server.addService(
        { Check: unary(EXT_AUTHZ_SERVICE, 'Check', BYTES) },
        { Check: handler(gateway, services, authInfo) },
      ),
  };
}

function handler(gateway: Gateway, services: Services, authInfo: string): handleUnaryCall<Buffer, Buffer> {
  const writer = new WireWriter();
  const send = (call: GrpcCall, response: CheckResponse): number => {
    const message = encodeCheckResponse(response, writer);
    call.respond(null, message);
    return message.length;
  };
  const run = createRunner<GrpcCall, Identity>(services, {
    run: async (call, body) => gateway.decide(call, decodeRequest(body)),
    answer: (call, identity) => send(call, permit(identity)),
    refuse: (call, error) => send(call, refuse(error, gateway.nobody)),
  });
  return (call, callback) => run(new GrpcCall(`/${EXT_AUTHZ_SERVICE}/Check`, call, callback, authInfo), call.request);
}

/** Throws an RpcError for a message that is not about an HTTP request. */
function decodeRequest(bytes: Buffer): ProxiedRequest {
  const { method, path, headers } = decodeHttpRequest(bytes);
  // Envoy replaces what is not UTF-8 by `!`, and passes the original on.
  if (path.includes('!')) throw denied('the path may not be UTF-8');
  return {
    headers: headers.flatMap(({ key, value }) => (key.startsWith(':') ? [] : [[key, value] as const])),
    line: { method, target: path },
  };
}

function decodeHttpRequest(bytes: Buffer): HttpRequest {
  let request: CheckRequest;
  try {
    request = decodeCheckRequest(bytes);
  } catch {
    throw denied('the message cannot be decoded');
  }
  const http = request.attributes?.request?.http;
  if (http === undefined) throw denied('the message is not about an HTTP request');
  return http;
}

/** Empty headers are removed from the request, so that none of the client remains. */
function permit(identity: Identity): CheckResponse {
  return {
    status: { code: 0 },
    okResponse: {
      headers: toHeaderOptions(identity.filter(([, value]) => value !== '')),
      headersToRemove: identity.flatMap(([name, value]) => (value === '' ? [name] : [])),
    },
  };
}

/** Never an `error_response`: Envoy may be configured to pass such a request on. */
function refuse(error: RpcError, nobody: Identity): CheckResponse {
  const code = toHttpStatus(error);
  const challenge: Identity = code === 401 ? [['www-authenticate', 'Bearer']] : [];
  return {
    status: { code: CODES[error.code].number },
    deniedResponse: { status: { code }, headers: toHeaderOptions([...nobody, ...challenge]) },
  };
}

const OVERWRITE = 2;

function toHeaderOptions(headers: Identity): readonly HeaderValueOption[] {
  return headers.map(([key, value]) => ({ header: { key, value }, appendAction: OVERWRITE }));
}
