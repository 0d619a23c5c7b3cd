import type { Moment } from '../moment.js';
import { VARINT, type WireReader } from './wire-reader.js';

/** A google.protobuf.Timestamp or Duration up to `end`, merged into what is known of it. */
export function readMoment(reader: WireReader, end: number, known: Moment = { seconds: 0, nanos: 0 }): Moment {
  let { seconds, nanos } = known;
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | VARINT)) seconds = readInt64(reader, tag);
    else if (tag === ((2 << 3) | VARINT)) nanos = readInt64(reader, tag);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
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
