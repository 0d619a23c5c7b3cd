import type { AuditEntry } from '../../proto/codec/audit-messages.js';
import type { ListAuditLogEntriesRequest } from '../../proto/audit-request.js';
import { type AdminCredentials, AdminDoor } from '../audit/admin-auth.js';
import { listAuditLogEntries } from '../audit/list-entries.js';
import type { AuditReader } from '../audit/reader.js';

/** What the admin API offers: policies are compiled into the build, so only the audit log is left to look at (server.md 1.1). */
export interface AdminService {
  /** Of an `authorization` header or metadata. Rejects with code 16 unless it is the admin's (server.md 9.4), with code 8 when too many try. To be called before anything else. */
  readonly authenticate: (authorization: string | undefined) => Promise<void>;
  /** Throws, or rejects with, an RpcError. */
  readonly listAuditLogEntries: (request: ListAuditLogEntriesRequest) => AsyncIterable<AuditEntry>;
}

/** The admin API for the one user of a configuration; undefined without one. The reader is undefined when the audit log cannot be queried. */
export function adminService(credentials: AdminCredentials | undefined, reader: AuditReader | undefined): AdminService | undefined {
  if (credentials === undefined) return undefined;
  const door = new AdminDoor(credentials);
  return {
    authenticate: (authorization) => door.enter(authorization),
    listAuditLogEntries: (request) => listAuditLogEntries(reader, request),
  };
}
