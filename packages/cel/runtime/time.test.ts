import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addDuration,
  compareTimestamps,
  durationText,
  getDate,
  getDayOfMonth,
  getDayOfWeek,
  getDayOfYear,
  getFullYear,
  getHours,
  getMilliseconds,
  getMinutes,
  getMonth,
  getSeconds,
  now,
  subtractDuration,
  timeSince,
  timestampDifference,
  timestampText,
  timestampUtcText,
  toDuration,
  toTimestamp,
} from './index.js';
import { CelError, type Duration, type Result, Timestamp } from './values.js';

const ts = (text: string) => toTimestamp(text) as Timestamp;
const dur = (text: string) => toDuration(text) as Duration;
const failure = (result: Result) => (result instanceof CelError ? result.message : undefined);
const text = (result: Result) => (result instanceof Timestamp ? timestampText(result) : failure(result));

test('a timestamp prints with its own offset and no trailing zeros', () => {
  for (const same of [
    '2021-04-20T10:05:20.021-05:00',
    '2021-04-20T10:05:20Z',
    '2021-01-01T00:00:00.1234567Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999Z',
    '1969-12-31T23:59:59.5Z',
    '2024-02-29T23:59:59+23:59',
  ]) {
    assert.is(timestampText(ts(same)), same);
  }
  assert.is(timestampText(ts('2021-01-01T00:00:00.120Z')), '2021-01-01T00:00:00.12Z');
  assert.is(timestampText(ts('2021-04-20T10:05:20.1234567891Z')), '2021-04-20T10:05:20.123456789Z');
  assert.is(timestampText(ts('2021-04-20T10:05:20-00:00')), '2021-04-20T10:05:20Z');
  assert.is(timestampUtcText(ts('2021-01-01T00:00:00.5+02:00')), '2020-12-31T22:00:00.5Z');
});

test('only strict RFC 3339 timestamps are parsed', () => {
  for (const bad of [
    '2021-04-20t10:05:20z',
    '2021-04-20T10:05:20',
    '2021-04-20',
    '2021-04-20T10:05Z',
    '2021-04-20T24:00:00Z',
    '2021-04-20T23:59:60Z',
    '2021-04-20T10:05:20+0500',
    '2021-04-20T10:05:20+24:00',
    '2021-04-20T10:05:20+23:60',
    '2021-04-20T10:05:20.Z',
    '2021-04-20T10:05:20,5Z',
    '2021-02-29T00:00:00Z',
    '2021-13-01T00:00:00Z',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '',
  ]) {
    assert.is(failure(toTimestamp(bad)), `invalid RFC 3339 timestamp "${bad}"`);
  }
});

test('an int is Unix seconds within the years 1 to 9999; other types have no overload', () => {
  assert.is(text(toTimestamp(1618931120n)), '2021-04-20T15:05:20Z');
  assert.is(text(toTimestamp(253402300799n)), '9999-12-31T23:59:59Z');
  assert.is(text(toTimestamp(253402300800n)), 'timestamp overflow');
  assert.is(text(toTimestamp(5)), 'no such overload: timestamp(double)');
  assert.is(toTimestamp(undefined), undefined);
});

test('a duration prints as float seconds', () => {
  const texts: readonly (readonly [string, string])[] = [
    ['1h1m1s1ms1us1ns', '3661.001001001s'],
    ['-1h', '-3600s'],
    ['+1h', '3600s'],
    ['0', '0s'],
    ['-0', '0s'],
    ['1\u00b5s', '0.000001s'],
    ['1\u03bcs', '0.000001s'],
    ['1.s', '1s'],
    ['.5s', '0.5s'],
    ['1s1h', '3601s'],
    ['1.9999999999s', '1.999999999s'],
    ['9223372036854775807ns', '9223372036.854776s'],
    ['-9223372036854775808ns', '-9223372036.854776s'],
    ['1ns', '0.000000001s'],
    ['100000h', '360000000s'],
    ['1.5ms', '0.0015s'],
  ];
  for (const [source, printed] of texts) assert.is(durationText(dur(source)), printed, source);
});

test('a duration has no days, spaces or exponents and is an int64 of nanoseconds', () => {
  for (const bad of [
    '1d',
    '.s',
    ' 1s',
    '1s ',
    '',
    '-',
    '1',
    '1e3s',
    '--1s',
    '9223372036854775808ns',
    '2562048h',
    '1ss',
  ]) {
    assert.is(failure(toDuration(bad)), "type conversion error from 'string' to 'google.protobuf.Duration'", bad);
  }
  assert.is(failure(toDuration(60n)), 'no such overload: duration(int)');
});

test('arithmetic keeps the offset of the timestamp, and a result out of range is an error', () => {
  assert.is(text(addDuration(ts('2021-01-01T00:00:00+02:00'), dur('1h'))), '2021-01-01T01:00:00+02:00');
  assert.is(text(subtractDuration(ts('2021-01-02T00:00:00Z'), dur('1ns'))), '2021-01-01T23:59:59.999999999Z');
  assert.is(text(subtractDuration(ts('0001-01-01T00:00:00Z'), dur('1s'))), 'timestamp overflow');
  assert.is(text(addDuration(ts('9999-12-31T23:59:59.5Z'), dur('0.5s'))), 'timestamp overflow');
  const difference = timestampDifference(ts('2021-01-01T00:00:00Z'), ts('2021-01-02T00:00:00.5Z'));
  assert.is(durationText(difference as Duration), '-86400.5s');
  assert.is(failure(timestampDifference(ts('9999-12-31T23:59:59Z'), ts('1800-01-01T00:00:00Z'))), 'integer overflow');
  assert.is(compareTimestamps(ts('2021-01-01T00:00:00Z'), ts('2021-01-01T02:00:00+02:00')), 0);
});

test('accessors without a zone use UTC, whatever the offset of the string', () => {
  const t = ts('2021-04-20T23:05:20.021-05:00');
  const fields = [
    getFullYear,
    getMonth,
    getDate,
    getDayOfMonth,
    getDayOfWeek,
    getDayOfYear,
    getHours,
    getMinutes,
    getSeconds,
    getMilliseconds,
  ];
  assert.equal(
    fields.map((field) => field(t)),
    [2021n, 3n, 21n, 20n, 3n, 110n, 4n, 5n, 20n, 21n],
  );
});

test('accessors of a duration return totals truncated toward zero, and take no zone', () => {
  assert.equal(
    [getHours, getMinutes, getSeconds, getMilliseconds].map((field) => field(dur('-1h30m0.5s'))),
    [-1n, -90n, -5400n, -5400500n],
  );
  assert.is(failure(getHours(dur('1s'), 'UTC')), 'no such overload: getHours(google.protobuf.Duration, string)');
  assert.is(failure(getDate(dur('1s'))), 'no such overload: getDate(google.protobuf.Duration)');
});

test('a failed receiver or zone takes precedence over a wrong type', () => {
  const missing = new CelError('no such key: zz');
  assert.is(getHours(missing), missing);
  assert.is(getHours('x', missing), missing);
  assert.is(getHours(ts('2021-01-01T00:00:00Z'), undefined), undefined);
  assert.is(
    failure(getHours(ts('2021-01-01T00:00:00Z'), 5)),
    'no such overload: getHours(google.protobuf.Timestamp, double)',
  );
  assert.is(failure(getHours(null)), 'no such overload: getHours(null_type)');
});

test('now is the time of the request, timeSince saturates where minus overflows', () => {
  const request = { now: { seconds: 1_600_000_000, nanos: 5, offset: 540 } };
  assert.is(timestampText(now(request)), '2020-09-13T21:26:40.000000005+09:00');
  assert.is(durationText(timeSince(now(request), request) as Duration), '0s');
  assert.is((timeSince(ts('0001-01-01T00:00:00Z'), request) as Duration).nanos, 2n ** 63n - 1n);
  assert.is((timeSince(ts('9999-01-01T00:00:00Z'), request) as Duration).nanos, -(2n ** 63n));
  assert.is(failure(timeSince('x', request)), 'no such overload');
});

test.run();
