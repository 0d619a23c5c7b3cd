import { once } from 'node:events';
import type { handleServerStreamingCall, Server, ServerWritableStream } from '@grpc/grpc-js';
import type { ListAuditLogEntriesRequest } from '../../../proto/audit-request.js';
import { decodeListAuditLogEntriesRequest } from '../../../proto/codec/audit-list.js';
import { encodeListAuditLogEntriesResponse } from '../../../proto/codec/audit-entry.js';
import { WireError } from '../../../proto/codec/wire-reader.js';
import { WireWriter } from '../../../proto/codec/wire-writer.js';
import type { AdminService } from '../../service/admin.js';
import { type Report, RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import { ADMIN_SERVICE } from '../../service/services.js';
import { serverStream } from './method.js';
import { grpcErrorOf } from './status-details.js';

/** The admin API over gRPC (server.md 1.1): the audit log. Its other methods are not implemented, which the library says. */
export function addAdminService(server: Server, admin: AdminService, report: Report): void {
  const bytes = { decode: (message: Buffer): Buffer => message, encode: (message: Buffer): Buffer => message };
  server.addService({ ListAuditLogEntries: serverStream(ADMIN_SERVICE, 'ListAuditLogEntries', bytes) }, { ListAuditLogEntries: listHandler(admin, report) });
}

function listHandler(admin: AdminService, report: Report): handleServerStreamingCall<Buffer, Buffer> {
  const writer = new WireWriter();
  return (call) => {
    list(admin, call, writer).then(
      () => call.end(),
      (thrown) => call.emit('error', grpcErrorOf(rpcErrorOf(thrown, report))),
    );
  };
}

/** Who calls is asked before the request is looked at. Entries are read at the pace of the caller, and no longer than it listens. */
async function list(admin: AdminService, call: ServerWritableStream<Buffer, Buffer>, writer: WireWriter): Promise<void> {
  const [authorization] = call.metadata.get('authorization');
  await admin.authenticate(authorization === undefined ? undefined : String(authorization));
  for await (const entry of admin.listAuditLogEntries(decode(call.request))) {
    if (call.cancelled) return;
    if (!call.write(encodeListAuditLogEntriesResponse(entry, writer))) await Promise.race([once(call, 'drain'), once(call, 'cancelled')]);
  }
}

function decode(bytes: Buffer): ListAuditLogEntriesRequest {
  try {
    return decodeListAuditLogEntriesRequest(bytes);
  } catch (error) {
    if (error instanceof WireError) throw new RpcError('internal', `malformed message: ${error.message}`);
    throw error;
  }
}
