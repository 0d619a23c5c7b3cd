import type { AuditEntry, AuditKind } from '../../proto/codec/audit-messages.js';
import type { AuditFilter, ListAuditLogEntriesRequest, Moment } from '../../proto/codec/audit-list.js';
import { matching, REQUIRED } from '../../proto/validate/rules.js';
import { type FieldElement, report, type Rule, type Violation } from '../../proto/validate/violation.js';
import { RpcError } from '../service/rpc-error.js';
import { violationsMessage } from '../../proto/validate/violations-message.js';
import { type AuditQuery, type AuditReader, readAuditLog } from './reader.js';

/**
 * ListAuditLogEntries (server.md 1.2, 4.6): the entries asked for, newest first for `tail`, oldest first otherwise. Throws an RpcError for a
 * request that is not valid (1.6), and code 12 when there is no backend that can be queried. The caller is known to be the admin.
 */
export function listAuditLogEntries(
  reader: AuditReader | undefined,
  request: ListAuditLogEntriesRequest,
  now: number = Date.now(),
): AsyncIterable<AuditEntry> {
  const violations = listViolations(request, now);
  if (violations.length > 0) throw new RpcError('invalid_argument', violationsMessage(violations), violations);
  if (reader === undefined) throw new RpcError('unimplemented', 'the audit log cannot be queried');
  return readAuditLog(reader, queryOf(KINDS[request.kind] as AuditKind, request.filter as AuditFilter, now));
}

/** Every rule that a request breaks, in the order of its fields. `now` is in milliseconds since 1970. */
export function listViolations({ kind, filter }: ListAuditLogEntriesRequest, now: number = Date.now()): readonly Violation[] {
  const found: Violation[] = [];
  if (kind === 0) report(found, REQUIRED, [KIND]);
  else if (KINDS[kind] === undefined) report(found, KNOWN_KIND, [KIND]);
  if (filter === undefined) report(found, ONE_FILTER, [FILTER]);
  else reportFilter(filter, now, found);
  return found;
}

const KINDS: readonly (AuditKind | undefined)[] = [undefined, 'access', 'decision'];

const KIND: FieldElement = { number: 1, name: 'kind', type: 'TYPE_ENUM' };
const FILTER: FieldElement = { number: 0, name: 'filter', type: 'TYPE_MESSAGE' };
const TAIL: FieldElement = { number: 2, name: 'tail', type: 'TYPE_UINT32' };
const BETWEEN: FieldElement = { number: 3, name: 'between', type: 'TYPE_MESSAGE' };
const START: FieldElement = { number: 1, name: 'start', type: 'TYPE_MESSAGE' };
const END: FieldElement = { number: 2, name: 'end', type: 'TYPE_MESSAGE' };
const LOOKUP: FieldElement = { number: 5, name: 'lookup', type: 'TYPE_STRING' };

const MOST = 1000;
const CALL_ID = /^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{26}$/;
const CALL_ID_RULE = matching(CALL_ID);
const KNOWN_KIND: Rule = { id: 'enum.in', message: 'must be in list [KIND_ACCESS, KIND_DECISION]', path: [] };
const ONE_FILTER: Rule = { id: 'required', message: 'exactly one field is required in oneof', path: [] };
const COUNT_RULE: Rule = { id: 'uint32.gte_lte', message: `must be greater than or equal to 1 and less than or equal to ${MOST}`, path: [] };
const PAST_RULE: Rule = { id: 'timestamp.lt_now', message: 'must be less than now', path: [] };

function reportFilter(filter: AuditFilter, now: number, found: Violation[]): void {
  switch (filter.by) {
    case 'tail':
      if (!(filter.count >= 1 && filter.count <= MOST)) report(found, COUNT_RULE, [TAIL]);
      return;
    case 'between':
      reportMoment(filter.start, [BETWEEN, START], now, found);
      reportMoment(filter.end, [BETWEEN, END], now, found);
      return;
    case 'since':
      return;
    case 'lookup':
      if (!CALL_ID.test(filter.callId)) report(found, CALL_ID_RULE, [LOOKUP]);
      return;
  }
}

function reportMoment(moment: Moment | undefined, path: readonly FieldElement[], now: number, found: Violation[]): void {
  if (moment === undefined) report(found, REQUIRED, path);
  else if (millisecondsOf(moment) >= now) report(found, PAST_RULE, path);
}

function queryOf(kind: AuditKind, filter: AuditFilter, now: number): AuditQuery {
  switch (filter.by) {
    case 'tail':
      return { kind, by: 'tail', count: filter.count };
    case 'between':
      return { kind, by: 'between', start: millisecondsOf(filter.start as Moment), end: millisecondsOf(filter.end as Moment) };
    case 'since':
      return { kind, by: 'between', start: now - millisecondsOf(filter.duration), end: now };
    case 'lookup':
      return { kind, by: 'lookup', callId: filter.callId };
  }
}

function millisecondsOf({ seconds, nanos }: Moment): number {
  return seconds * 1000 + nanos / 1_000_000;
}
