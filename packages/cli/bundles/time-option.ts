import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../../server/config/duration.js';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const DAY = 86_400_000;

/** Parses a time of a flag, or how long from now it is, to RFC 3339 in UTC without fractions. */
export function timeOption(text: string): string {
  const time = TIME.test(text) ? Date.parse(text) : Date.now() + (toMilliseconds(text) ?? Number.NaN);
  const date = new Date(time);
  if (Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('It must be a time such as 2031-01-31T00:00:00Z, or a duration such as 90d or 12h.');
  return date.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Parses a duration of a flag to milliseconds. */
export function durationOption(text: string): number {
  const duration = toMilliseconds(text);
  if (duration === undefined || duration <= 0)
    throw new InvalidArgumentError('It must be a duration such as 90d or 12h.');
  return duration;
}

function toMilliseconds(text: string): number | undefined {
  const days = /^(\d{1,6})d$/.exec(text)?.[1];
  return days === undefined ? parseDuration(text) : Number(days) * DAY;
}
