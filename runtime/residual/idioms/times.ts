import {
  Duration,
  MAX_NANOS,
  MAX_SECONDS,
  MIN_NANOS,
  MIN_SECONDS,
  Timestamp,
  timestampAt,
  timestampUtcText,
  toDuration,
  toTimestamp,
} from '../../../packages/cel/runtime/index.js';
import { expression, type Expression, type Operand, matchOperands } from '../operand.js';
import { allOf, type Comparison, listComparisons, readConstant, FAILS, FALSE, guarded, not, TRUE } from './operands.js';

/** Nanoseconds since 1970. */
type Instant = bigint;

const SECOND = 1_000_000_000n;
const FIRST: Instant = BigInt(MIN_SECONDS) * SECOND;
const LAST: Instant = BigInt(MAX_SECONDS) * SECOND + SECOND - 1n;

/** A comparison of times that were computed, as bounds of the time that is read. */
export function asTimeBounds(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  for (const { comparison, left, right } of listComparisons(operand.expression)) {
    const bounds =
      shiftedBounds(comparison, left, right) ??
      ageBounds(comparison, left, right) ??
      apartBounds(comparison, left, right);
    if (bounds !== undefined) return bounds;
    const years = yearBounds(comparison, left, right) ?? secondsBounds(comparison, left, right);
    if (years !== undefined) return years;
  }
  return undefined;
}

/** `timestamp(x) + duration("1h") > now()`. */
function shiftedBounds(comparison: Comparison, left: Operand, right: Operand): Operand | undefined {
  const shift = findShift(left);
  const at = readInstant(right);
  if (shift === undefined || shift.partial.length === 0 || at === undefined) return undefined;
  const by = shift.partial.at(-1) as bigint;
  const [least, most] = [smallest(0n, ...shift.partial), largest(0n, ...shift.partial)];
  // A sum outside of the years 1 to 9999 fails.
  return within(shift.of, FIRST - least, LAST - most, compared(shift.of, comparison, at - by));
}

/** `now() - timestamp(x) < duration("1h")`. */
function ageBounds(comparison: Comparison, left: Operand, right: Operand): Operand | undefined {
  const [first, second] = matchOperands(left, 'sub') ?? [];
  const by = durationOf(right);
  if (first === undefined || second === undefined || by === undefined) return undefined;
  const [before, after] = [readInstant(first), readInstant(second)];
  // A difference of more than 292 years fails.
  if (before !== undefined && isTimestamp(second)) {
    const mirrored = ({ eq: 'eq', ne: 'ne', lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' } as const)[comparison];
    return within(second, before - MAX_NANOS, before - MIN_NANOS, compared(second, mirrored, before - by));
  }
  if (after !== undefined && isTimestamp(first))
    return within(first, after + MIN_NANOS, after + MAX_NANOS, compared(first, comparison, after + by));
  return undefined;
}

/** Two times that are read, and how far apart they are. */
export interface Apart {
  readonly left: Operand;
  readonly right: Operand;
  readonly comparison: Comparison;
  /** What `left - right` is compared with, in nanoseconds. */
  readonly nanos: bigint;
}

/** A comparison that `asTimeBounds` makes of two times; undefined for any other test. */
export function findApart({ operator, operands }: Expression): Apart | undefined {
  const [apart, by] = operands;
  const [left, right] = (apart && matchOperands(apart, 'apart')) ?? [];
  const nanos = readConstant(by);
  if (left === undefined || right === undefined || typeof nanos !== 'string') return undefined;
  return { left, right, comparison: operator as Comparison, nanos: BigInt(nanos) };
}

/** `timestamp(x) - timestamp(y) > duration("24h")`, and `timestamp(x) > timestamp(y) + duration("24h")`. */
function apartBounds(comparison: Comparison, left: Operand, right: Operand): Operand | undefined {
  const [first, second] = matchOperands(left, 'sub') ?? [];
  const by = durationOf(right);
  if (first !== undefined && second !== undefined && by !== undefined && isTimestamp(first) && isTimestamp(second)) {
    const are = (one: Comparison, nanos: bigint): Operand => apart(first, one, second, nanos);
    return guarded(allOf(are('ge', MIN_NANOS), are('le', MAX_NANOS)), are(comparison, by));
  }
  const [one, other] = [findShift(left), findShift(right)];
  if (one === undefined || other === undefined || one.partial.length + other.partial.length === 0) return undefined;
  const test = apart(one.of, comparison, other.of, (other.partial.at(-1) ?? 0n) - (one.partial.at(-1) ?? 0n));
  return [one, other].reduce((inner, { of, partial }) => {
    const [least, most] = [smallest(0n, ...partial), largest(0n, ...partial)];
    return within(of, FIRST - least, LAST - most, inner);
  }, test);
}

function apart(left: Operand, comparison: Comparison, right: Operand, nanos: bigint): Operand {
  return expression(comparison, expression('apart', left, right), { value: String(nanos) });
}

/** `timestamp(x).getFullYear() == 2024`. */
function yearBounds(comparison: Comparison, left: Operand, right: Operand): Operand | undefined {
  const { of, accessor, offset } = readAccessor(left) ?? {};
  const year = readConstant(right);
  if (of === undefined || offset === undefined || accessor !== 'getFullYear') return undefined;
  if (typeof year !== 'number' || !Number.isInteger(year) || year < 1 || year > 9998) return undefined;
  const east = BigInt(offset) * SECOND;
  return between(of, comparison, startYear(year) - east, startYear(year + 1) - east);
}

/** A time whose unit, from `start` to before `end`, compares with the one that these are of. */
function between(of: Operand, comparison: Comparison, start: Instant, end: Instant): Operand {
  switch (comparison) {
    case 'eq':
      return allOf(compared(of, 'ge', start), compared(of, 'lt', end));
    case 'ne':
      return not(allOf(compared(of, 'ge', start), compared(of, 'lt', end)));
    case 'lt':
    case 'ge':
      return compared(of, comparison, start);
    case 'le':
      return compared(of, 'lt', end);
    case 'gt':
      return compared(of, 'ge', end);
  }
}

/** `int(timestamp(x)) > 1700000000`: the whole seconds since 1970. */
function secondsBounds(comparison: Comparison, left: Operand, right: Operand): Operand | undefined {
  const [of] = matchOperands(left, 'int') ?? [];
  const seconds = readConstant(right);
  if (of === undefined || !isTimestamp(of) || !Number.isSafeInteger(seconds)) return undefined;
  const [start, end] = [BigInt(seconds as number) * SECOND, (BigInt(seconds as number) + 1n) * SECOND];
  return between(of, comparison, start, end);
}

function startYear(year: number): Instant {
  return BigInt(Date.parse(`${String(year).padStart(4, '0')}-01-01T00:00:00Z`)) * 1_000_000n;
}

/** A time that is read, and the sums of the durations that are added to it. */
interface Shift {
  readonly of: Operand;
  readonly partial: readonly bigint[];
}

function findShift(operand: Operand): Shift | undefined {
  if (isTimestamp(operand)) return { of: operand, partial: [] };
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  if (operator !== 'add' && operator !== 'sub') return undefined;
  const [first, second] = operands as [Operand, Operand];
  const isFirst = operator === 'add' && durationOf(first) !== undefined;
  const by = durationOf(isFirst ? first : second);
  const inner = by === undefined ? undefined : findShift(isFirst ? second : first);
  if (inner === undefined || by === undefined) return undefined;
  const before = inner.partial.at(-1) ?? 0n;
  return { of: inner.of, partial: [...inner.partial, operator === 'add' ? before + by : before - by] };
}

/** `timestamp(x)` of something that is not known. */
function isTimestamp(operand: Operand): boolean {
  const [of] = matchOperands(operand, 'timestamp') ?? [];
  return of !== undefined && !('value' in of);
}

/** A field of a time in the calendar. */
export interface Accessor {
  readonly of: Operand;
  /** `getHours`. */
  readonly accessor: string;
  /** Seconds east of UTC, less than a day. */
  readonly offset: number;
}

/** `timestamp(x).getHours("+02:00")`; undefined for a zone whose offset depends on the time, and for anything else. */
export function readAccessor(operand: Operand): Accessor | undefined {
  if (!('expression' in operand) || !ACCESSORS.has(operand.expression.operator)) return undefined;
  const [of, zone, ...others] = operand.expression.operands;
  if (of === undefined || !isTimestamp(of) || others.length > 0) return undefined;
  const offset = zone === undefined ? 0 : readOffset(readConstant(zone));
  return offset === undefined ? undefined : { of, accessor: operand.expression.operator, offset };
}

const ACCESSORS: ReadonlySet<string> = new Set([
  ...['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear'],
  ...['getHours', 'getMinutes', 'getSeconds'],
]);

function readOffset(zone: unknown): number | undefined {
  if (zone === 'UTC' || zone === '') return 0;
  const [, sign, hours, minutes] = (typeof zone === 'string' && /^([+-])([01]\d|2[0-3]):([0-5]\d)$/.exec(zone)) || [];
  if (hours === undefined || minutes === undefined) return undefined;
  return (Number(hours) * 3600 + Number(minutes) * 60) * (sign === '-' ? -1 : 1);
}

/** The instant of `timestamp("...")`; undefined for any other operand. */
export function readInstant(operand: Operand): Instant | undefined {
  const text = readConstant(matchOperands(operand, 'timestamp')?.[0]);
  const at = typeof text === 'string' ? toTimestamp(text) : undefined;
  return at instanceof Timestamp ? BigInt(at.seconds) * SECOND + BigInt(at.nanos) : undefined;
}

function durationOf(operand: Operand): bigint | undefined {
  const text = readConstant(matchOperands(operand, 'duration')?.[0]);
  const duration = typeof text === 'string' ? toDuration(text) : undefined;
  return duration instanceof Duration ? duration.nanos : undefined;
}

/** A time compared with an instant, which may be before or after all times. */
function compared(of: Operand, comparison: Comparison, at: Instant): Operand {
  if (at < FIRST) return comparison === 'gt' || comparison === 'ge' || comparison === 'ne' ? TRUE : FALSE;
  if (at > LAST) return comparison === 'lt' || comparison === 'le' || comparison === 'ne' ? TRUE : FALSE;
  return expression(comparison, of, constantAt(at));
}

/** A test where a time is between two instants; elsewhere it fails. */
function within(of: Operand, from: Instant, to: Instant, test: Operand): Operand {
  if (from > LAST || to < FIRST) return FAILS;
  const bounds = [
    ...(from > FIRST ? [expression('ge', of, constantAt(from))] : []),
    ...(to < LAST ? [expression('le', of, constantAt(to))] : []),
  ];
  return guarded(allOf(...bounds), test);
}

function constantAt(at: Instant): Operand {
  const nanos = ((at % SECOND) + SECOND) % SECOND;
  const time = timestampAt((at - nanos) / SECOND, Number(nanos), 0);
  return expression('timestamp', { value: timestampUtcText(time as Timestamp) });
}

function smallest(...numbers: readonly bigint[]): bigint {
  return numbers.reduce((a, b) => (a < b ? a : b));
}

function largest(...numbers: readonly bigint[]): bigint {
  return numbers.reduce((a, b) => (a > b ? a : b));
}
