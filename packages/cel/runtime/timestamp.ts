import { DAY, daysInMonth, daysUntil, toFields } from './calendar.js';
import { refuse } from './failures.js';
import { charge } from './meter.js';
import { CelError, type Result, Timestamp } from './values.js';

/** The first second of a timestamp, 0001-01-01T00:00:00Z (docs/spec/conditions.md#parsing-timestamps). */
export const MIN_SECONDS = -62_135_596_800;
/** The last second of a timestamp, 9999-12-31T23:59:59Z. */
export const MAX_SECONDS = 253_402_300_799;

/**
 * `timestamp(x)` of a timestamp, of Unix seconds (an int) or of RFC 3339 text (docs/spec/conditions.md#core-functions,
 * docs/spec/conditions.md#parsing-timestamps).
 */
export function toTimestamp(x: Result): Result {
  if (x instanceof Timestamp) return x;
  if (typeof x === 'bigint') return timestampAt(x, 0, 0);
  if (typeof x !== 'string') return refuse('timestamp', x);
  charge(20 + x.length / 4);
  return parseTimestamp(x) ?? new CelError(`invalid RFC 3339 timestamp "${x}"`);
}

/**
 * RFC 3339 text as a timestamp with its offset; undefined when the text is not one
 * (docs/spec/conditions.md#parsing-timestamps). On the hot path of conditions on time: read by character codes, as a
 * regular expression would make ten texts (bench/conditions.bench.ts).
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 2);
  const day = digitsAt(text, 8, 2);
  const hour = digitsAt(text, 11, 2);
  const minute = digitsAt(text, 14, 2);
  const second = digitsAt(text, 17, 2);
  const isDate =
    isAt(text, 4, DASH) &&
    isAt(text, 7, DASH) &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth(year, month);
  const isTime =
    isAt(text, 10, LETTER_T) &&
    isAt(text, 13, COLON) &&
    isAt(text, 16, COLON) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59;
  if (!isDate || !isTime) return undefined;
  const zone = isAt(text, 19, DOT) ? endOfDigits(text, 20) : 19;
  const offset = zone === 20 ? undefined : parseOffset(text, zone);
  if (offset === undefined) return undefined;
  const local = daysUntil(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
  const seconds = local - offset * 60;
  return isInRange(seconds) ? new Timestamp(seconds, parseNanos(text, 20, zone), offset) : undefined;
}

/**
 * A timestamp of whole seconds and nanoseconds, or the overflow error of docs/spec/conditions.md#parsing-timestamps.
 */
export function timestampAt(seconds: bigint | number, nanos: number, offset: number): Timestamp | CelError {
  return isInRange(seconds) ? new Timestamp(Number(seconds), nanos, offset) : new CelError('timestamp overflow');
}

/**
 * RFC 3339 with the timestamp's own offset and no trailing zeros: `string(t)` and outputs
 * (docs/spec/conditions.md#timestamps).
 */
export function timestampText(t: Timestamp): string {
  return textAt(t, t.offset);
}

/** The same in UTC: `%s` (docs/spec/conditions.md#format). */
export function timestampUtcText(t: Timestamp): string {
  return textAt(t, 0);
}

/** The order of two instants, offsets aside: negative, zero or positive. */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  return a.seconds === b.seconds ? a.nanos - b.nanos : a.seconds - b.seconds;
}

const PLUS = 43;
const DASH = 45;
const DOT = 46;
const ZERO = 48;
const COLON = 58;
const LETTER_T = 84;
const LETTER_Z = 90;

function isInRange(seconds: bigint | number): boolean {
  return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
}

function isAt(text: string, position: number, code: number): boolean {
  return text.charCodeAt(position) === code;
}

/** A number of so many digits; NaN, which no bound admits, where one is missing. */
function digitsAt(text: string, position: number, count: number): number {
  let number = 0;
  for (let at = position; at < position + count; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

function endOfDigits(text: string, position: number): number {
  let end = position;
  while (digitsAt(text, end, 1) >= 0) end++;
  return end;
}

/** The first nine digits of a fraction; the others are dropped. */
function parseNanos(text: string, begin: number, end: number): number {
  if (end <= begin) return 0;
  const count = Math.min(9, end - begin);
  return digitsAt(text, begin, count) * 10 ** (9 - count);
}

/** Minutes east of UTC, from a position to the end of the text. */
function parseOffset(text: string, position: number): number | undefined {
  if (isAt(text, position, LETTER_Z)) return text.length === position + 1 ? 0 : undefined;
  const isWest = isAt(text, position, DASH);
  if (!(isWest || isAt(text, position, PLUS)) || text.length !== position + 6 || !isAt(text, position + 3, COLON))
    return undefined;
  const hours = digitsAt(text, position + 1, 2);
  const minutes = digitsAt(text, position + 4, 2);
  if (!(hours <= 23 && minutes <= 59)) return undefined;
  const offset = hours * 60 + minutes;
  return isWest && offset !== 0 ? -offset : offset;
}

function textAt(t: Timestamp, offset: number): string {
  const f = toFields(t.seconds + offset * 60);
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
