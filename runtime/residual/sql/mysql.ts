import { given, sql, type Sql } from './fragment.js';
import type { Dialect } from './dialect.js';
import { Refusal } from './refusal.js';

/** MySQL 8.0 and later, with utf8mb4 throughout. */
export const MYSQL: Dialect = {
  name: 'mysql',
  quote: '`',
  collation: 'other',
  computed: 'other',
  hasNul: true,
  secondDigits: 6,
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
  // A collation may take more texts for equal than there are, and none less.
  sameBytes: (a, b) => sql`(${a} = ${b} AND ${binary(a)} = ${binary(b)})`,

  startsWith: (text, { sql: start }) => sql`LEFT(${binary(text)}, LENGTH(${binary(start)})) = ${binary(start)}`,
  endsWith: (text, { sql: end }) => sql`RIGHT(${binary(text)}, LENGTH(${binary(end)})) = ${binary(end)}`,
  contains: (text, { sql: part }) => sql`LOCATE(${binary(part)}, ${binary(text)}) > 0`,
  length: (text) => sql`CHAR_LENGTH(${text})`,
  concat: (a, b) => sql`CONCAT(${a}, ${b})`,
  lower: undefined,
  upper: undefined,

  document: noJson,
  field: noJson,
  element: noJson,
  hasType: noJson,
  isOtherThan: noJson,
  as: noJson,
  equals: noJson,
  holds: noJson,
  items: noJson,
  size: noJson,
};

/** How MySQL reads JSON has not been held against check by a test: it is not said. */
function noJson(): never {
  throw new Refusal('variable', 'a JSON document or a list, which is not rendered for MySQL');
}

/** Its bytes: no case, no accents, and blanks at the end count. */
function binary(text: Sql): Sql {
  return sql`CAST(${text} AS BINARY)`;
}
