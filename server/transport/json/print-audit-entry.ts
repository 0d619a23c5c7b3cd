import type { AuditEntry } from '../../../proto/codec/audit-messages.js';

/** ListAuditLogEntriesResponse in its JSON form: an entry, which is kept in that form anyway. */
export function printListAuditLogEntriesResponse(entry: AuditEntry): string {
  const member = 'auditTrail' in entry ? 'decisionLogEntry' : 'accessLogEntry';
  return `{"${member}":${JSON.stringify(entry)}}`;
}
