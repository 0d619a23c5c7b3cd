import { plainDecimal } from './decimal-text.js';
import { refuse } from './failures.js';
import { charge } from './meter.js';
import { CelError, Duration, type Result } from './values.js';

/** Nanoseconds in a second. */
export const SECOND = 1_000_000_000n;

/** The least and greatest durations, in nanoseconds: an int64 (docs/spec/conditions.md#durations). */
export const MIN_NANOS = -(2n ** 63n);
/** See MIN_NANOS. */
export const MAX_NANOS = 2n ** 63n - 1n;

/**
 * `duration(x)` of a duration or of text such as `1h30m` (docs/spec/conditions.md#core-functions,
 * docs/spec/conditions.md#durations).
 */
export function toDuration(x: Result): Result {
  if (x instanceof Duration) return x;
  if (typeof x !== 'string') return refuse('duration', x);
  charge(50 + 4 * x.length);
  return parseDuration(x) ?? new CelError("type conversion error from 'string' to 'google.protobuf.Duration'");
}

/**
 * Duration text as a duration; undefined when the text is not one or leaves the int64 range
 * (docs/spec/conditions.md#durations).
 */
export function parseDuration(text: string): Duration | undefined {
  const negative = text.startsWith('-');
  const amount = negative || text.startsWith('+') ? text.slice(1) : text;
  if (amount === '0') return new Duration(0n);
  const magnitude = parseTerms(amount);
  if (magnitude === undefined) return undefined;
  const nanos = negative ? -magnitude : magnitude;
  return isInRange(nanos) ? new Duration(nanos) : undefined;
}

/** A duration, or the overflow error of docs/spec/conditions.md#operators. */
export function durationOf(nanos: bigint): Duration | CelError {
  return isInRange(nanos) ? new Duration(nanos) : new CelError('integer overflow');
}

/**
 * Float seconds in plain notation and `s` (docs/spec/conditions.md#durations). The sum of two floats loses the
 * nanoseconds of long durations; the reference prints that sum, so it is the text.
 */
export function durationText(d: Duration): string {
  return `${plainDecimal(Number(d.nanos / SECOND) + Number(d.nanos % SECOND) / 1e9)}s`;
}

/** Seconds to the nanosecond: text that reads back as the same duration. */
export function exactDurationText({ nanos }: Duration): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const fraction = String(magnitude % SECOND)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${nanos < 0n ? '-' : ''}${magnitude / SECOND}${fraction === '' ? '' : '.'}${fraction}s`;
}

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', SECOND],
  ['m', 60n * SECOND],
  ['h', 3600n * SECOND],
]);

/** More digits than int64 nanoseconds have: the number is out of range whatever its unit. */
const MAX_DIGITS = 19;

function parseTerms(text: string): bigint | undefined {
  if (text === '') return undefined;
  const termAt = /(\d*)(?:\.(\d*))?([^\d.]+)/y;
  let total = 0n;
  let at = 0;
  while (at < text.length) {
    termAt.lastIndex = at;
    const [term, whole = '', fraction = '', unitName = ''] = termAt.exec(text) ?? [];
    const unit = UNITS.get(unitName);
    if (term === undefined || unit === undefined || whole + fraction === '') return undefined;
    const significant = whole.replace(/^0+/, '');
    if (significant.length > MAX_DIGITS) return undefined;
    total += BigInt(significant === '' ? '0' : significant) * unit + toFraction(fraction, unit);
    if (total > MAX_NANOS + 1n) return undefined;
    at += term.length;
  }
  return total;
}

/**
 * The part of a unit after the point, truncated to nanoseconds. Computed in floats like the reference, so that what
 * truncation cuts off is the same; digits past the eighteenth cannot show.
 */
function toFraction(digits: string, unit: bigint): bigint {
  const kept = digits.slice(0, 18);
  return BigInt(Math.trunc(Number(kept) * (Number(unit) / 10 ** kept.length)));
}

function isInRange(nanos: bigint): boolean {
  return nanos >= MIN_NANOS && nanos <= MAX_NANOS;
}
