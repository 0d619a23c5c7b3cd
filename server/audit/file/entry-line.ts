import type { StoredRecord } from '../record.js';

/** Length in bytes. */
export function lineLength({ kind, json }: StoredRecord): number {
  return BEGINNINGS[kind].length + json.length;
}

/**
 * Writes the line of an entry, which ends in a line feed, and returns where it ends: the logger and the kind, then the
 * members of the entry.
 */
export function writeLine({ kind, json }: StoredRecord, bytes: Buffer, start: number): number {
  const members = start + BEGINNINGS[kind].copy(bytes, start);
  const end = members + json.copy(bytes, members, 1);
  bytes[end] = LINE_FEED;
  return end + 1;
}

/** The lines of entries. */
export function entryLines(records: readonly StoredRecord[]): Buffer {
  const bytes = Buffer.allocUnsafe(records.reduce((length, record) => length + lineLength(record), 0));
  records.reduce((end, record) => writeLine(record, bytes, end), 0);
  return bytes;
}

const BEGINNINGS: { readonly [K in StoredRecord['kind']]: Buffer } = {
  access: Buffer.from(lineBeginning('access')),
  decision: Buffer.from(lineBeginning('decision')),
  chain: Buffer.from(lineBeginning('chain')),
};
const LINE_FEED = 0x0a;

/** What a line has before the members of its entry. */
export function lineBeginning(kind: StoredRecord['kind']): string {
  return `{"log.logger":"authz.audit","log.kind":"${kind}",`;
}
