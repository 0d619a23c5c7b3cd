import type { ListAuditLogEntriesResponse } from '../../proto/gen/audit-messages.js';
import type { ListAuditLogEntriesRequest } from '../../proto/gen/messages.js';
import type { Moment } from '../../proto/wire/moment.js';
import type { AuditFilter } from './list-query.js';
import type { AuditEntry, AuditKind } from '../audit/entry.js';
import { listAuditLogEntriesRequestViolations } from '../../proto/gen/validate/request.js';
import { toMilliseconds } from '../../proto/wire/rules.js';
import { type AuditQuery, type AuditReader, readAuditLog } from '../audit/reader.js';
import { refuseViolations, RpcError } from '../service/rpc-error.js';
import type { AdminService } from '../service/services.js';
import { AdminAuthenticator, type AdminCredentials } from './auth.js';

/**
 * The admin API for the one user of a configuration; undefined without one. The reader is undefined when the audit log
 * cannot be queried.
 */
export function adminService(
  credentials: AdminCredentials | undefined,
  reader: AuditReader | undefined,
): AdminService | undefined {
  if (credentials === undefined) return undefined;
  const authenticator = new AdminAuthenticator(credentials);
  return {
    authenticate: (authorization) => authenticator.authenticate(authorization),
    listAuditLogEntries: (request) => listAuditLogEntries(reader, request),
  };
}

/**
 * ListAuditLogEntries (docs/spec/server.md#admin-messages, docs/spec/server.md#reading-entries): the requested entries,
 * newest first for `tail`, oldest first otherwise. Throws an RpcError for an invalid request
 * (docs/spec/server.md#validation), and code 12 if no backend can be queried. The caller has been authenticated.
 */
export function listAuditLogEntries(
  reader: AuditReader | undefined,
  request: ListAuditLogEntriesRequest,
  now: number = Date.now(),
): AsyncIterable<ListAuditLogEntriesResponse> {
  refuseViolations(listAuditLogEntriesRequestViolations(request, now));
  if (reader === undefined) throw new RpcError('unimplemented', 'the audit log cannot be queried');
  // Validation has seen to it that there is a filter, that moments are there, and that the kind is known.
  const query = makeQuery(request.kind === 1 ? 'access' : 'decision', request.filter as AuditFilter, now);
  return responsesWith(readAuditLog(reader, query));
}

async function* responsesWith(entries: AsyncIterable<AuditEntry>): AsyncIterable<ListAuditLogEntriesResponse> {
  for await (const entry of entries) {
    yield 'auditTrail' in entry ? { decisionLogEntry: entry } : { accessLogEntry: entry };
  }
}

function makeQuery(kind: AuditKind, filter: AuditFilter, now: number): AuditQuery {
  switch (filter.by) {
    case 'tail':
      return { kind, by: 'tail', count: filter.value };
    case 'between':
      return {
        kind,
        by: 'between',
        start: toMilliseconds(filter.value.start as Moment),
        end: toMilliseconds(filter.value.end as Moment),
      };
    case 'since':
      return { kind, by: 'between', start: now - toMilliseconds(filter.value), end: now };
    case 'lookup':
      return { kind, by: 'lookup', callId: filter.value };
  }
}
