import { Refusal } from './refusal.js';
import type { SqlColumn, SqlDialect } from './table.js';

/** How a column stores a moment; `plain` is the `timestamp` of the dialect. */
export interface MomentFormat {
  readonly form: 'plain' | 'utc' | '+00:00' | 'seconds' | 'milliseconds';
  /** The digits of a second that check receives. */
  readonly digits: 0 | 3 | 6;
}

/** The format of a column. */
export function selectFormat(dialect: SqlDialect, { type, zone, precision }: SqlColumn): MomentFormat {
  if (type === 'epoch-seconds') return { form: 'seconds', digits: 0 };
  if (type === 'epoch-milliseconds') return { form: 'milliseconds', digits: 3 };
  const digits = dialect === 'sqlite' ? 3 : (precision ?? 6);
  // A `DATETIME` of MySQL has no zone.
  if (zone === undefined || dialect === 'mysql') return { form: 'plain', digits };
  if (zone === '+00:00' && dialect !== 'sqlite')
    throw new Refusal('timestamp', 'a text with the zone +00:00, which is for SQLite');
  return { form: zone, digits };
}
