import type { Readable } from 'node:stream';
import { type Code, RpcError } from '../../service/rpc-error.js';

/** The first byte of a frame, of gRPC-Web or of a Connect stream; four bytes of length follow. */
export const MESSAGE = 0;
const COMPRESSED = 1;
const HEAD = 5;

export function frame(kind: number, content: Buffer): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

/**
 * The only message of a request. If there is none, or more than one, throws an RpcError with the protocol's code for
 * malformed requests.
 */
export function readMessage(body: Buffer, malformed: Code): Buffer {
  if (body.length < HEAD) throw new RpcError(malformed, 'a message was expected');
  const kind = body.readUInt8(0);
  if (kind === COMPRESSED) throw new RpcError('unimplemented', 'unknown compression: supported is identity');
  if (kind !== MESSAGE || body.readUInt32BE(1) !== body.length - HEAD)
    throw new RpcError(malformed, 'one whole message was expected');
  return body.subarray(HEAD);
}

/**
 * The messages of a request, each once it is complete, from their frames. Messages in base64 are read to the end first:
 * no client that writes base64 waits for responses in between. Throws an RpcError for more than `limit` bytes at once.
 */
export async function* framesIn(request: Readable, limit: number, isText: boolean): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0);
  // The response uses the same connection, so unread input must not end it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (!isText && rest.length >= HEAD) {
      const length = HEAD + rest.readUInt32BE(1);
      if (length > limit) throw new RpcError('resource_exhausted', `a message may have ${limit} bytes`);
      if (rest.length < length) break;
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
    if (rest.length > limit + HEAD) throw new RpcError('resource_exhausted', `a message may have ${limit} bytes`);
  }
  if (rest.length > 0) yield rest;
}
