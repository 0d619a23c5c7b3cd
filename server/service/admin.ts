import type { AuditEntry } from '../../proto/codec/audit-messages.js';
import type { ListAuditLogEntriesRequest } from '../../proto/audit-request.js';
import { type AdminCredentials, AdminDoor } from '../audit/admin-auth.js';
import { listAuditLogEntries } from '../audit/list-entries.js';
import type { AuditReader } from '../audit/reader.js';
import { RpcError } from './rpc-error.js';

/**
 * What the admin API offers: policies are compiled into the build, so only the audit log is left to look at
 * (docs/spec/server.md#endpoints).
 */
export interface AdminService {
  /**
   * Of an `authorization` header or metadata. Rejects with code 16 unless it is the admin's
   * (docs/spec/server.md#admin-authentication), with code 8 when too many try. To be called before anything else.
   */
  readonly authenticate: (authorization: string | undefined) => Promise<void>;
  /** Throws, or rejects with, an RpcError. */
  readonly listAuditLogEntries: (request: ListAuditLogEntriesRequest) => AsyncIterable<AuditEntry>;
}

/**
 * The admin API for the one user of a configuration; undefined without one. The reader is undefined when the audit log
 * cannot be queried.
 */
export function adminService(
  credentials: AdminCredentials | undefined,
  reader: AuditReader | undefined,
): AdminService | undefined {
  if (credentials === undefined) return undefined;
  const door = new AdminDoor(credentials);
  return {
    authenticate: (authorization) => door.enter(authorization),
    listAuditLogEntries: (request) => listAuditLogEntries(reader, request),
  };
}

/** The reason why calls of the admin API fail on a server without one. */
export const ADMIN_DISABLED = 'Admin service is disabled by the configuration';

/** The reason why no call changes or reads policies and schemas. */
export const COMPILED_IN = 'policies and schemas are compiled into the build';

/**
 * Returns the admin API to a caller with its credentials. Rejects with an RpcError for any other caller, and when there
 * is no admin API.
 */
export async function authenticated(
  admin: AdminService | undefined,
  authorization: string | undefined,
): Promise<AdminService> {
  if (admin === undefined) throw new RpcError('unimplemented', ADMIN_DISABLED);
  await admin.authenticate(authorization);
  return admin;
}

/**
 * Refuses a call of the admin API for a reason that only callers with its credentials learn. Always rejects, with an
 * RpcError.
 */
export async function refuseAdminCall(
  admin: AdminService | undefined,
  authorization: string | undefined,
  reason: string,
): Promise<never> {
  await authenticated(admin, authorization);
  throw new RpcError('unimplemented', reason);
}
