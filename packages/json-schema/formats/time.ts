/** `date-time`: RFC 3339. */
export function isDateTime(text: string): boolean {
  return /^[Tt]$/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

/** `date`: RFC 3339 full-date; the day exists. */
export function isDate(text: string): boolean {
  const [, year, month, day] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  return day >= 1 && day <= countDays(year, month);
}

/** `time`: RFC 3339 full-time, its offset included; a leap second ends a day of UTC. */
export function isTime(text: string): boolean {
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/.exec(text);
  if (match === null) return false;
  const [hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = [1, 2, 3, 5, 6].map((group) =>
    Number(match[group] ?? 0),
  );
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const offset = (offsetHour * 60 + offsetMinute) * (match[4] === '-' ? -1 : 1);
  return (hour * 60 + minute - offset + DAY) % DAY === DAY - 1;
}

/** `duration`: RFC 3339 appendix A. Units are in order, without gaps. */
export function isDuration(text: string): boolean {
  if (/^P[0-9]+W$/.test(text)) return true;
  const match = /^P((?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?)(?:T((?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+S)?))?$/.exec(text);
  if (match === null || text === 'P') return false;
  const [days = '', seconds] = [match[1], match[2]].map((part) => part?.replace(/[0-9]+/g, ''));
  return 'YMD'.includes(days) && seconds !== '' && 'HMS'.includes(seconds ?? '');
}

/** `period`: two instants, or one and a duration. */
export function isPeriod(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const start = text.slice(0, slash);
  const end = text.slice(slash + 1);
  return isDateTime(start) ? isDateTime(end) || isDuration(end) : isDuration(start) && isDateTime(end);
}

const DAY = 24 * 60;

function countDays(year: number, month: number): number {
  if (month < 1 || month > 12) return 0;
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
