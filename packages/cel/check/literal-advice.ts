import type { Hint } from './did-you-mean.js';

/** Advice for a string that is not a timestamp. */
export const timestampAdvice: readonly Hint[] = [
  { message: 'write date, time and zone, as in `timestamp("2026-01-31T00:00:00Z")`' },
];

/** Advice for a text that is not a duration: units of other languages, with the same length in hours. */
export function adviseDuration(written: string): readonly Hint[] {
  const days = /^\s*P?(\d{1,6})\s*(d|days?|w|weeks?)\s*$/i.exec(written);
  const hours = days && Number(days[1]) * (days[2]?.toLowerCase().startsWith('w') ? 168 : 24);
  const same = hours === null ? '`duration("1h30m")`' : `\`duration("${hours}h")\` for \`${written.trim()}\``;
  return [{ message: `write ${same}: units are \`h\`, \`m\`, \`s\`, \`ms\`, \`us\` and \`ns\`; a day is \`24h\`` }];
}

/** Advice for a pattern that is not valid. */
export function advisePattern(pattern: string, reason: string): readonly Hint[] {
  if (/\(\?<?[=!]/.test(pattern))
    return [
      {
        message:
          'patterns are RE2, which does not support look-ahead and look-behind: join two conditions, `x.matches("b") && !x.startsWith("a")`',
      },
    ];
  if (/\\[1-9]|\\k</.test(pattern)) return [{ message: 'patterns are RE2, which does not support back-references' }];
  if (/[*+?}]\+|\(\?>/.test(pattern))
    return [{ message: 'patterns are RE2, which does not support possessive or atomic groups and never needs them' }];
  return [{ message: `the pattern is not valid in RE2: ${reason.replace(/^error parsing regexp: /, '')}` }];
}
