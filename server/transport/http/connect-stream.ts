import type { IncomingHttpHeaders } from 'node:http';
import { WireWriter } from '../../../proto/wire/writer.js';
import { RpcError } from '../../service/rpc-error.js';
import { readJsonRequest } from '../rpc.js';
import { decodeRequest, type StreamMessages } from '../stream-rpc.js';
import { checkVersion, printConnectError } from './connect-error.js';
import { connectTimeout, type Timeout } from './deadline.js';
import { frame, MESSAGE, messageOf } from './frames.js';
import type { StreamForm } from './stream-form.js';

/**
 * A stream of the Connect protocol, in the encoding that a media type names; undefined for one that is not of such a
 * stream.
 */
export function connectStreamForm(rpc: StreamMessages, contentType: string | undefined): StreamForm | undefined {
  const encoding = /^application\/connect\+(json|proto)\s*$/i.exec(contentType ?? '')?.[1]?.toLowerCase();
  if (encoding === undefined) return undefined;
  const isJson = encoding === 'json';
  const writer = new WireWriter();
  return {
    contentType: `application/connect+${encoding}`,
    timeout: checkHeaders,
    read: (body) =>
      isJson
        ? readJsonRequest(rpc.readJson, messageOf(body, MALFORMED))
        : decodeRequest(rpc, messageOf(body, MALFORMED), MALFORMED),
    message: (response) => frame(MESSAGE, isJson ? Buffer.from(rpc.printJson(response)) : rpc.encode(response, writer)),
    end: (error) => frame(END, Buffer.from(error === undefined ? '{}' : `{"error":${printConnectError(error)}}`)),
  };
}

const MALFORMED = 'invalid_argument';
/** The kind of the last frame, which says how it went. */
const END = 2;

function checkHeaders(headers: IncomingHttpHeaders): Timeout {
  checkVersion(headers);
  const { 'connect-content-encoding': encoding = 'identity' } = headers;
  if (encoding !== 'identity') throw new RpcError('unimplemented', 'unknown compression: supported is identity');
  return connectTimeout(headers['connect-timeout-ms']);
}
