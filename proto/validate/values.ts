import type { Moment } from '../audit-request.js';

/** Whether a text has no more characters than so many; a pair of surrogates is one. */
export function isAtMost(text: string, length: number): boolean {
  if (text.length <= length) return true;
  return text.length <= 2 * length && [...text].length <= length;
}

/** Whether a moment was before another, which is in milliseconds since 1970. */
export function isPast(moment: Moment, now: number): boolean {
  return millisecondsOf(moment) < now;
}

/** A moment in milliseconds since 1970, a duration in milliseconds. */
export function millisecondsOf({ seconds, nanos }: Moment): number {
  return seconds * 1000 + nanos / 1_000_000;
}
