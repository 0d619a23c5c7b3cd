import { parseTimestamp } from '../cel/runtime/timestamp.js';
import type { Instant } from '../../runtime/policy/index.js';

/** An RFC 3339 time as conditions see it in `now()`, in UTC whatever the offset; undefined for any other string. */
export function parseInstant(text: string): Instant | undefined {
  const timestamp = parseTimestamp(text.toUpperCase());
  return timestamp && { seconds: timestamp.seconds, nanos: timestamp.nanos, offset: 0 };
}
