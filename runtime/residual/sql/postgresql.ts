import { given, sql, type Sql } from './fragment.js';
import type { Dialect } from './dialect.js';
import type { Json, JsonType } from './value.js';

/** PostgreSQL 12 and later, with UTF-8. */
export const POSTGRESQL: Dialect = {
  name: 'postgresql',
  quote: '"',
  collation: 'deterministic',
  computed: 'deterministic',
  hasNul: false,
  secondDigits: 6,
  placeholder: (position) => `$${position}`,

  constant: (value, type) => given(value, CASTS[type]),
  isTrue: (boolean) => boolean,
  isFalse: (boolean) => sql`NOT ${boolean}`,
  same: (a, b) => sql`${a} IS NOT DISTINCT FROM ${b}`,
  differ: (a, b) => sql`${a} IS DISTINCT FROM ${b}`,
  real: (integer) => sql`${integer}::double precision`,
  byBytes: (text) => sql`${text} COLLATE "C"`,
  sameBytes: (a, b) => sql`${a} COLLATE "C" = ${b}`,

  startsWith: (text, { sql: start }) => sql`starts_with(${text}, ${start})`,
  endsWith: (text, { sql: end }) => sql`right(${text}, length(${end})) = ${end}`,
  contains: (text, { sql: part }) => sql`strpos(${text}, ${part}) > 0`,
  length: (text) => sql`char_length(${text})`,
  concat: (a, b) => sql`(${a} || ${b})`,
  // In this collation only ASCII has cases.
  lower: (text) => sql`lower(${text} COLLATE "C")`,
  upper: (text) => sql`upper(${text} COLLATE "C")`,

  document: (column, isNull) => json(isNull ? sql`coalesce(${column}, 'null'::jsonb)` : column),
  field: (object, name) => json(sql`(${object.sql} -> ${/^[A-Za-z_]\w*$/.test(name) ? sql`${`'${name}'`}` : given(name, '::text')})`),
  element: (array, position) => json(sql`(${array.sql} -> ${String(position)})`),
  hasType: ({ type: named }, type) => sql`${named} = ${`'${TYPES[type]}'`}`,
  isOtherThan: ({ type: named }, type) => sql`${named} <> ${`'${TYPES[type]}'`}`,
  as: (value, type) => {
    const read = type === 'text' ? sql`${value.sql} #>> '{}'` : type === 'number' ? sql`${value.sql}::double precision` : sql`${value.sql}::boolean`;
    return sql`CASE WHEN ${value.type} = ${`'${TYPES[type]}'`} THEN ${read} END`;
  },
  // Numbers of documents are decimals, and two of them may be one double.
  equals: ({ sql: value }, operator, constant) => (typeof constant === 'number' ? undefined : sql`${value} ${operator} to_jsonb(${jsonParameter(constant)})`),
  holds: ({ sql: list }, constant) => (typeof constant === 'number' ? undefined : sql`${list} @> to_jsonb(${jsonParameter(constant)})`),
  items: (value, type, alias) => {
    const only = value.isList === true ? value.sql : sql`CASE ${value.type} WHEN ${`'${type}'`} THEN ${value.sql} END`;
    if (type === 'object') return { from: sql`jsonb_each(${only}) AS ${alias}(key, value)`, key: sql`${alias}.key`, element: json(sql`${alias}.value`) };
    return { from: sql`jsonb_array_elements(${only}) WITH ORDINALITY AS ${alias}(value, place)`, key: sql`(${alias}.place - 1)`, element: json(sql`${alias}.value`) };
  },
  size: (value) => {
    if (value.isList === true) return sql`jsonb_array_length(${value.sql})`;
    const array = sql`WHEN 'array' THEN jsonb_array_length(${value.sql})`;
    const object = sql`WHEN 'object' THEN (SELECT count(*) FROM jsonb_object_keys(${value.sql}))`;
    return sql`CASE ${value.type} ${array} ${object} WHEN 'string' THEN char_length(${value.sql} #>> '{}') END`;
  },
};

/** A text takes the type of the column it is compared with: `text`, `varchar`, `citext` or a type of one's own. */
const CASTS = { text: '', integer: '::bigint', number: '::double precision', boolean: '::boolean', timestamp: '::timestamptz' } as const;

const TYPES: { readonly [type in JsonType]: string } = { null: 'null', boolean: 'boolean', number: 'number', text: 'string', array: 'array', object: 'object' };

function json(value: Sql): Json {
  return { kind: 'json', sql: value, type: sql`jsonb_typeof(${value})` };
}

function jsonParameter(constant: string | boolean): Sql {
  return given(constant, typeof constant === 'string' ? '::text' : '::boolean');
}
