import { allOf, given, sql, type Sql } from './fragment.js';
import type { Dialect } from './dialect.js';
import { Refusal } from './refusal.js';
import { scalar } from './value.js';

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
  semiJoin: undefined,
  placeholder: () => '?',

  constant: (value, type) => {
    const parameter = given(typeof value === 'boolean' ? Number(value) : value);
    return type === 'timestamp' ? sql`CAST(${parameter} AS DATETIME(6))` : parameter;
  },
  array: undefined,
  isTrue: (boolean) => sql`${boolean} = 1`,
  isFalse: (boolean) => sql`${boolean} = 0`,
  same: (a, b) => sql`${a} <=> ${b}`,
  differ: (a, b) => sql`NOT (${a} <=> ${b})`,
  real: (integer) => sql`(${integer} + 0e0)`,
  decimal: (decimal) => sql`(${decimal} + 0e0)`,
  asText: (column) => sql`CAST(${column} AS CHAR)`,
  stored: (text, type) => (type === 'uuid' ? given(text) : sql`CAST(${given(text)} AS SIGNED)`),
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
  pieces: (text, separator) => {
    const by = binary(given(separator));
    return sql`((LENGTH(${binary(text)}) - LENGTH(REPLACE(${binary(text)}, ${by}, ''))) DIV LENGTH(${by}) + 1)`;
  },
  piece: (text, separator, position) => {
    const by = binary(given(separator));
    const first = sql`SUBSTRING_INDEX(${binary(text)}, ${by}, ${String(position + 1)})`;
    return sql`CASE WHEN ${MYSQL.pieces(text, separator)} > ${String(position)} THEN CONVERT(SUBSTRING_INDEX(${first}, ${by}, -1) USING utf8mb4) END`;
  },
  calendarField: (timestamp, accessor) => {
    const [name, less] = CALENDAR_FUNCTIONS[accessor] as readonly [string, number];
    return sql`(${name}(${timestamp}) - ${String(less)})`;
  },
  apart: (left, right) => sql`TIMESTAMPDIFF(MICROSECOND, ${right}, ${left})`,
  timeApart: (microseconds) => sql`${String(microseconds)}`,
  // Its own functions change letters beyond ASCII, too.
  lower: (text) => inCase(text, (letter) => [letter, letter.toLowerCase()]),
  upper: (text) => inCase(text, (letter) => [letter.toLowerCase(), letter]),

  document: noJson,
  field: noJson,
  element: noJson,
  textList: (column) => ({ kind: 'json', sql: column, type: typeOfJson(column), list: column }),
  hasType: ({ type: own }, type) => (type === 'array' ? sql`${own} = 'ARRAY'` : noJson()),
  isOtherThan: noJson,
  moment: noJson,
  mayBeMoment: noJson,
  as: noJson,
  equals: noJson,
  among: undefined,
  holds: undefined,
  itemsFunction: undefined,
  items: ({ list = noJson() }, _, alias) => {
    // Text that is no JSON would make the statement fail.
    const document = sql`CASE WHEN ${typeOfJson(list)} = 'ARRAY' THEN ${list} ELSE '[]' END`;
    const columns = sql`place FOR ORDINALITY, element LONGTEXT PATH '$'`;
    const place = sql`(${alias}.place - 1)`;
    const isText = sql`JSON_TYPE(JSON_EXTRACT(${list}, CONCAT('$[', ${place}, ']'))) = 'STRING'`;
    return {
      from: sql`JSON_TABLE(${document}, '$[*]' COLUMNS (${columns})) AS ${alias}`,
      key: place,
      element: scalar('text', sql`CASE WHEN ${isText} AND ${MYSQL.perRow} THEN ${alias}.element END`, 'other'),
    };
  },
  size: noJson,
};

/** The functions of accessors, and what these count less. */
const CALENDAR_FUNCTIONS: { readonly [accessor: string]: readonly [name: string, less: number] } = {
  getFullYear: ['YEAR', 0],
  getMonth: ['MONTH', 1],
  getDate: ['DAYOFMONTH', 0],
  getDayOfMonth: ['DAYOFMONTH', 1],
  getDayOfWeek: ['DAYOFWEEK', 1],
  getDayOfYear: ['DAYOFYEAR', 1],
  getHours: ['HOUR', 0],
  getMinutes: ['MINUTE', 0],
  getSeconds: ['SECOND', 0],
};

function typeOfJson(document: Sql): Sql {
  return sql`JSON_TYPE(CASE WHEN JSON_VALID(${document}) THEN ${document} END)`;
}

/** No test compares a check with how MySQL reads JSON other than lists of strings, so it is refused. */
function noJson(): never {
  throw new Refusal('variable', 'a JSON document or a list, which is not rendered for MySQL');
}

/** A string in which each letter of ASCII is replaced, by bytes. */
function inCase(text: Sql, replaced: (letter: string) => readonly [from: string, to: string]): Sql {
  const bytes = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].reduce<Sql>((inner, letter) => {
    const [from, to] = replaced(letter);
    return sql`REPLACE(${inner}, ${`'${from}'`}, ${`'${to}'`})`;
  }, binary(text));
  return sql`CONVERT(${bytes} USING utf8mb4)`;
}

/** Its bytes: case, accents and trailing blanks are significant. */
function binary(text: Sql): Sql {
  return sql`CAST(${text} AS BINARY)`;
}
