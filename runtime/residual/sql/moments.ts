import type { Timestamp } from '../../../packages/cel/runtime/index.js';
import { allOf, given, NEVER, sql, type Sql } from './fragment.js';
import type { MomentFormat } from './moment-format.js';
import type { Order } from './numbers.js';
import { isMomentIn } from './sqlite.js';
import { Refusal } from './refusal.js';
import type { Scope } from './scope.js';
import type { Scalar } from './value.js';

/**
 * A timestamp compared with a constant, which may be more precise than what check receives. Several values of the column
 * may be the same moment for check: those from the lowest to the highest.
 */
export function compareMoment(scope: Scope, value: Scalar, operator: Order | '=' | '<>', moment: Timestamp): Sql {
  const { sql: column } = value;
  const format = formatIn(scope, value);
  const isBetween = moment.nanos % 10 ** (9 - format.digits) !== 0;
  const lowest = (): Sql => constant(scope, format, moment, false);
  const highest = (): Sql => constant(scope, format, moment, true);
  const ofMoments = (condition: Sql): Sql => allOf(condition, isMoment(scope, value));
  switch (operator) {
    case '=':
      if (isBetween) return NEVER;
      return isOneValue(scope, format, moment)
        ? sql`${column} = ${lowest()}`
        : sql`${column} BETWEEN ${lowest()} AND ${highest()}`;
    case '<>':
      if (isBetween) return isMoment(scope, value);
      return ofMoments(
        isOneValue(scope, format, moment)
          ? sql`${column} <> ${lowest()}`
          : sql`${column} NOT BETWEEN ${lowest()} AND ${highest()}`,
      );
    case '<':
      return ofMoments(isBetween ? sql`${column} <= ${highest()}` : sql`${column} < ${lowest()}`);
    case '<=':
      return ofMoments(sql`${column} <= ${highest()}`);
    case '>':
      return ofMoments(sql`${column} > ${highest()}`);
    case '>=':
      return ofMoments(isBetween ? sql`${column} > ${highest()}` : sql`${column} >= ${lowest()}`);
  }
}

/** Where a timestamp is one that check can receive. Those of documents are, if they are not NULL. */
export function isMoment(scope: Scope, value: Scalar): Sql {
  const { sql: column, isOnlyForCheck } = value;
  if (isOnlyForCheck !== undefined) return sql`${column} IS NOT NULL`;
  const { form } = formatIn(scope, value);
  switch (form) {
    case 'seconds':
      return sql`${column} BETWEEN ${String(FIRST_SECOND)} AND ${String(LAST_SECOND)}`;
    case 'milliseconds':
      return sql`${column} BETWEEN ${`${FIRST_SECOND}000`} AND ${`${LAST_SECOND}999`}`;
    default:
      return scope.dialect.name === 'sqlite' && form !== 'plain'
        ? isMomentIn(column, writtenBySqlite(column, form))
        : scope.dialect.isMoment(column);
  }
}

/** Two timestamps as expressions that compare as the moments that check receives. */
export function sameFormat(scope: Scope, operator: string, a: Scalar, b: Scalar): readonly [Sql, Sql] {
  const [left, right] = [formatIn(scope, a), formatIn(scope, b)];
  if (left.form !== right.form)
    throw new Refusal(operator, 'two timestamps that their columns store in different formats');
  return [comparable(scope, left, a.sql), comparable(scope, right, b.sql)];
}

/** The seconds of the years 1 to 9999. */
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

/** What SQLite writes for a moment in the format of a column. */
function writtenBySqlite(column: Sql, form: 'utc' | '+00:00'): Sql {
  if (form === '+00:00') return sql`strftime('%Y-%m-%d %H:%M:%f +00:00', ${column}, '+0 days')`;
  const format = sql`CASE length(${column}) WHEN 19 THEN '%Y-%m-%d %H:%M:%S' ELSE '%Y-%m-%d %H:%M:%f' END`;
  return sql`strftime(${format}, ${column}, '+0 days')`;
}

/** How a column stores a timestamp. */
export function formatIn({ dialect }: Scope, { format }: Scalar): MomentFormat {
  return format ?? { form: 'plain', digits: dialect.secondDigits };
}

function comparable({ dialect }: Scope, { form, digits }: MomentFormat, column: Sql): Sql {
  if (dialect.name === 'sqlite')
    return form === 'utc' ? sql`CASE length(${column}) WHEN 19 THEN ${column} || '.000' ELSE ${column} END` : column;
  if (digits === dialect.secondDigits || (form !== 'plain' && form !== 'utc')) return column;
  return dialect.name === 'postgresql'
    ? sql`date_trunc('milliseconds', ${column})`
    : sql`TIMESTAMPADD(MICROSECOND, -(MICROSECOND(${column}) MOD 1000), ${column})`;
}

/** Whether a moment has one value in a column. */
function isOneValue({ dialect }: Scope, { form, digits }: MomentFormat, { nanos }: Timestamp): boolean {
  if (dialect.name === 'sqlite') return form !== 'utc' || nanos !== 0;
  return (form !== 'plain' && form !== 'utc') || digits === dialect.secondDigits;
}

/** The lowest or the highest value of a column that check receives as the moment, truncated to its digits. */
function constant({ dialect }: Scope, { form, digits }: MomentFormat, moment: Timestamp, isHighest: boolean): Sql {
  const { seconds, nanos } = moment;
  if (form === 'seconds') return dialect.constant(seconds, 'integer');
  if (form === 'milliseconds') return dialect.constant(seconds * 1000 + Math.floor(nanos / 1e6), 'integer');
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  const known = String(nanos).padStart(9, '0').slice(0, digits);
  const fraction = known.padEnd(dialect.secondDigits, isHighest ? '9' : '0');
  const withSpace = whole.replace('T', ' ');
  if (dialect.name === 'mysql') return dialect.constant(`${withSpace}.${fraction}`, 'timestamp');
  if (dialect.name === 'postgresql')
    return form === 'utc'
      ? given(`${whole}.${fraction}`, '::timestamp')
      : dialect.constant(`${whole}.${fraction}Z`, 'timestamp');
  if (form === 'plain') return given(`${whole}.${fraction}Z`);
  if (form === '+00:00') return given(`${withSpace}.${fraction} +00:00`);
  return given(!isHighest && nanos === 0 ? withSpace : `${withSpace}.${fraction}`);
}
