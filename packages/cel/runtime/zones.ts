import { BoundedCache } from './bounded-cache.js';
import { DAY, daysUntil } from './calendar.js';
import { charge } from './meter.js';
import { quotedText } from './quoted-text.js';
import { CelError } from './values.js';
import { isZoneName } from './zone-names.js';

/**
 * Seconds east of UTC that a zone string means at an instant, or why it means none
 * (docs/spec/conditions.md#time-zones).
 */
export function offsetSecondsAt(zone: string, seconds: number): number | CelError {
  charge(20 + zone.length / 2);
  const colon = zone.indexOf(':');
  if (colon >= 0) return fixedOffset(zone, colon);
  if (zone === '' || zone === 'UTC') return 0;
  if (zone === 'Local') return localOffset(seconds);
  if (zone.includes('..') || zone.startsWith('/') || zone.startsWith('\\')) {
    return new CelError('time: invalid location name');
  }
  if (!isZoneName(zone)) return new CelError(`unknown time zone ${zone}`);
  const formatter = formatters.get(zone, formatterFor);
  return formatter instanceof CelError ? formatter : offsetBy(formatter, seconds);
}

/** A formatter costs about a thousand uses of it, and the names are a closed list: one for each zone in use. */
const formatters = new BoundedCache<Intl.DateTimeFormat | CelError>(600);

/** `[+-]H:M` without a range check. Minutes go the way of the hours' sign. */
function fixedOffset(zone: string, colon: number): number | CelError {
  const hours = parseInteger(zone.slice(0, colon));
  if (hours instanceof CelError) return hours;
  const minutes = parseInteger(zone.slice(colon + 1));
  if (minutes instanceof CelError) return minutes;
  const total = hours * 60n + (zone.startsWith('-') ? -minutes : minutes);
  // The reference holds the offset as int64 nanoseconds; beyond 292 years it wraps, and so does this.
  return Number(BigInt.asIntN(64, total * 60_000_000_000n) / 1_000_000_000n);
}

function parseInteger(text: string): bigint | CelError {
  const [, sign, digits] = /^([+-]?)0*([0-9]+)$/.exec(text) ?? [];
  if (digits === undefined) return new CelError(`strconv.Atoi: parsing ${quotedText(text)}: invalid syntax`);
  const value = digits.length > 19 ? undefined : BigInt(`${sign === '-' ? '-' : ''}${digits}`);
  if (value !== undefined && BigInt.asIntN(64, value) === value) return value;
  return new CelError(`strconv.Atoi: parsing ${quotedText(text)}: value out of range`);
}

function localOffset(seconds: number): number | CelError {
  const formatter = formatters.get('Local', () => findFormatter(undefined));
  return formatter instanceof CelError ? formatter : offsetBy(formatter, seconds);
}

/** `Factory` is the database's name for a machine that is not set up; it is UTC. */
function formatterFor(zone: string): Intl.DateTimeFormat | CelError {
  try {
    return findFormatter(zone === 'Factory' ? 'UTC' : zone);
  } catch {
    // The platform's database is older than the list of names.
    return new CelError(`unknown time zone ${zone}`);
  }
}

function findFormatter(timeZone: string | undefined): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    ...(timeZone === undefined ? {} : { timeZone }),
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}

/**
 * 0002-01-01: before it a western zone is in the year 1 BC, which prints as 1; local mean time is the same on both
 * sides.
 */
const YEAR_TWO = daysUntil(2, 1, 1) * DAY;

/** Formatting an instant in a zone. */
const STEPS_A_FORMAT = 400;

/** `month/day/year, hour:minute:second`: the numbers in the order `en-US` writes them. */
const NUMBERS = /\d+/g;

function offsetBy(formatter: Intl.DateTimeFormat, seconds: number): number {
  charge(STEPS_A_FORMAT);
  const instant = Math.max(seconds, YEAR_TWO);
  const numbers = formatter.format(instant * 1000).match(NUMBERS) ?? [];
  const [month = 1, day = 1, year = 1, hour = 0, minute = 0, second = 0] = numbers.map(Number);
  return daysUntil(year, month, day) * DAY + hour * 3600 + minute * 60 + second - instant;
}
