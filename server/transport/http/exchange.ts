import type { ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
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

  /**
   * Sends a body, and returns its size in bytes. Bypasses the framework's reply, which would add headers
   * (docs/decisions/0028-fastify-routes-and-the-reply-is-raw.md).
   */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    headers: HeaderList,
    body: string | Buffer,
  ): number {
    reply.hijack();
    const response: ServerResponse = reply.raw;
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const all = [...headers, ...this.cors.headers(request.headers), 'Content-Length', String(length)];
    // HTTP/2 uses a GOAWAY frame for this.
    if (this.stopping && request.raw.httpVersionMajor === 1) all.push('Connection', 'close');
    response.writeHead(status, all);
    response.end(body);
    return length;
  }

  /** Sends a stream at the pace of the caller; ends its source when the caller disconnects. */
  stream(request: FastifyRequest, reply: FastifyReply, status: number, headers: HeaderList, content: Readable): void {
    reply.hijack();
    reply.raw.writeHead(status, [...headers, ...this.cors.headers(request.headers)]);
    pipeline(content, reply.raw, () => {
      // Whether all of it was sent does not matter here: a caller that needs to know can tell.
    });
  }

  /** Answers a REST call with JSON, indented on request. */
  sendJson(request: FastifyRequest, reply: FastifyReply, status: number, headers: HeaderList, json: string): number {
    return this.send(request, reply, status, headers, wantsPretty(request) ? indentJson(json) : json);
  }

  /**
   * An error of a call that would have been answered with a stream: wrapped, as in the lines of one
   * (docs/spec/server.md#errors).
   */
  sendStreamError(request: FastifyRequest, reply: FastifyReply, error: RpcError, headers: HeaderList): void {
    this.send(request, reply, CODES[error.code].httpStatus, headers, `{"error":${printRestError(error)}}\n`);
  }

  sendRestError(
    request: FastifyRequest,
    reply: FastifyReply,
    error: RpcError,
    headers: HeaderList = JSON_TYPE,
  ): number {
    const listed = wantsPretty(request) ? listingAtMost(error, MAX_INDENTED_VIOLATIONS) : error;
    return this.sendJson(request, reply, CODES[error.code].httpStatus, headers, printRestError(listed));
  }
}

/** Indented, a violation takes more than twice as many bytes: this limit keeps the response under 100 kB. */
const MAX_INDENTED_VIOLATIONS = 50;

export const JSON_TYPE: HeaderList = ['Content-Type', 'application/json'];

/** The path of a request, without its query. */
export function pathOf(request: FastifyRequest): string {
  const url = request.raw.url ?? '/';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** The query of a request. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  const url = request.raw.url ?? '/';
  const query = url.indexOf('?');
  return new URLSearchParams(query < 0 ? '' : url.slice(query + 1));
}

/** `?pretty`, whatever its value, or the media type that requests it (docs/spec/server.md#json-mapping). */
function wantsPretty(request: FastifyRequest): boolean {
  if (request.raw.url?.includes('pretty') && queryOf(request).has('pretty')) return true;
  return request.headers.accept?.includes('application/json+pretty') === true;
}
