import type { AuditFilter, ListAuditLogEntriesRequest, Moment, TimeRange } from '../audit-request.js';
import { BYTES, VARINT, WireReader } from './wire-reader.js';

/** Decodes the request; unknown fields are skipped. Throws a WireError for what is no such message. */
export function decodeListAuditLogEntriesRequest(bytes: Buffer): ListAuditLogEntriesRequest {
  const reader = new WireReader(bytes);
  let kind = 0;
  let filter: AuditFilter | undefined;
  while (reader.at < bytes.length) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | VARINT:
        kind = reader.uint32();
        break;
      case (2 << 3) | VARINT:
        filter = { by: 'tail', value: reader.uint32() };
        break;
      case (3 << 3) | BYTES:
        filter = readRange(reader, filter);
        break;
      case (4 << 3) | BYTES:
        filter = { by: 'since', value: readMoment(reader, filter?.by === 'since' ? filter.value : ZERO) };
        break;
      case (5 << 3) | BYTES:
        filter = { by: 'lookup', value: reader.string() };
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.checkEnd(bytes.length);
  return { kind, filter };
}

const ZERO: Moment = { seconds: 0, nanos: 0 };
const NO_RANGE: TimeRange = { start: undefined, end: undefined };

/** A message that comes twice is merged. */
function readRange(reader: WireReader, earlier: AuditFilter | undefined): AuditFilter {
  const message = reader.bytesField();
  const inner = new WireReader(message);
  let { start, end } = earlier?.by === 'between' ? earlier.value : NO_RANGE;
  while (inner.at < message.length) {
    const tag = inner.tag();
    if (tag === ((1 << 3) | BYTES)) start = readMoment(inner, start ?? ZERO);
    else if (tag === ((2 << 3) | BYTES)) end = readMoment(inner, end ?? ZERO);
    else inner.skip(tag);
  }
  inner.checkEnd(message.length);
  return { by: 'between', value: { start, end } };
}

function readMoment(reader: WireReader, earlier: Moment): Moment {
  const message = reader.bytesField();
  const inner = new WireReader(message);
  let { seconds, nanos } = earlier;
  while (inner.at < message.length) {
    const tag = inner.tag();
    if (tag === ((1 << 3) | VARINT)) seconds = readInt64(inner, tag);
    else if (tag === ((2 << 3) | VARINT)) nanos = readInt64(inner, tag);
    else inner.skip(tag);
  }
  inner.checkEnd(message.length);
  return { seconds, nanos };
}

/** Beyond 2^53 the nearest double: such a moment is out of range anyway. */
function readInt64(reader: WireReader, tag: number): number {
  const start = reader.at;
  reader.skip(tag);
  let value = 0n;
  for (let at = reader.at - 1; at >= start; at--) value = (value << 7n) | BigInt((reader.bytes[at] as number) & 0x7f);
  return Number(BigInt.asIntN(64, value));
}
