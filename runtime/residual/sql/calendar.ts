import type { Accessor, Apart } from '../idioms/index.js';
import { allOf, NEVER, sql, type Sql } from './fragment.js';
import { formatIn, isMoment, sameFormat } from './moments.js';
import { Refusal } from './refusal.js';
import type { Scope } from './scope.js';
import { FAILED, type Scalar, scalar, type SqlValue } from './value.js';

/** How far two timestamps are apart, compared with a constant. */
export function compareApart(
  scope: Scope,
  left: SqlValue,
  right: SqlValue,
  { comparison, nanos }: Pick<Apart, 'comparison' | 'nanos'>,
): Sql {
  if (left.kind === 'failed' || right.kind === 'failed') return NEVER;
  const [a, b] = [readColumn('sub', left), readColumn('sub', right)];
  const [one, other] = sameFormat(scope, 'sub', a, b);
  const { form } = formatIn(scope, a);
  const isEpoch = form === 'seconds' || form === 'milliseconds';
  const unit = form === 'seconds' ? SECOND : form === 'milliseconds' || scope.dialect.name === 'sqlite' ? MILLI : MICRO;
  const apart = isEpoch ? sql`(${one} - ${other})` : scope.dialect.apart(one, other);
  const below = (nanos - (((nanos % unit) + unit) % unit)) / unit;
  const isWhole = nanos % unit === 0n;
  const by = (units: bigint): Sql => (isEpoch ? sql`${String(units)}` : scope.dialect.timeApart(units));
  const areRead = allOf(isMoment(scope, a), isMoment(scope, b));
  // Elsewhere the difference may be one that makes the statement fail.
  const whereRead = (condition: Sql): Sql => sql`CASE WHEN ${areRead} THEN ${condition} END`;
  switch (comparison) {
    case 'lt':
      return whereRead(sql`${apart} ${isWhole ? '<' : '<='} ${by(below)}`);
    case 'le':
      return whereRead(sql`${apart} <= ${by(below)}`);
    case 'gt':
      return whereRead(sql`${apart} > ${by(below)}`);
    case 'ge':
      return whereRead(sql`${apart} ${isWhole ? '>=' : '>'} ${by(below)}`);
    case 'eq':
      return isWhole ? whereRead(sql`${apart} = ${by(below)}`) : NEVER;
    case 'ne':
      return isWhole ? whereRead(sql`${apart} <> ${by(below)}`) : areRead;
  }
}

const SECOND = 1_000_000_000n;
const MILLI = 1_000_000n;
const MICRO = 1000n;
const DAY = 86_400;

/** `timestamp(x).getHours()`. */
export function calendarField(scope: Scope, { accessor, offset }: Accessor, of: SqlValue): SqlValue {
  if (of.kind === 'failed') return FAILED;
  const column = readColumn(accessor, of);
  const { form } = formatIn(scope, column);
  if (form === 'seconds' || form === 'milliseconds')
    throw new Refusal(accessor, 'of a column that counts seconds or milliseconds');
  const field = (name: string): Sql => scope.dialect.calendarField(column.sql, name, form === 'plain');
  const value = offset === 0 || accessor === 'getSeconds' ? field(accessor) : shiftedField(accessor, offset, field);
  return scalar('integer', sql`CASE WHEN ${isMoment(scope, column)} THEN ${value} END`, scope.dialect.computed, {
    isInt: true,
  });
}

/** The hour or the minute in another zone. */
function shiftedField(accessor: string, offset: number, field: (name: string) => Sql): Sql {
  if (accessor !== 'getHours' && accessor !== 'getMinutes') throw new Refusal(accessor, 'in a zone other than UTC');
  const minutes = String(((offset + DAY) % DAY) / 60);
  const minute = sql`(${field('getHours')} * 60 + ${field('getMinutes')} + ${minutes})`;
  return accessor === 'getHours' ? sql`((${minute} % 1440 - ${minute} % 60) / 60)` : sql`(${minute} % 60)`;
}

/** A column that `timestamp(...)` has read. */
function readColumn(operator: string, value: SqlValue): Scalar {
  if (value.kind !== 'scalar' || value.type !== 'timestamp' || value.isUnread === true)
    throw new Refusal(operator, 'of a time that is not a column');
  if (value.isOnlyForCheck !== undefined) throw new Refusal(operator, 'of a time in a JSON document');
  return value;
}
