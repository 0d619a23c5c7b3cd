import { CODES, RpcError } from '../../service/rpc-error.js';
import { encodeDetails, forTrailers } from '../error-details.js';
import { frame, readMessage } from './frames.js';

/** Whether a media type is one of gRPC-Web's, whose messages are protobuf: binary or base64. */
export function isGrpcWeb(contentType: string | undefined): contentType is string {
  return contentType !== undefined && GRPC_WEB.test(contentType);
}

/** Whether messages are base64. */
export function isTextual(contentType: string | undefined): boolean {
  return contentType?.toLowerCase().startsWith(TEXT_TYPE) === true;
}

/** The media type of a response. */
export function answerType(isText: boolean): string {
  return isText ? `${TEXT_TYPE}+proto` : 'application/grpc-web+proto';
}

/** The only message of a request. Throws an RpcError if there is none, or more than one. */
export function requestMessage(body: Buffer, isText: boolean): Buffer {
  return readMessage(isText ? decodeText(body) : body, 'internal');
}

/** The last frame of a response: its status. */
export function trailersFrame(error: RpcError | undefined): Buffer {
  return frame(TRAILERS, Buffer.from(error === undefined ? 'grpc-status: 0\r\n' : failedTrailers(error)));
}

const GRPC_WEB = /^application\/grpc-web(-text)?(\+proto)?\s*(;|$)/i;
const TEXT_TYPE = 'application/grpc-web-text';
const TRAILERS = 0x80;

const NOT_BASE64 = /[^A-Za-z0-9+/=]/;

/**
 * Base64 that may be encoded in several pieces, each with its own padding. Throws an RpcError for other text: Node would
 * leave out what it cannot decode.
 */
function decodeText(body: Buffer): Buffer {
  const text = body.toString('latin1');
  if (NOT_BASE64.test(text)) throw new RpcError('internal', 'base64 was expected');
  const decoded = Buffer.allocUnsafe(Math.ceil((text.length * 3) / 4));
  let length = 0;
  for (let start = 0; start < text.length; ) {
    const padding = text.indexOf('=', start);
    const end = padding < 0 ? text.length : padding;
    // One character is less than a byte.
    if ((end - start) % 4 === 1) throw new RpcError('internal', 'base64 was expected');
    if (end > start) length += decoded.write(text.slice(start, end), length, 'base64');
    start = end + 1;
  }
  return decoded.subarray(0, length);
}

function failedTrailers(thrown: RpcError): string {
  const error = forTrailers(thrown);
  const lines = [`grpc-status: ${CODES[error.code].number}`, `grpc-message: ${percentEncoded(error.message)}`];
  if (error.violations.count > 0)
    lines.push(`grpc-status-details-bin: ${encodeDetails(error).toString('base64').replace(/=+$/, '')}`);
  return `${lines.join('\r\n')}\r\n`;
}

/** Printable ASCII except the percent sign is kept; everything else is percent-encoded as UTF-8 bytes. */
function percentEncoded(message: string): string {
  return message.replace(/[^ -$&-~]+/gu, (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
