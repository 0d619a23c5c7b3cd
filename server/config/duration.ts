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
 * A duration as Go writes it (`500ms`, `1h30m`, `-5s`, `0`), in milliseconds; undefined when it is none. A bare number
 * is none (docs/spec/server.md#configuration).
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

/** A duration of so many milliseconds as Go writes it, without parts that are zero: `1h30m`, `500ms`, `0s`. */
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
