import type { Timestamp } from '../../cel/index.js';
import type { Scope } from './scope.js';
import { allOf, NEVER, sql, type Sql } from './fragment.js';
import type { Order } from './numbers.js';
import type { Scalar } from './value.js';

/** A timestamp column beside a constant that may be finer than the column. */
export function compareMoment(
  { dialect }: Scope,
  { sql: column }: Scalar,
  operator: Order | '=' | '<>',
  moment: Timestamp,
): Sql {
  const unit = dialect.secondDigits === 3 ? 1_000_000 : 1000;
  const isBetween = moment.nanos % unit !== 0;
  const before = dialect.constant(textOf(moment, dialect), 'timestamp');
  if (!isBetween && operator === '=') return sql`${column} = ${before}`;
  if (!isBetween) return allOf(sql`${column} ${operator} ${before}`, dialect.isMoment(column));
  switch (operator) {
    case '=':
      return NEVER;
    case '<>':
      return dialect.isMoment(column);
    case '<':
    case '<=':
      return allOf(sql`${column} <= ${before}`, dialect.isMoment(column));
    case '>':
    case '>=':
      return allOf(sql`${column} > ${before}`, dialect.isMoment(column));
  }
}

/** In UTC, cut to what the column holds. A `DATETIME` of MySQL has no zone. */
function textOf({ seconds, nanos }: Timestamp, { name, secondDigits }: Scope['dialect']): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  const fraction = String(nanos).padStart(9, '0').slice(0, secondDigits);
  return name === 'mysql' ? `${whole.replace('T', ' ')}.${fraction}` : `${whole}.${fraction}Z`;
}
