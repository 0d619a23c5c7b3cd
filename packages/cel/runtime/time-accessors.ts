import { type CalendarFields, toFields } from './calendar.js';
import { refuse } from './failures.js';
import { CelError, Duration, type Result, Timestamp } from './values.js';
import { offsetSecondsAt } from './zones.js';

/** The optional zone argument; a zone that is given may itself be a failure, so its presence is the length. */
type ZoneArgument = readonly [zone?: Result];

/** `t.getFullYear()`, in UTC or in a zone, as all accessors here (docs/spec/conditions.md#time-accessors). */
export function getFullYear(receiver: Result, ...zone: ZoneArgument): Result {
  return ofTimestamp('getFullYear', receiver, zone, (fields) => fields.year);
}

/** 0 is January. */
export function getMonth(receiver: Result, ...zone: ZoneArgument): Result {
  return ofTimestamp('getMonth', receiver, zone, (fields) => fields.month - 1);
}

/** The day of the month, 1 to 31. */
export function getDate(receiver: Result, ...zone: ZoneArgument): Result {
  return ofTimestamp('getDate', receiver, zone, (fields) => fields.day);
}

/** The day of the month, 0 to 30. */
export function getDayOfMonth(receiver: Result, ...zone: ZoneArgument): Result {
  return ofTimestamp('getDayOfMonth', receiver, zone, (fields) => fields.day - 1);
}

/** 0 is Sunday. */
export function getDayOfWeek(receiver: Result, ...zone: ZoneArgument): Result {
  return ofTimestamp('getDayOfWeek', receiver, zone, (fields) => fields.dayOfWeek);
}

/** 0 to 365. */
export function getDayOfYear(receiver: Result, ...zone: ZoneArgument): Result {
  return ofTimestamp('getDayOfYear', receiver, zone, (fields) => fields.dayOfYear);
}

/** The hour of a timestamp, or the whole hours of a duration, truncated toward zero. */
export function getHours(receiver: Result, ...zone: ZoneArgument): Result {
  return ofEither('getHours', receiver, zone, 3_600_000_000_000n, (fields) => fields.hour);
}

/** The minute of a timestamp, or the whole minutes of a duration. */
export function getMinutes(receiver: Result, ...zone: ZoneArgument): Result {
  return ofEither('getMinutes', receiver, zone, 60_000_000_000n, (fields) => fields.minute);
}

/** The second of a timestamp, or the whole seconds of a duration. */
export function getSeconds(receiver: Result, ...zone: ZoneArgument): Result {
  return ofEither('getSeconds', receiver, zone, 1_000_000_000n, (fields) => fields.second);
}

/** The millisecond within the second of a timestamp, or the whole milliseconds of a duration. */
export function getMilliseconds(receiver: Result, ...zone: ZoneArgument): Result {
  return ofEither('getMilliseconds', receiver, zone, 1_000_000n, (_, t) => Math.floor(t.nanos / 1_000_000));
}

type Field = (fields: CalendarFields, t: Timestamp) => number;

function ofEither(name: string, receiver: Result, zone: ZoneArgument, unit: bigint, field: Field): Result {
  if (receiver instanceof Duration && zone.length === 0) return receiver.nanos / unit;
  return ofTimestamp(name, receiver, zone, field);
}

function ofTimestamp(name: string, receiver: Result, zone: ZoneArgument, field: Field): Result {
  if (zone.length > 0) return inZone(name, receiver, zone[0], field);
  if (!(receiver instanceof Timestamp)) return refuse(name, receiver);
  return BigInt(field(toFields(receiver.seconds), receiver));
}

function inZone(name: string, receiver: Result, zone: Result, field: Field): Result {
  if (!(receiver instanceof Timestamp) || typeof zone !== 'string') return refuse(name, receiver, zone);
  const offset = offsetSecondsAt(zone, receiver.seconds);
  if (offset instanceof CelError) return offset;
  return BigInt(field(toFields(receiver.seconds + offset), receiver));
}
