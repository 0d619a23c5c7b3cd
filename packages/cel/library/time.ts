import { either, global, impure, member, row, type FunctionSection, type Overload } from './function.js';
import { duration, int, string, timestamp } from './types.js';

const ofTimestamp: readonly Overload[] = [member([timestamp], int), member([timestamp, string], int)];
const ofDuration = member([duration], int);

/** docs/spec/conditions.md#time-accessors. */
export const time: FunctionSection = {
  title: 'Time',
  intro: `\`now()\` returns the same time throughout a call. Accessors of timestamps use UTC, or the time zone that you pass: an IANA name such as
\`"Europe/Berlin"\` or an offset such as \`"+05:30"\`. Accessors of durations return the total in that unit.`,
  rows: [
    impure(
      row(
        'now',
        {
          meaning: 'Returns the time of the call.',
          examples: [
            ['now() == now()', 'true'],
            ['now() > timestamp("2024-01-01T00:00:00Z")', 'true'],
          ],
        },
        global([], timestamp),
      ),
    ),
    impure(
      row(
        'timeSince',
        {
          meaning: 'Returns the duration from a timestamp to now.',
          examples: [['timeSince(timestamp("2024-01-01T00:00:00Z")) > duration("1h")', 'true']],
        },
        either([timestamp], duration),
      ),
    ),
    row(
      'getFullYear',
      {
        meaning: 'Returns the year.',
        examples: [
          ['timestamp("2024-12-31T23:30:00Z").getFullYear()', '2024'],
          ['timestamp("2024-12-31T23:30:00Z").getFullYear("Europe/Berlin")', '2025'],
        ],
      },
      ofTimestamp,
    ),
    row(
      'getMonth',
      {
        meaning: 'Returns the month, starting at 0.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getMonth()', '11']],
      },
      ofTimestamp,
    ),
    row(
      'getDate',
      {
        meaning: 'Returns the day of the month, starting at 1.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDate()', '31']],
      },
      ofTimestamp,
    ),
    row(
      'getDayOfMonth',
      {
        meaning: 'Returns the day of the month, starting at 0.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDayOfMonth()', '30']],
      },
      ofTimestamp,
    ),
    row(
      'getDayOfWeek',
      {
        meaning: 'Returns the day of the week, where 0 is Sunday.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDayOfWeek()', '2']],
      },
      ofTimestamp,
    ),
    row(
      'getDayOfYear',
      {
        meaning: 'Returns the day of the year, starting at 0.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDayOfYear()', '365']],
      },
      ofTimestamp,
    ),
    row(
      'getHours',
      {
        meaning: 'Returns the hour of a timestamp, or the total hours of a duration.',
        examples: [
          ['timestamp("2024-12-31T23:30:00Z").getHours("+05:30")', '5'],
          ['duration("90m").getHours()', '1'],
        ],
      },
      ofTimestamp,
      ofDuration,
    ),
    row(
      'getMinutes',
      {
        meaning: 'Returns the minute of a timestamp, or the total minutes of a duration.',
        examples: [
          ['timestamp("2024-12-31T23:30:00Z").getMinutes()', '30'],
          ['duration("1h30m").getMinutes()', '90'],
        ],
      },
      ofTimestamp,
      ofDuration,
    ),
    row(
      'getSeconds',
      {
        meaning: 'Returns the second of a timestamp, or the total seconds of a duration.',
        examples: [['duration("1m1s").getSeconds()', '61']],
      },
      ofTimestamp,
      ofDuration,
    ),
    row(
      'getMilliseconds',
      {
        meaning: 'Returns the millisecond of a timestamp, or the total milliseconds of a duration.',
        examples: [['timestamp("2024-12-31T23:30:00.25Z").getMilliseconds()', '250']],
      },
      ofTimestamp,
      ofDuration,
    ),
  ],
};
