import type { ListAuditLogEntriesRequest } from '../../proto/gen/messages.js';
import { type Moment, parseTimestamp } from '../../proto/wire/moment.js';
import { parseDuration } from '../config/duration.js';
import { RpcError } from '../service/rpc-error.js';

/** The filter of a listing. */
export type AuditFilter = NonNullable<ListAuditLogEntriesRequest['filter']>;

/** The names of `ListAuditLogEntriesRequest.Kind`, by their numbers. */
const AUDIT_KINDS: readonly string[] = ['KIND_UNSPECIFIED', 'KIND_ACCESS', 'KIND_DECISION'];

/**
 * Reads the request of `GET /admin/auditlog/list/{kind}` (docs/spec/server.md#endpoints): `KIND_ACCESS`, `access` or
 * `1`; `tail=10`, `between.start=..&between.end=..` (RFC 3339), `since=2h`, `lookup=..`; other parameters are ignored
 * (1.4). Several filters count as none. Throws an RpcError (code 3) for invalid values.
 */
export function listRequestOfQuery(kind: string, parameters: URLSearchParams): ListAuditLogEntriesRequest {
  const filters = [readTail(parameters), readBetween(parameters), readSince(parameters), readLookup(parameters)].filter(
    (filter) => filter !== undefined,
  );
  return { kind: readKind(kind), filter: filters.length === 1 ? filters[0] : undefined };
}

function readKind(text: string): number {
  const named = AUDIT_KINDS.indexOf(text.startsWith('KIND_') ? text : `KIND_${text.toUpperCase()}`);
  if (named >= 0) return named;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw invalid(`\`${text}\` is not a kind of audit entry`);
}

function readTail(parameters: URLSearchParams): AuditFilter | undefined {
  const text = parameters.get('tail');
  if (text === null) return undefined;
  if (!/^\d{1,10}$/.test(text)) throw invalid(`\`tail\` must be a number: \`${text}\``);
  return { by: 'tail', value: Number(text) };
}

function readBetween(parameters: URLSearchParams): AuditFilter | undefined {
  const start = parameterMoment(parameters, 'between.start');
  const end = parameterMoment(parameters, 'between.end');
  return start === undefined && end === undefined ? undefined : { by: 'between', value: { start, end } };
}

function parameterMoment(parameters: URLSearchParams, name: string): Moment | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  const moment = parseTimestamp(text);
  if (moment === undefined) throw invalid(`\`${name}\` must be an RFC 3339 timestamp: \`${text}\``);
  return moment;
}

function readSince(parameters: URLSearchParams): AuditFilter | undefined {
  const text = parameters.get('since');
  if (text === null) return undefined;
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) throw invalid(`\`since\` must be a duration: \`${text}\``);
  return { by: 'since', value: { seconds: milliseconds / 1000, nanos: 0 } };
}

function readLookup(parameters: URLSearchParams): AuditFilter | undefined {
  const value = parameters.get('lookup');
  return value === null ? undefined : { by: 'lookup', value };
}

function invalid(message: string): RpcError {
  return new RpcError('invalid_argument', message);
}
