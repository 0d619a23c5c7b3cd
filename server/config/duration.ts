const UNITS: { readonly [unit: string]: number } = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/y;

/**
 * Parses a duration in the syntax of Go (`500ms`, `1h30m`, `-5s`, `0`) to milliseconds; undefined if it is invalid. A
 * bare number is invalid (docs/spec/server.md#configuration).
 */
export function parseDuration(text: string): number | undefined {
  const negative = text.startsWith('-');
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0;
  let total = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < unsigned.length) {
    const part = PART.exec(unsigned);
    if (part === null) return undefined;
    total += Number(part[1]) * (UNITS[part[2] as string] as number);
  }
  if (unsigned === '') return undefined;
  return negative ? -total : total;
}

/** Formats milliseconds as a duration in the syntax of Go, without parts that are zero: `1h30m`, `500ms`, `0s`. */
export function writeDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  let rest = Math.abs(milliseconds);
  let written = milliseconds < 0 ? '-' : '';
  for (const unit of ['h', 'm', 's'] as const) {
    const count = Math.floor(rest / (UNITS[unit] as number));
    rest -= count * (UNITS[unit] as number);
    if (count > 0) written += `${count}${unit}`;
  }
  return rest > 0 ? `${written}${rest}ms` : written;
}
