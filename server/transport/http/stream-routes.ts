import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import { fullName } from '../rpc.js';
import { STREAM_RPCS } from '../rpcs.js';
import { runStream, type StreamRpc } from '../stream-rpc.js';
import { connectStreamForm } from './connect-stream.js';
import { checkDeadline } from './deadline.js';
import type { Exchange } from './exchange.js';
import { grpcWebStreamForm } from './grpc-web-stream.js';
import type { StreamForm } from './stream-form.js';

/** Streams of Connect and gRPC-Web over plain POST, where there is an admin to call them. */
export function addStreamRoutes(app: FastifyInstance, exchange: Exchange, services: Services): void {
  if (services.admin === undefined) return;
  for (const rpc of STREAM_RPCS) {
    app.post(fullName(rpc), (request, reply) => {
      const type = request.headers['content-type'];
      const form = grpcWebStreamForm(rpc, type) ?? connectStreamForm(rpc, type);
      if (form === undefined) exchange.send(request, reply, 415, ['Accept-Post', STREAM_TYPES], '');
      else exchange.stream(request, reply, 200, ['Content-Type', form.contentType], Readable.from(frames(rpc, form, request, services)));
    });
  }
}

const STREAM_TYPES = 'application/connect+json, application/connect+proto, application/grpc-web, application/grpc-web-text';
const NO_BODY = Buffer.alloc(0);

/** At the pace of the caller, and no longer than it listens. */
async function* frames(rpc: StreamRpc, form: StreamForm, { headers, body = NO_BODY }: FastifyRequest, { admin, report }: Services): AsyncGenerator<Buffer, void> {
  if (admin === undefined) return;
  const start = performance.now();
  let failure: RpcError | undefined;
  try {
    const timeout = form.timeout(headers);
    for await (const response of runStream(rpc, admin, headers.authorization, () => form.read(body as Buffer))) {
      checkDeadline(start, timeout);
      yield form.message(response);
    }
    checkDeadline(start, timeout);
  } catch (thrown) {
    failure = rpcErrorOf(thrown, report);
  }
  yield form.end(failure);
}
