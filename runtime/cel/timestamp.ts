import { DAY, daysInMonth, daysUntil, fieldsOf } from './calendar.js';
import { refuse } from './failures.js';
import { CelError, type Result, Timestamp } from './values.js';

/** The first second of a timestamp, 0001-01-01T00:00:00Z (conditions.md 4.3). */
export const MIN_SECONDS = -62_135_596_800;
/** The last second of a timestamp, 9999-12-31T23:59:59Z. */
export const MAX_SECONDS = 253_402_300_799;

/** `timestamp(x)` of a timestamp, of Unix seconds (an int) or of RFC 3339 text (conditions.md 2.3, 4.3). */
export function toTimestamp(x: Result): Result {
  if (x instanceof Timestamp) return x;
  if (typeof x === 'bigint') return timestampAt(x, 0, 0);
  if (typeof x !== 'string') return refuse('timestamp', x);
  return parseTimestamp(x) ?? new CelError(`invalid RFC 3339 timestamp "${x}"`);
}

/** RFC 3339 text as a timestamp with its offset; undefined when the text is not one (conditions.md 4.3). */
export function parseTimestamp(text: string): Timestamp | undefined {
  const parts = RFC_3339.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((group) => Number(parts[group])) as Six;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const nanos = Number((parts[7] ?? '').slice(0, 9).padEnd(9, '0'));
  const offset = parseOffset(parts[8] as string);
  if (offset === undefined) return undefined;
  const local = daysUntil(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
  const seconds = local - offset * 60;
  return isInRange(seconds) ? new Timestamp(seconds, nanos, offset) : undefined;
}

/** A timestamp of whole seconds and nanoseconds, or the overflow error of conditions.md 4.3. */
export function timestampAt(seconds: bigint | number, nanos: number, offset: number): Timestamp | CelError {
  return isInRange(seconds) ? new Timestamp(Number(seconds), nanos, offset) : new CelError('timestamp overflow');
}

/** RFC 3339 with the timestamp's own offset and no trailing zeros: `string(t)` and outputs (conditions.md 4.2). */
export function timestampText(t: Timestamp): string {
  return textAt(t, t.offset);
}

/** The same in UTC: `%s` (conditions.md 2.4.1). */
export function timestampUtcText(t: Timestamp): string {
  return textAt(t, 0);
}

/** The order of two instants, offsets aside: negative, zero or positive. */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  return a.seconds === b.seconds ? a.nanos - b.nanos : a.seconds - b.seconds;
}

type Six = [number, number, number, number, number, number];

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/;

function isInRange(seconds: bigint | number): boolean {
  return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
}

/** Minutes east of UTC. */
function parseOffset(text: string): number | undefined {
  if (text === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  const offset = hours * 60 + minutes;
  return text.startsWith('-') && offset !== 0 ? -offset : offset;
}

function textAt(t: Timestamp, offset: number): string {
  const f = fieldsOf(t.seconds + offset * 60);
  const date = `${digits(f.year, 4)}-${digits(f.month, 2)}-${digits(f.day, 2)}`;
  const time = `${digits(f.hour, 2)}:${digits(f.minute, 2)}:${digits(f.second, 2)}`;
  return `${date}T${time}${fractionText(t.nanos)}${offsetText(offset)}`;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

function fractionText(nanos: number): string {
  return nanos === 0 ? '' : `.${digits(nanos, 9).replace(/0+$/, '')}`;
}

function offsetText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60), 2)}:${digits(minutes % 60, 2)}`;
}
