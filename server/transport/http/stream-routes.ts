import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { WireWriter } from '../../../proto/wire/writer.js';
import { type Report, RpcError, toRpcError } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import { fullNames, readJsonRequest } from '../rpc.js';
import { STREAM_RPCS } from '../rpcs.js';
import { decodeRequest, type StreamCall, type StreamMessages } from '../stream-rpc.js';
import { checkVersion, printConnectError } from './connect-error.js';
import { checkDeadline, connectTimeout, grpcTimeout, type Timeout } from './deadline.js';
import type { Exchange } from './exchange.js';
import { frame, MESSAGE, readMessage } from './frames.js';
import { answerType, isGrpcWeb, isTextual, requestMessage, trailersFrame } from './grpc-web-frames.js';
import { readCaller } from './http-call.js';
import type { Routes } from './app.js';
import type { Handler, Refusal } from './route.js';
import type { StreamForm } from './stream-form.js';

/** Streams of Connect and gRPC-Web over plain POST, in the protocol that the media type selects. */
export function addStreamRoutes(routes: Routes, exchange: Exchange, services: Services): void {
  for (const rpc of STREAM_RPCS) {
    const handler: Handler = (request, response, body) => {
      const form = chooseStreamForm(rpc, request.headers['content-type']) as StreamForm;
      const call = streamCall(request, response);
      const responses = (read: () => unknown) => rpc.run(services, call, read);
      const content = Readable.from(frames(form, request.headers, body, services.report, responses));
      exchange.stream(request, response, 200, ['Content-Type', form.contentType], content);
    };
    const refuses: Refusal = (request, response) => {
      if (chooseStreamForm(rpc, request.headers['content-type']) !== undefined) return false;
      refuseStreamType(request, response, exchange);
      return true;
    };
    for (const name of fullNames(rpc, services.aliases)) routes.post(name, handler, refuses);
  }
}

export function streamCall(request: IncomingMessage, response: ServerResponse): StreamCall {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return { caller: readCaller(request), gone: gone.signal };
}

/** The form of a stream in the protocol that a media type selects; undefined if there is none. */
export function chooseStreamForm(messages: StreamMessages, contentType: string | undefined): StreamForm | undefined {
  return grpcWebStreamForm(messages, contentType) ?? connectStreamForm(messages, contentType);
}

/** The response to a media type that no streaming protocol has. */
export function refuseStreamType(request: IncomingMessage, response: ServerResponse, exchange: Exchange): void {
  exchange.send(request, response, 415, ['Accept-Post', STREAM_TYPES], '');
}

const STREAM_TYPES =
  'application/connect+json, application/connect+proto, application/grpc-web, application/grpc-web-text';

/** Yields frames at the pace of the caller, and only while it listens. */
async function* frames(
  form: StreamForm,
  headers: IncomingHttpHeaders,
  body: Buffer,
  report: Report,
  responses: (read: () => unknown) => AsyncIterable<unknown>,
): AsyncGenerator<Buffer, void> {
  const start = performance.now();
  let failure: RpcError | undefined;
  try {
    const timeout = form.timeout(headers);
    for await (const response of responses(() => form.read(body))) {
      checkDeadline(start, timeout);
      yield form.message(response);
    }
    checkDeadline(start, timeout);
  } catch (thrown) {
    failure = toRpcError(thrown, report);
  }
  yield form.end(failure);
}

/**
 * A stream of gRPC-Web; undefined for a media type that is not of gRPC-Web. In base64, each frame is encoded
 * separately.
 */
function grpcWebStreamForm(rpc: StreamMessages, contentType: string | undefined): StreamForm | undefined {
  if (!isGrpcWeb(contentType)) return undefined;
  const isText = isTextual(contentType);
  const writer = new WireWriter();
  const written = (bytes: Buffer): Buffer => (isText ? Buffer.from(bytes.toString('base64')) : bytes);
  return {
    contentType: answerType(isText),
    timeout: (headers) => grpcTimeout(headers['grpc-timeout']),
    read: (body) => decodeRequest(rpc, requestMessage(body, isText), 'internal'),
    message: (response) => written(frame(MESSAGE, rpc.encode(response, writer))),
    end: (error) => written(trailersFrame(error)),
  };
}

/** A stream of the Connect protocol, in the encoding that a media type selects; undefined for any other media type. */
function connectStreamForm(rpc: StreamMessages, contentType: string | undefined): StreamForm | undefined {
  const encoding = /^application\/connect\+(json|proto)\s*$/i.exec(contentType ?? '')?.[1]?.toLowerCase();
  if (encoding === undefined) return undefined;
  const isJson = encoding === 'json';
  const writer = new WireWriter();
  return {
    contentType: `application/connect+${encoding}`,
    timeout: checkHeaders,
    read: (body) =>
      isJson
        ? readJsonRequest(rpc.readJson, readMessage(body, MALFORMED))
        : decodeRequest(rpc, readMessage(body, MALFORMED), MALFORMED),
    message: (response) => frame(MESSAGE, isJson ? Buffer.from(rpc.printJson(response)) : rpc.encode(response, writer)),
    end: (error) => frame(END, Buffer.from(error === undefined ? '{}' : `{"error":${printConnectError(error)}}`)),
  };
}

const MALFORMED = 'invalid_argument';
/** The kind of the last frame, which reports the outcome. */
const END = 2;

function checkHeaders(headers: IncomingHttpHeaders): Timeout {
  checkVersion(headers);
  const { 'connect-content-encoding': encoding = 'identity' } = headers;
  if (encoding !== 'identity') throw new RpcError('unimplemented', 'unknown compression: supported is identity');
  return connectTimeout(headers['connect-timeout-ms']);
}
