import type { StoredRecord } from '../record.js';

/** An entry as a line of a log: the logger and the kind, then the members of the entry. Ends in a line feed. */
export function entryLine({ kind, json }: StoredRecord): Buffer {
  return Buffer.concat([BEGINNINGS[kind], json.subarray(1), LINE_FEED]);
}

const BEGINNINGS: { readonly [K in StoredRecord['kind']]: Buffer } = {
  access: Buffer.from(lineBeginning('access')),
  decision: Buffer.from(lineBeginning('decision')),
  chain: Buffer.from(lineBeginning('chain')),
};
const LINE_FEED = Buffer.from('\n');

/** What a line has before the members of its entry. */
export function lineBeginning(kind: StoredRecord['kind']): string {
  return `{"log.logger":"authz.audit","log.kind":"${kind}",`;
}
