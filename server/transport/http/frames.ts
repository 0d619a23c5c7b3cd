import { type Code, RpcError } from '../../service/rpc-error.js';

/** The first byte of a frame, of gRPC-Web or of a stream of Connect; four of length follow. */
export const MESSAGE = 0;
const COMPRESSED = 1;
const HEAD = 5;

export function frame(kind: number, content: Buffer): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

/** The one message of a request. Throws an RpcError, of the code that the protocol has for what is malformed, when there is none, or more. */
export function messageOf(body: Buffer, malformed: Code): Buffer {
  if (body.length < HEAD) throw new RpcError(malformed, 'a message was expected');
  const kind = body.readUInt8(0);
  if (kind === COMPRESSED) throw new RpcError('unimplemented', 'unknown compression: supported is identity');
  if (kind !== MESSAGE || body.readUInt32BE(1) !== body.length - HEAD) throw new RpcError(malformed, 'one whole message was expected');
  return body.subarray(HEAD);
}
