import type { Moment } from '../../proto/audit-request.js';

/** RFC 3339 as a google.protobuf.Timestamp; undefined when it is none. */
export function momentOf(text: string): Moment | undefined {
  const milliseconds = RFC3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(milliseconds)) return undefined;
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? '';
  return { seconds: Math.floor(milliseconds / 1000), nanos: Number(fraction.padEnd(9, '0')) };
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
