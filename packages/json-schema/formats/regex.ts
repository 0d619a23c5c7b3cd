import { RE2JS } from 're2js';
import { costOfPattern, MAX_INSTRUCTIONS } from '../../cel/runtime/pattern-cost.js';
import type { Run } from '../run.js';

/** `regex`: RE2 accepts it. The parsed pattern is not cached, as it is a value. */
export function isRegex(text: string, run: Run): boolean {
  if (!run.spend(text.length)) return false;
  const { instructions, steps } = costOfPattern(text);
  const work = instructions > MAX_INSTRUCTIONS ? Number.POSITIVE_INFINITY : steps / STEPS_A_UNIT_OF_WORK;
  if (!run.spend(work)) return false;
  try {
    RE2JS.compile(text);
    return true;
  } catch {
    // A string that overflows the parser's stack is not accepted either.
    return false;
  }
}

/** The work of a run is counted in larger units than the cost of conditions. */
const STEPS_A_UNIT_OF_WORK = 10;
