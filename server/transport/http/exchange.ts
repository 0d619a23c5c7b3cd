import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import type { RpcError } from '../../service/rpc-error.js';
import { CODES, listingAtMost } from '../../service/rpc-error.js';
import { indentJson } from './indent.js';
import { printRestError } from './error-body.js';
import type { Cors, HeaderList } from './cors.js';

/** What all responses of the HTTP listener share: CORS headers, and closing the connection once the server stops. */
export class Exchange {
  /** Once true, connections are not kept for another request. */
  stopping = false;

  constructor(readonly cors: Cors) {}

  /** Sends a body, and returns its size in bytes. */
  send(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    headers: HeaderList,
    body: string | Buffer,
  ): number {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const all = [...headers, ...this.cors.headers(request.headers), 'Content-Length', String(length)];
    // HTTP/2 uses a GOAWAY frame for this.
    if (this.stopping && request.httpVersionMajor === 1) all.push('Connection', 'close');
    response.writeHead(status, all);
    response.end(body);
    return length;
  }

  /** Answers a preflight request of a browser, whatever its path. Returns whether it was one. */
  answerPreflight(request: IncomingMessage, response: ServerResponse): boolean {
    const headers = this.cors.preflight(request.method, request.headers);
    if (headers === undefined) return false;
    response.writeHead(204, [...headers]);
    response.end();
    return true;
  }

  /** Sends a stream at the pace of the caller; ends its source when the caller disconnects. */
  stream(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    headers: HeaderList,
    content: Readable,
  ): void {
    response.writeHead(status, [...headers, ...this.cors.headers(request.headers)]);
    pipeline(content, response, () => {
      // Whether all of it was sent does not matter here: a caller that needs to know can tell.
    });
  }

  /** Answers a REST call with JSON, indented on request. */
  sendJson(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    headers: HeaderList,
    json: string,
  ): number {
    return this.send(request, response, status, headers, wantsPretty(request) ? indentJson(json) : json);
  }

  /**
   * An error of a call that would have been answered with a stream: wrapped, as in the lines of one
   * (docs/spec/server.md#errors).
   */
  sendStreamError(request: IncomingMessage, response: ServerResponse, error: RpcError, headers: HeaderList): void {
    this.send(request, response, CODES[error.code].httpStatus, headers, `{"error":${printRestError(error)}}\n`);
  }

  sendRestError(
    request: IncomingMessage,
    response: ServerResponse,
    error: RpcError,
    headers: HeaderList = JSON_TYPE,
  ): number {
    const listed = wantsPretty(request) ? listingAtMost(error, MAX_INDENTED_VIOLATIONS) : error;
    return this.sendJson(request, response, error.restStatus, headers, printRestError(listed));
  }
}

/** Indented, a violation takes more than twice as many bytes: this limit keeps the response under 100 kB. */
const MAX_INDENTED_VIOLATIONS = 50;

export const JSON_TYPE: HeaderList = ['Content-Type', 'application/json'];

/** The path of a request, without its query. */
export function readPath(request: IncomingMessage): string {
  const url = request.url ?? '/';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** The query of a request. */
export function readQuery(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '/';
  const query = url.indexOf('?');
  return new URLSearchParams(query < 0 ? '' : url.slice(query + 1));
}

/** `?pretty`, whatever its value, or the media type that requests it (docs/spec/server.md#json-mapping). */
function wantsPretty(request: IncomingMessage): boolean {
  if (request.url?.includes('pretty') && readQuery(request).has('pretty')) return true;
  return request.headers.accept?.includes('application/json+pretty') === true;
}
