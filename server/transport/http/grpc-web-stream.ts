import { WireWriter } from '../../../proto/wire/writer.js';
import { decodeRequest, type StreamMessages } from '../stream-rpc.js';
import { grpcTimeout } from './deadline.js';
import { frame, MESSAGE } from './frames.js';
import { answerType, isGrpcWeb, isTextual, requestMessage, trailersFrame } from './grpc-web-frames.js';
import type { StreamForm } from './stream-form.js';

/**
 * A stream of gRPC-Web; undefined for a media type that is not of gRPC-Web. As text, each frame is base64 of its own.
 */
export function grpcWebStreamForm(rpc: StreamMessages, contentType: string | undefined): StreamForm | undefined {
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
