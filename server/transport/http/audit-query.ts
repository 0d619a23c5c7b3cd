import type { AuditFilter, ListAuditLogEntriesRequest, Moment } from '../../../proto/codec/audit-list.js';
import { parseDuration } from '../../config/duration.js';
import { RpcError } from '../../service/rpc-error.js';

/**
 * ListAuditLogEntriesRequest from the last part of a path and a query (server.md 1.4): the kind by name or number, one of `tail`,
 * `between.start` and `between.end`, `since`, `lookup`; what else is in the query is left alone. Throws an RpcError for ill-typed values.
 */
export function readAuditQuery(kind: string, query: URLSearchParams): ListAuditLogEntriesRequest {
  const filters: AuditFilter[] = [];
  const tail = query.get('tail');
  const start = query.get('between.start');
  const end = query.get('between.end');
  const since = query.get('since');
  const callId = query.get('lookup');
  if (tail !== null) filters.push({ by: 'tail', count: countOf(tail) });
  if (start !== null || end !== null) filters.push({ by: 'between', start: timestampOf(start, 'between.start'), end: timestampOf(end, 'between.end') });
  if (since !== null) filters.push({ by: 'since', duration: durationOf(since) });
  if (callId !== null) filters.push({ by: 'lookup', callId });
  if (filters.length > 1) throw new RpcError('invalid_argument', 'only one of `tail`, `between`, `since` and `lookup` may be set');
  return { kind: kindOf(kind), filter: filters[0] };
}

const KINDS: ReadonlyMap<string, number> = new Map([
  ['KIND_UNSPECIFIED', 0],
  ['KIND_ACCESS', 1],
  ['KIND_DECISION', 2],
]);
const MAX_UINT32 = 0xffff_ffff;

function kindOf(text: string): number {
  return KINDS.get(text) ?? (/^\d{1,9}$/.test(text) ? Number(text) : illTyped('kind', text));
}

function countOf(text: string): number {
  return /^\d{1,10}$/.test(text) && Number(text) <= MAX_UINT32 ? Number(text) : illTyped('tail', text);
}

/** RFC 3339, with up to nine digits of a second. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;

function timestampOf(text: string | null, field: string): Moment | undefined {
  if (text === null) return undefined;
  const [, second = '', fraction = '', zone = ''] = TIMESTAMP.exec(text) ?? [];
  const milliseconds = Date.parse(`${second}${zone}`.toUpperCase());
  if (Number.isNaN(milliseconds)) return illTyped(field, text);
  return { seconds: milliseconds / 1000, nanos: Number(fraction.padEnd(9, '0')) };
}

function durationOf(text: string): Moment {
  const milliseconds = parseDuration(text) ?? illTyped('since', text);
  const seconds = Math.trunc(milliseconds / 1000);
  return { seconds, nanos: Math.round((milliseconds - seconds * 1000) * 1_000_000) };
}

function illTyped(field: string, text: string): never {
  throw new RpcError('invalid_argument', `${field}: invalid value ${JSON.stringify(text.slice(0, 100))}`);
}
