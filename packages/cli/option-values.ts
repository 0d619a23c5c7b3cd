import { InvalidArgumentError } from 'commander';

/* How the command lines read the values of options. */

/** A flag that is a number of things. */
export function parseCount(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 999.');
}

/** A flag that is a port; 0 is one that is free. */
export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

/** Collects the values of a flag that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
