import { parseTimestamp } from '#runtime/cel';
import type { Instant } from '#runtime/policy';

/** RFC 3339 as conditions see it under `now()`, in UTC whatever offset was written; undefined for another text. */
export function instantOf(text: string): Instant | undefined {
  const timestamp = parseTimestamp(text.toUpperCase());
  return timestamp && { seconds: timestamp.seconds, nanos: timestamp.nanos, offset: 0 };
}
