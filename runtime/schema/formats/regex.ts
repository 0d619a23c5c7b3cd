import { RE2JS } from 're2js';
import type { Run } from '../run.js';

/** `regex`: RE2 accepts it. The parsed pattern is not cached, as it is a value. */
export function isRegex(text: string, run: Run): boolean {
  if (!run.spend(workOf(text))) return false;
  try {
    RE2JS.compile(text);
    return true;
  } catch {
    // A string that overflows the parser's stack is not accepted either.
    return false;
  }
}

/** The work to parse a pattern: RE2 expands counted repetitions. */
function workOf(text: string): number {
  const counts = text.match(/[0-9]{1,4}(?=[,}])/g)?.map(Number) ?? [];
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  return 20 * text.length * Math.min(1000, most * most);
}
