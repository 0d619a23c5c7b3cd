import { InvalidArgumentError, Option } from 'commander';
import type { Instant } from '../../../runtime/policy/index.js';
import { parseInstant } from '../../policy-tests/instant.js';

/** The time of conditions. */
export interface NowOption {
  readonly now?: Instant;
}

/** The option `--now`. */
export function nowOption(text = 'current time in conditions, such as 2025-01-31T00:00:00Z'): Option {
  return new Option('--now <time>', text).argParser(instant);
}

function instant(text: string): Instant {
  const now = parseInstant(text);
  if (now === undefined) throw new InvalidArgumentError('It must be a time such as 2025-01-31T00:00:00Z.');
  return now;
}
