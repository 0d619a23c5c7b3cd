import { allOf, given, sql, type Sql } from './fragment.js';
import type { Dialect } from './dialect.js';
import { Refusal } from './refusal.js';

/** MySQL 8.0 and later, with utf8mb4 throughout. */
export const MYSQL: Dialect = {
  name: 'mysql',
  quote: '`',
  collation: 'other',
  computed: 'other',
  hasNul: true,
  hasNan: false,
  secondDigits: 6,
  // MariaDB reuses the result of a subquery for rows whose columns its collation treats as equal, unless it contains a
  // random number. It does so in any case where it rewrites EXISTS as IN.
  perRow: sql`RAND() >= 0`,
  exists: (from, where) => ({ ...sql`(SELECT 1 FROM ${from} WHERE ${where} LIMIT 1) IS NOT NULL`, isSettled: true }),
  placeholder: () => '?',

  constant: (value, type) => {
    const parameter = given(typeof value === 'boolean' ? Number(value) : value);
    return type === 'timestamp' ? sql`CAST(${parameter} AS DATETIME(6))` : parameter;
  },
  isTrue: (boolean) => sql`${boolean} = 1`,
  isFalse: (boolean) => sql`${boolean} = 0`,
  same: (a, b) => sql`${a} <=> ${b}`,
  differ: (a, b) => sql`NOT (${a} <=> ${b})`,
  real: (integer) => sql`(${integer} + 0e0)`,
  byBytes: binary,
  // A server may store a day zero, and days that do not exist in a month.
  isMoment: (timestamp) =>
    allOf(
      sql`${timestamp} >= '0001-01-01'`,
      sql`DAYOFMONTH(${timestamp}) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(${timestamp}))`,
    ),

  startsWith: (text, { sql: start, constant }) => {
    const byBytes = sql`LEFT(${binary(text)}, LENGTH(${binary(start)})) = ${binary(start)}`;
    const plain = constant?.match(/^[ -~]+/)?.[0];
    return plain === undefined
      ? byBytes
      : allOf(sql`${text} LIKE ${given(`${plain.replace(/[%_|]/g, '|$&')}%`)} ESCAPE '|'`, byBytes);
  },
  endsWith: (text, { sql: end }) => sql`RIGHT(${binary(text)}, LENGTH(${binary(end)})) = ${binary(end)}`,
  contains: (text, { sql: part }) => sql`LOCATE(${binary(part)}, ${binary(text)}) > 0`,
  length: (text) => sql`CHAR_LENGTH(${text})`,
  // Columns of different collations have no common collation.
  concat: (a, b) => sql`CONVERT(CONCAT(${binary(a)}, ${binary(b)}) USING utf8mb4)`,
  lower: undefined,
  upper: undefined,

  document: noJson,
  field: noJson,
  element: noJson,
  hasType: noJson,
  isOtherThan: noJson,
  moment: noJson,
  mayBeMoment: noJson,
  as: noJson,
  equals: noJson,
  among: noJson,
  holds: noJson,
  itemsFunction: undefined,
  items: noJson,
  size: noJson,
};

/** No test compares check with how MySQL reads JSON, so it is refused. */
function noJson(): never {
  throw new Refusal('variable', 'a JSON document or a list, which is not rendered for MySQL');
}

/** Its bytes: case, accents and trailing blanks are significant. */
function binary(text: Sql): Sql {
  return sql`CAST(${text} AS BINARY)`;
}
