import type { Operand } from '../operand.js';
import { truth } from './condition.js';
import { flatParts, type Given, type Sql } from './fragment.js';
import { POSTGRESQL } from './postgresql.js';
import { Refusal } from './refusal.js';
import { columnName, columnValue, type Scope, Statement } from './scope.js';
import type { SqlTable } from './table.js';
import type { SqlValue } from './value.js';

export type { KeySet } from './scope.js';

/**
 * A condition as the text of a policy of PostgreSQL, which has no parameters: constants are quoted. TRUE for the rows that
 * check allows the principal of the session, and FALSE or NULL for all others. Returns the refusal of a part that has no
 * SQL.
 *
 * @param session what the database knows of the principal, by variable.
 * @param keySet reads related rows; without it, the text reads them itself, of the row that it is about.
 */
export function policyCondition(
  operand: Operand,
  table: SqlTable,
  session: NonNullable<Scope['session']>,
  keySet: Scope['keySet'],
): string | Refusal {
  try {
    const scope: Scope = {
      ...scopeOf(table),
      session,
      ...(keySet === undefined ? { closures: 'row' } : { keySet }),
    };
    return constantText(truth(operand, true, scope));
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The text of a piece of SQL with its values in it; it keeps its meaning beside AND. */
export function constantText({ parts, top }: Sql): string {
  const text = flatParts(parts)
    .map((part) => (typeof part === 'string' ? part : literal(part)))
    .join('');
  return top === 'or' ? `(${text})` : text;
}

/** A text column of a table as a value of its policies. */
export function columnText(table: SqlTable, column: string): SqlValue {
  return columnValue(scopeOf(table), { column, type: 'text' });
}

/** The name of a column in a policy of its table. */
export function columnIn(table: SqlTable, column: string): string {
  return constantText(columnName(scopeOf(table), column, undefined));
}

function scopeOf(table: SqlTable): Scope {
  return { dialect: POSTGRESQL, table, bound: new Map(), statement: new Statement(table, POSTGRESQL) };
}

/** A constant: whatever it contains, it ends where it should. */
function literal({ value, cast }: Given): string {
  switch (typeof value) {
    case 'string':
      return `${quotedText(value)}${cast}`;
    case 'number':
      if (!Number.isFinite(value)) return `'${value}'${cast}`;
      return value < 0 || Object.is(value, -0)
        ? `('${Object.is(value, -0) ? '-0' : value}'${cast})`
        : `${value}${cast}`;
    default:
      return `${String(value)}${cast}`;
  }
}

/**
 * A string as a constant of SQL. A session may set what a backslash is in the functions that it calls
 * (`standard_conforming_strings`), unless the constant says so.
 * @throws Refusal for a text that PostgreSQL cannot store.
 */
export function quotedText(value: string): string {
  if (/\0|\p{Surrogate}/u.test(value)) throw new Refusal('value', 'PostgreSQL stores neither NUL nor half a character');
  const text = value.replaceAll("'", "''");
  return text.includes('\\') ? `E'${text.replaceAll('\\', '\\\\')}'` : `'${text}'`;
}
