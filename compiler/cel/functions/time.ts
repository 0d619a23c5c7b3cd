import type { CelFunction, Overload } from '../function.js';
import { duration, int, string, timestamp } from '../types.js';
import { member, row } from './row.js';

const ofTimestamp: readonly Overload[] = [member([timestamp], int), member([timestamp, string], int)];
const ofDuration = member([duration], int);

/** docs/spec/conditions.md#time-accessors. */
export const timeFunctions: readonly CelFunction[] = [
  row('getFullYear', ofTimestamp),
  row('getMonth', ofTimestamp),
  row('getDate', ofTimestamp),
  row('getDayOfMonth', ofTimestamp),
  row('getDayOfWeek', ofTimestamp),
  row('getDayOfYear', ofTimestamp),
  row('getHours', ofTimestamp, ofDuration),
  row('getMinutes', ofTimestamp, ofDuration),
  row('getSeconds', ofTimestamp, ofDuration),
  row('getMilliseconds', ofTimestamp, ofDuration),
];
