import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { decodeCheckResourcesRequest } from '../../../proto/codec/check-resources-request.js';
import { encodeCheckResourcesResponse } from '../../../proto/codec/check-resources-response.js';
import { decodeServerInfoRequest, encodeServerInfoResponse } from '../../../proto/codec/server-info.js';
import { TextTable } from '../../../proto/codec/text-table.js';
import { WireError } from '../../../proto/codec/wire-reader.js';
import { WireWriter } from '../../../proto/codec/wire-writer.js';
import type { CheckResourcesResponse } from '../../../proto/messages.js';
import { checkResources } from '../../service/check-resources.js';
import { tooLarge } from '../../service/message-limit.js';
import { CODES, RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import { AUTHZ_SERVICE, type Services } from '../../service/services.js';
import { limitMessageSize } from '../json/message-limit.js';
import { printCheckResourcesResponse } from '../json/print-check-resources.js';
import { violationsJson } from '../json/print-error.js';
import { readCheckResourcesRequest } from '../json/read-check-resources.js';
import { readServerInfoRequest } from '../json/read-server-info.js';
import { encodeViolations } from '../violations-message.js';
import { checkDeadline, connectTimeout } from './deadline.js';
import { type Exchange, JSON_TYPE } from './exchange.js';
import { printServerInfo } from './rest.js';

/** Where Connect calls go. */
export const CONNECT_PREFIX = `/${AUTHZ_SERVICE}/`;

/** The two ways to write a message. */
type Encoding = 'json' | 'proto';

/** What a procedure does with a body: gives the body of the answer. Throws, or rejects with, an RpcError. */
type Procedure = (body: Buffer, encoding: Encoding) => string | Buffer | Promise<string | Buffer>;

/** Unary calls of the Connect protocol over plain POST, in JSON and binary form. */
export function addConnectRoutes(app: FastifyInstance, exchange: Exchange, services: Services): void {
  for (const [name, procedure] of Object.entries(procedures(services))) {
    app.post(CONNECT_PREFIX + name, (request, reply) => call(procedure, request, reply, exchange));
  }
}

/** The error body of Connect: codes are words, details are base64. */
export function sendConnectError(request: FastifyRequest, reply: FastifyReply, exchange: Exchange, error: RpcError, status?: number): void {
  exchange.send(request, reply, status ?? CODES[error.code].httpStatus, JSON_TYPE, printConnectError(error));
}

/** The answer to a media type that no codec reads. */
export function refuseMediaType(request: FastifyRequest, reply: FastifyReply, exchange: Exchange): void {
  exchange.send(request, reply, 415, ['Accept-Post', 'application/json, application/proto'], '');
}

function procedures(services: Services): { readonly [name: string]: Procedure } {
  const texts = new TextTable();
  const writer = new WireWriter();
  return {
    CheckResources: (body, encoding) => {
      const message = encoding === 'json' ? readCheckResourcesRequest(body) : decode(() => decodeCheckResourcesRequest(body, texts));
      if (encoding === 'json') limitMessageSize(message, body.length, services.maxMessageSize);
      else if (body.length > services.maxMessageSize) throw tooLarge(body.length, services.maxMessageSize);
      const print = (response: CheckResourcesResponse): string | Buffer =>
        encoding === 'json' ? printCheckResourcesResponse(response) : encodeCheckResourcesResponse(response, writer);
      const outcome = checkResources(services.check, message);
      return outcome instanceof Promise ? outcome.then(print) : print(outcome);
    },
    ServerInfo: (body, encoding) => {
      if (encoding === 'json') readServerInfoRequest(body);
      else decode(() => decodeServerInfoRequest(body));
      return encoding === 'json' ? printServerInfo(services.release) : encodeServerInfoResponse(services.release, writer);
    },
    PlanResources: () => {
      throw new RpcError('unimplemented', 'PlanResources is not served yet');
    },
  };
}

function call(procedure: Procedure, request: FastifyRequest, reply: FastifyReply, exchange: Exchange): void {
  const encoding = encodingOf(request.headers['content-type']);
  if (encoding === undefined) {
    refuseMediaType(request, reply, exchange);
    return;
  }
  const start = performance.now();
  const fail = (thrown: unknown): void => sendConnectError(request, reply, exchange, rpcErrorOf(thrown));
  const finish = (answer: string | Buffer): void => {
    checkDeadline(start, connectTimeout(request.headers['connect-timeout-ms']));
    exchange.send(request, reply, 200, ['Content-Type', `application/${encoding}`], answer);
  };
  try {
    checkProtocol(request);
    const answer = procedure((request.body as Buffer | undefined) ?? Buffer.alloc(0), encoding);
    if (answer instanceof Promise) answer.then(finish).catch(fail);
    else finish(answer);
  } catch (thrown) {
    fail(thrown);
  }
}

/** Of the media type; undefined for one that no codec reads. */
function encodingOf(contentType: string | undefined): Encoding | undefined {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() === 'application/proto') return 'proto';
  if (type.trim() !== 'application/json') return undefined;
  return parameters.every((parameter) => /^\s*(charset="?utf-8"?)?\s*$/.test(parameter)) ? 'json' : undefined;
}

function checkProtocol(request: FastifyRequest): void {
  const { 'connect-protocol-version': version = '1', 'content-encoding': encoding = 'identity' } = request.headers;
  if (version !== '1') throw new RpcError('invalid_argument', 'connect-protocol-version must be 1');
  if (encoding !== 'identity') throw new RpcError('unimplemented', 'unknown compression: supported is identity');
  connectTimeout(request.headers['connect-timeout-ms']);
}

function decode<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof WireError) throw new RpcError('invalid_argument', `malformed message: ${error.message}`);
    throw error;
  }
}

function printConnectError(error: RpcError): string {
  const { code, message, violations } = error;
  if (violations.length === 0) return JSON.stringify({ code, message });
  const detail = {
    type: 'buf.validate.Violations',
    value: encodeViolations(violations).toString('base64').replace(/=+$/, ''),
    debug: { violations: violationsJson(violations) },
  };
  return JSON.stringify({ code, message, details: [detail] });
}
