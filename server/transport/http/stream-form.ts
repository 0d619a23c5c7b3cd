import type { IncomingHttpHeaders } from 'node:http';
import type { RpcError } from '../../service/rpc-error.js';
import type { Timeout } from './deadline.js';

/** How a protocol writes a stream. Its HTTP status is always 200; the end of the stream reports the outcome. */
export interface StreamForm {
  readonly contentType: string;
  /** These throw an RpcError. */
  readonly timeout: (headers: IncomingHttpHeaders) => Timeout;
  readonly read: (body: Buffer) => unknown;
  readonly message: (response: unknown) => Buffer;
  readonly end: (error: RpcError | undefined) => Buffer;
}
