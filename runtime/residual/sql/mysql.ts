import { given, sql, type Sql } from './fragment.js';
import type { Dialect } from './dialect.js';
import type { Json, JsonType } from './value.js';
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

  document: (column, isNull) => json(isNull ? sql`COALESCE(${column}, CAST('null' AS JSON))` : column),
  field: (object, name) => {
    if (/["\\\u0000-\u001f]|\p{Surrogate}/u.test(name)) throw new Refusal('get-field', `a path of MySQL cannot hold the name ${JSON.stringify(name)}`);
    return json(sql`JSON_EXTRACT(${object.sql}, ${/^[A-Za-z_]\w*$/.test(name) ? sql`${`'$.${name}'`}` : given(`$."${name}"`)})`);
  },
  // To a path of MySQL a value that is no array is an array of itself.
  element: (array, position) => json(sql`CASE WHEN ${array.type} = 'ARRAY' THEN JSON_EXTRACT(${array.sql}, ${`'$[${position}]'`}) END`),
  hasType: (value, type) => typeIs(value, type),
  isOtherThan: ({ type: named }, type) => sql`${named} NOT IN (${quoted(type)})`,
  as: (value, type) => {
    if (type === 'boolean') return sql`CASE WHEN ${value.type} = 'BOOLEAN' THEN ${value.sql} = CAST('true' AS JSON) END`;
    const read = type === 'text' ? sql`JSON_UNQUOTE(${value.sql})` : sql`(${value.sql} + 0e0)`;
    return sql`CASE WHEN ${typeIs(value, type)} THEN ${read} END`;
  },
  equals: () => undefined,
  holds: undefined,
  items: (value, type, alias) => {
    const only = value.isList === true ? value.sql : sql`CASE WHEN ${value.type} = ${type === 'array' ? "'ARRAY'" : "'OBJECT'"} THEN ${type === 'array' ? value.sql : sql`JSON_KEYS(${value.sql})`} END`;
    const from = sql`JSON_TABLE(${only}, '$[*]' COLUMNS (place FOR ORDINALITY, value JSON PATH '$')) AS ${alias}`;
    if (type === 'array') return { from, key: sql`(${alias}.place - 1)`, element: json(sql`${alias}.value`) };
    const name = sql`JSON_UNQUOTE(${alias}.value)`;
    return { from, key: name, element: json(sql`JSON_EXTRACT(${value.sql}, CONCAT('$.', ${alias}.value))`) };
  },
  size: (value) => {
    if (value.isList === true) return sql`JSON_LENGTH(${value.sql})`;
    const texts = sql`WHEN ${value.type} = 'STRING' THEN CHAR_LENGTH(JSON_UNQUOTE(${value.sql}))`;
    return sql`CASE WHEN ${value.type} IN ('ARRAY', 'OBJECT') THEN JSON_LENGTH(${value.sql}) ${texts} END`;
  },
};

const TYPES: { readonly [type in JsonType]: readonly string[] } = {
  null: ['NULL'],
  boolean: ['BOOLEAN'],
  number: ['INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL'],
  text: ['STRING'],
  array: ['ARRAY'],
  object: ['OBJECT'],
};

function typeIs({ type: named }: Json, type: JsonType): Sql {
  return TYPES[type].length === 1 ? sql`${named} = ${quoted(type)}` : sql`${named} IN (${quoted(type)})`;
}

function quoted(type: JsonType): string {
  return TYPES[type].map((name) => `'${name}'`).join(', ');
}

/** Its bytes: no case, no accents, and blanks at the end count. */
function binary(text: Sql): Sql {
  return sql`CAST(${text} AS BINARY)`;
}

function json(value: Sql): Json {
  return { kind: 'json', sql: value, type: sql`JSON_TYPE(${value})` };
}
