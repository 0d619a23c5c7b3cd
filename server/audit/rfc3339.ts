const NANOSECONDS = 1_000_000;

/** A moment, in milliseconds since 1970 and perhaps parts of one, as RFC 3339 with nine digits of a second, in UTC. */
export function rfc3339(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const rest = Math.floor((milliseconds - whole) * NANOSECONDS);
  return `${new Date(whole).toISOString().slice(0, -1)}${String(rest).padStart(6, '0')}Z`;
}
