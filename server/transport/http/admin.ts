import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditEntry } from '../../../proto/codec/audit-messages.js';
import { listRequestOfQuery } from '../../audit/list-query.js';
import type { AdminService } from '../../service/admin.js';
import { type Report, RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import { printRestError } from '../json/print-error.js';
import type { HeaderList } from './cors.js';
import { type Exchange, JSON_TYPE, queryOf } from './exchange.js';

/**
 * The admin API (server.md 1.1, 9.4), where there is one: who calls is asked first, whatever the path. Only the audit log can be looked at:
 * policies and schemas are part of the build, and a server that could change them would be another.
 */
export function addAdminRoutes(app: FastifyInstance, exchange: Exchange, { admin, report }: Services): void {
  if (admin === undefined) return;
  app.get('/admin/auditlog/list/:kind', (request, reply) => {
    list(admin, request, reply, exchange, report).catch((thrown) => sendStreamError(request, reply, exchange, rpcErrorOf(thrown, report)));
  });
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    refuse(admin, request).catch((thrown) => {
      const error = rpcErrorOf(thrown, report);
      exchange.sendRestError(request, reply, error, [...JSON_TYPE, ...challenge(error)]);
    });
  };
  app.route({ method: ['GET', 'POST', 'PUT', 'DELETE'], url: '/admin/*', handler });
}

async function refuse(admin: AdminService, request: FastifyRequest): Promise<never> {
  await admin.authenticate(request.headers.authorization);
  throw new RpcError('unimplemented', 'policies and schemas are compiled into the build');
}

async function list(admin: AdminService, request: FastifyRequest, reply: FastifyReply, exchange: Exchange, report: Report): Promise<void> {
  await admin.authenticate(request.headers.authorization);
  const { kind } = request.params as { readonly kind: string };
  const entries = admin.listAuditLogEntries(listRequestOfQuery(kind, queryOf(request)))[Symbol.asyncIterator]();
  const first = await entries.next();
  // Until the first entry is here, a failure can still be told by the status.
  if (first.done === true) exchange.send(request, reply, 200, [], '');
  else exchange.stream(request, reply, 200, ['Content-Type', 'application/x-ndjson'], Readable.from(lines(first.value, entries, report)));
}

async function* lines(first: AuditEntry, rest: AsyncIterator<AuditEntry>, report: Report): AsyncIterable<string> {
  yield line(first);
  try {
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield line(next.value);
  } catch (thrown) {
    yield `{"error":${printRestError(rpcErrorOf(thrown, report))}}\n`;
  } finally {
    // Also when the caller has left.
    await rest.return?.();
  }
}

function line(entry: AuditEntry): string {
  const member = 'auditTrail' in entry ? 'decisionLogEntry' : 'accessLogEntry';
  return `{"result":{"${member}":${JSON.stringify(entry)}}}\n`;
}

function sendStreamError(request: FastifyRequest, reply: FastifyReply, exchange: Exchange, error: RpcError): void {
  exchange.sendStreamError(request, reply, error, [...JSON_TYPE, ...challenge(error)]);
}

function challenge({ code }: RpcError): HeaderList {
  return code === 'unauthenticated' ? ['WWW-Authenticate', 'Basic realm="admin", charset="UTF-8"'] : [];
}
