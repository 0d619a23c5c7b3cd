import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toTimestamp } from './timestamp.js';
import { CelError, type Timestamp } from './values.js';
import { isZoneName, zoneNames } from './zone-names.js';
import { offsetSecondsAt } from './zones.js';

const at = (zone: string, instant: string) => {
  const offset = offsetSecondsAt(zone, (toTimestamp(instant) as Timestamp).seconds);
  return offset instanceof CelError ? offset.message : offset;
};
const spring = '2021-04-20T15:05:20Z';

test('a zone with a colon is an offset without range checks; the minutes have the sign of the hours', () => {
  const offsets: readonly (readonly [string, number])[] = [
    ['+05:30', 19_800],
    ['05:30', 19_800],
    ['+5:30', 19_800],
    ['-5:00', -18_000],
    ['-00:30', -1800],
    ['+24:00', 86_400],
    ['+99:00', 356_400],
    ['+05:75', 22_500],
    ['-12:34', -45_240],
  ];
  for (const [zone, seconds] of offsets) assert.is(at(zone, spring), seconds, zone);
});

test('non-digits around the colon are reported', () => {
  assert.is(at('+05:30:00', spring), 'strconv.Atoi: parsing "30:00": invalid syntax');
  assert.is(at(':30', spring), 'strconv.Atoi: parsing "": invalid syntax');
  assert.is(at('+-05:30', spring), 'strconv.Atoi: parsing "+-05": invalid syntax');
  assert.is(at('99999999999999999999:0', spring), 'strconv.Atoi: parsing "99999999999999999999": value out of range');
});

test('zone names are exact and case-sensitive, including links', () => {
  const offsets: readonly (readonly [string, number])[] = [
    ['', 0],
    ['UTC', 0],
    ['Zulu', 0],
    ['Factory', 0],
    ['America/New_York', -14_400],
    ['US/Eastern', -14_400],
    ['EST', -18_000],
    ['PST8PDT', -25_200],
    ['Etc/GMT+5', -18_000],
    ['Asia/Calcutta', 19_800],
    ['NZ', 43_200],
  ];
  for (const [zone, seconds] of offsets) assert.is(at(zone, spring), seconds, zone);
  for (const zone of [
    'utc',
    'Z',
    '+5',
    '+0530',
    'CST',
    'GMT+5',
    'america/new_york',
    'a.b',
    'posixrules',
    '__proto__',
  ]) {
    assert.is(at(zone, spring), `unknown time zone ${zone}`);
  }
  for (const zone of ['../etc', '/UTC', '\\UTC']) assert.is(at(zone, spring), 'time: invalid location name');
});

test('historic rules, local mean time and future daylight saving apply', () => {
  assert.is(at('America/New_York', '1883-01-01T12:00:00Z'), -17_762);
  assert.is(at('America/New_York', '0001-01-01T00:00:00Z'), -17_762);
  assert.is(at('Europe/Paris', '1900-01-01T00:00:00Z'), 561);
  assert.is(at('Europe/London', '2021-07-01T12:00:00Z'), 3600);
  assert.is(at('America/New_York', '2500-07-01T12:00:00Z'), -14_400);
  assert.is(at('Asia/Tokyo', '9999-12-31T23:59:59Z'), 32_400);
});

/** Names by the release of the time zone database that added them. */
const ADDED = { 'America/Coyhaique': '2025b' };

test('the platform knows every listed name that its time zone database has', () => {
  const unknown = zoneNames().filter((zone) => typeof at(zone, spring) === 'string');
  const newer = Object.entries(ADDED).filter(([, release]) => (process.versions['tz'] ?? '') < release);
  assert.equal(
    unknown,
    newer.map(([name]) => name),
  );
  assert.ok(zoneNames().length > 590);
  assert.ok(Intl.supportedValuesOf('timeZone').every(isZoneName));
});

test.run();
