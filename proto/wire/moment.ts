/** A google.protobuf.Timestamp or Duration. */
export interface Moment {
  readonly seconds: number;
  readonly nanos: number;
}

/** Parses a google.protobuf.Timestamp from an RFC 3339 string; undefined for any other string. */
export function parseTimestamp(text: string): Moment | undefined {
  const milliseconds = RFC3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(milliseconds)) return undefined;
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? '';
  return { seconds: Math.floor(milliseconds / 1000), nanos: Number(fraction.padEnd(9, '0')) };
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Parses a google.protobuf.Duration from a string such as `3.5s`, whose sign applies to both parts; undefined for any
 * other string.
 */
export function parseDuration(text: string): Moment | undefined {
  const [whole, sign, seconds, fraction = ''] = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const factor = sign === '-' ? -1 : 1;
  return { seconds: factor * Number(seconds), nanos: factor * Number(fraction.padEnd(9, '0')) };
}

const NANOSECONDS = 1_000_000;

/**
 * Formats a time, in milliseconds since 1970 and possibly fractions of one, as RFC 3339 with nine fractional digits, in
 * UTC.
 */
export function rfc3339(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  const rest = milliseconds - second * 1000;
  const whole = Math.floor(rest);
  const nanoseconds = whole * NANOSECONDS + Math.floor((rest - whole) * NANOSECONDS);
  // Joined, not concatenated, for JSON (docs/decisions/engine-and-generated-code.md#0043).
  return [toTheSecond(second), String(nanoseconds).padStart(9, '0'), 'Z'].join('');
}

/** The entries of a log share their second with the one before, and the platform takes long to format it. */
let latest = { second: Number.NaN, text: '' };

function toTheSecond(second: number): string {
  if (second !== latest.second) latest = { second, text: new Date(second * 1000).toISOString().slice(0, -4) };
  return latest.text;
}
