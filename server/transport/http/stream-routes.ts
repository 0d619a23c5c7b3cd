import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Report, type RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import { fullName } from '../rpc.js';
import { STREAM_RPCS } from '../rpcs.js';
import type { StreamCall, StreamMessages } from '../stream-rpc.js';
import { connectStreamForm } from './connect-stream.js';
import { checkDeadline } from './deadline.js';
import type { Exchange } from './exchange.js';
import { grpcWebStreamForm } from './grpc-web-stream.js';
import type { StreamForm } from './stream-form.js';

/** Streams of Connect and gRPC-Web over plain POST, in the protocol that the media type names. */
export function addStreamRoutes(app: FastifyInstance, exchange: Exchange, services: Services): void {
  for (const rpc of STREAM_RPCS) {
    app.post(fullName(rpc), (request, reply) => {
      const form = streamFormOf(rpc, request.headers['content-type']);
      if (form === undefined) return refuseStreamType(request, reply, exchange);
      const call = streamCall(request, reply);
      const responses = (read: () => unknown) => rpc.run(services, call, read);
      const content = Readable.from(frames(form, request, services.report, responses));
      exchange.stream(request, reply, 200, ['Content-Type', form.contentType], content);
    });
  }
}

export function streamCall(request: FastifyRequest, reply: FastifyReply): StreamCall {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return { authorization: request.headers.authorization, gone: gone.signal };
}

/** The form of a stream in the protocol that a media type names; undefined for one that no protocol has. */
export function streamFormOf(messages: StreamMessages, contentType: string | undefined): StreamForm | undefined {
  return grpcWebStreamForm(messages, contentType) ?? connectStreamForm(messages, contentType);
}

/** The answer to a media type that no protocol has for streams. */
export function refuseStreamType(request: FastifyRequest, reply: FastifyReply, exchange: Exchange): void {
  exchange.send(request, reply, 415, ['Accept-Post', STREAM_TYPES], '');
}

const STREAM_TYPES =
  'application/connect+json, application/connect+proto, application/grpc-web, application/grpc-web-text';
const NO_BODY = Buffer.alloc(0);

/** At the pace of the caller, and no longer than it listens. */
async function* frames(
  form: StreamForm,
  { headers, body = NO_BODY }: FastifyRequest,
  report: Report,
  responses: (read: () => unknown) => AsyncIterable<unknown>,
): AsyncGenerator<Buffer, void> {
  const start = performance.now();
  let failure: RpcError | undefined;
  try {
    const timeout = form.timeout(headers);
    for await (const response of responses(() => form.read(body as Buffer))) {
      checkDeadline(start, timeout);
      yield form.message(response);
    }
    checkDeadline(start, timeout);
  } catch (thrown) {
    failure = rpcErrorOf(thrown, report);
  }
  yield form.end(failure);
}
