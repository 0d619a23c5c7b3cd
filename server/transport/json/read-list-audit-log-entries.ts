import { AUDIT_KINDS, type AuditFilter, type ListAuditLogEntriesRequest, type Moment, type TimeRange } from '../../../proto/audit-request.js';
import { momentOf } from '../../audit/moment.js';
import { RpcError } from '../../service/rpc-error.js';
import { message, messageReader, type Reader, readDocument } from './message-reader.js';

/** ListAuditLogEntriesRequest from its JSON form (server.md 1.2, "Admin"). Throws an RpcError that says what is wrong and where. */
export function readListAuditLogEntriesRequest(body: Buffer): ListAuditLogEntriesRequest {
  const { kind, ...filters } = readDocument(body, request);
  const found = Object.values<AuditFilter | undefined>(filters).filter((filter) => filter !== undefined);
  if (found.length > 1) throw new RpcError('invalid_argument', `invalid request: only one of ${found.map(({ by }) => `\`${by}\``).join(', ')} may be there`);
  return { kind, filter: found[0] };
}

/** The request as JSON has it: the fields of the oneof stand beside the others. */
interface Fields {
  readonly kind: number;
  readonly tail: AuditFilter | undefined;
  readonly between: AuditFilter | undefined;
  readonly since: AuditFilter | undefined;
  readonly lookup: AuditFilter | undefined;
}

const readMoment: Reader<Moment> = (value, name, shape) => momentOf(shape.string(value, name)) ?? refuse(name, 'an RFC 3339 timestamp');
const readRange = messageReader<TimeRange>({ start: message(readMoment), end: message(readMoment) });

const request = messageReader<Fields>({
  kind: { absent: 0, read: readKind },
  tail: message((value, name) => ({ by: 'tail', value: readCount(value, name) })),
  between: message((value, name, shape) => ({ by: 'between', value: readRange(value, name, shape) })),
  since: message((value, name, shape) => ({ by: 'since', value: durationOf(shape.string(value, name)) ?? refuse(name, 'a duration') })),
  lookup: message((value, name, shape) => ({ by: 'lookup', value: shape.string(value, name) })),
});

/** An enum is a name, or a number that may be none of its own. */
function readKind(value: unknown, name: string): number {
  if (Number.isInteger(value) && Math.abs(value as number) <= MOST_INT32) return value as number;
  const number = AUDIT_KINDS.indexOf(value as string);
  return number >= 0 ? number : refuse(name, 'a kind of audit entries');
}

function readCount(value: unknown, name: string): number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_UINT32 ? (value as number) : refuse(name, 'a number that is not negative');
}

const MOST_INT32 = 2 ** 31 - 1;
const MOST_UINT32 = 2 ** 32 - 1;

/** `3.5s`, as the mapping writes a google.protobuf.Duration; both parts have the sign. */
function durationOf(text: string): Moment | undefined {
  const [whole, sign, seconds, fraction = ''] = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const factor = sign === '-' ? -1 : 1;
  return { seconds: factor * Number(seconds), nanos: factor * Number(fraction.padEnd(9, '0')) };
}

function refuse(name: string, wanted: string): never {
  throw new RpcError('invalid_argument', `invalid request: field \`${name}\` must be ${wanted}`);
}
