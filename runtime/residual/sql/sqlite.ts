import { allOf, ALWAYS, anyOf, exists, given, sql, type Sql } from './fragment.js';
import type { Dialect } from './dialect.js';
import { Refusal } from './refusal.js';
import type { Json, JsonType } from './value.js';

/** SQLite 3.38 and later. */
export const SQLITE: Dialect = {
  name: 'sqlite',
  quote: '"',
  collation: 'binary',
  computed: 'binary',
  hasNul: true,
  hasNan: false,
  secondDigits: 3,
  perRow: ALWAYS,
  exists,
  semiJoin: ({ ours, theirs, from, where }) => sql`${ours} IN (SELECT ${theirs} FROM ${from} WHERE ${where})`,
  placeholder: () => '?',

  constant: (value) => given(typeof value === 'boolean' ? Number(value) : value),
  array: undefined,
  isTrue: (boolean) => sql`${boolean} = 1`,
  isFalse: (boolean) => sql`${boolean} = 0`,
  same: (a, b) => sql`${a} IS ${b}`,
  differ: (a, b) => sql`${a} IS NOT ${b}`,
  real: (integer) => sql`CAST(${integer} AS REAL)`,
  decimal: (decimal) => sql`CAST(${decimal} AS REAL)`,
  asText: (column) => sql`CAST(${column} AS TEXT)`,
  stored: (text, type) => (type === 'uuid' ? given(text) : sql`CAST(${given(text)} AS INTEGER)`),
  byBytes: (text) => sql`${text} COLLATE BINARY`,
  isMoment: (timestamp) => isMomentIn(timestamp, sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${timestamp}, '+0 days')`),

  // GLOB can use an index and is case-sensitive; LIKE is neither. If its limit or a column prevents that, substrings
  // are compared: as bytes, because SQLite's string functions stop at a NUL.
  startsWith: (text, { sql: start, constant }) =>
    constant !== undefined && constant.length < 10_000
      ? sql`${text} GLOB ${given(`${constant.replace(/[*?[]/g, '[$&]')}*`)}`
      : allOf(
          sql`${text} IS NOT NULL`,
          sql`ifnull(substr(${blob(text)}, 1, length(${blob(start)})), x'') = ${blob(start)}`,
        ),
  endsWith: (text, { sql: end, constant }) => {
    const cut = sql`ifnull(substr(${blob(text)}, -length(${blob(end)})), x'') = ${blob(end)}`;
    return constant === undefined ? allOf(sql`${text} IS NOT NULL`, anyOf(sql`length(${blob(end)}) = 0`, cut)) : cut;
  },
  contains: (text, { sql: part }) => sql`instr(${text}, ${part}) > 0`,
  // `length` stops at the first NUL, so the parts between NULs are added up.
  length: (text, alias) => {
    const next = sql`SELECT substr("rest", instr("rest", x'00') + 1), "counted" + length(CAST(substr("rest", 1, instr("rest", x'00') - 1) AS TEXT)) + 1 FROM ${alias} WHERE instr("rest", x'00') > 0`;
    const all = sql`WITH RECURSIVE ${alias}("rest", "counted") AS (SELECT ${blob(text)}, 0 UNION ALL ${next}) SELECT "counted" + length(CAST("rest" AS TEXT)) FROM ${alias} WHERE instr("rest", x'00') = 0`;
    return sql`CASE WHEN instr(${text}, char(0)) = 0 THEN length(${text}) ELSE (${all}) END`;
  },
  concat: (a, b) => sql`(${a} || ${b})`,
  pieces: (text, separator) => {
    const lost = sql`length(${blob(sql`replace(${text}, ${given(separator)}, '')`)})`;
    return sql`((length(${blob(text)}) - ${lost}) / length(${blob(given(separator))}) + 1)`;
  },
  // Each step repeats the one before.
  piece: (text, separator, position) => {
    if (position > 3) return undefined;
    const by = blob(given(separator));
    const cut = (rest: Sql): Sql => sql`substr(${rest}, instr(${rest}, ${by}) + length(${by}))`;
    const rest = Array.from({ length: position }).reduce<Sql>((one) => cut(one), blob(text));
    const found = sql`CASE instr(${rest}, ${by}) WHEN 0 THEN ${rest} ELSE substr(${rest}, 1, instr(${rest}, ${by}) - 1) END`;
    return sql`CASE WHEN ${SQLITE.pieces(text, separator)} > ${String(position)} THEN CAST(${found} AS TEXT) END`;
  },
  calendarField: (timestamp, accessor) => {
    const [start, less] = CALENDAR_PLACES[accessor] as readonly [number | string, number];
    const field =
      typeof start === 'number'
        ? sql`substr(${timestamp}, ${String(start)}, 2)`
        : sql`strftime(${`'${start}'`}, substr(${timestamp}, 1, 10))`;
    return sql`(CAST(${field} AS INTEGER) - ${String(less)})`;
  },
  apart: (left, right) => sql`(${inMilliseconds(left)} - ${inMilliseconds(right)})`,
  timeApart: (milliseconds) => sql`${String(milliseconds)}`,
  lower: (text) => sql`lower(${text})`,
  upper: (text) => sql`upper(${text})`,

  document: (column, nulls) => {
    const document = nulls === 'null' ? sql`ifnull(${column}, 'null')` : column;
    const type = sql`json_type(${document})`;
    return {
      kind: 'json',
      sql: sql`json_extract(${document}, '$')`,
      type: nulls === 'missing' ? sql`NULLIF(${type}, 'null')` : type,
      place: { document, path: '$' },
      ...(nulls === 'missing' && { column }),
    };
  },
  field: (json, name) => step(json, fieldPath(name)),
  element: (json, position) => step(json, `[${position}]`),
  hasType: (json, type) => typeIs(json, type),
  isOtherThan: ({ type: named }, type) => {
    const names = TYPES[type];
    return names.length === 1 ? sql`${named} <> ${`'${names[0]}'`}` : sql`${named} NOT IN (${quoted(names)})`;
  },
  moment: ({ sql: text }) =>
    sql`CASE WHEN ${text} < '0001' THEN NULL WHEN ${text} = strftime('%Y-%m-%dT%H:%M:%fZ', ${text}, '+0 days') THEN ${text} WHEN ${text} = strftime('%Y-%m-%dT%H:%M:%SZ', ${text}, '+0 days') THEN substr(${text}, 1, 19) || '.000Z' END`,
  mayBeMoment: ({ sql: text }) => sql`${text} LIKE '____-__-__T__:__:__%'`,
  as: (json, type) => {
    if (type === 'boolean') return sql`CASE ${json.type} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`;
    const value = type === 'number' ? sql`CAST(${json.sql} AS REAL)` : json.sql;
    return sql`CASE WHEN ${typeIs(json, type)} THEN ${value} END`;
  },
  equals: (json, operator, constant) => {
    if (typeof constant === 'number') return undefined;
    if (typeof constant === 'boolean') return sql`${json.type} ${operator} ${`'${String(constant)}'`}`;
    return operator === '='
      ? allOf(typeIs(json, 'text'), sql`${json.sql} = ${given(constant)}`)
      : anyOf(SQLITE.isOtherThan(json, 'text'), sql`${json.sql} <> ${given(constant)}`);
  },
  among: undefined,
  holds: undefined,
  itemsFunction: 'json_each',
  items: (json, type, alias) => {
    const only = sql`CASE ${json.type} WHEN ${`'${type}'`} THEN ${json.list ?? json.sql} END`;
    const element: Json = { kind: 'json', sql: sql`${alias}.value`, type: sql`${alias}.type` };
    return { from: sql`json_each(${only}) AS ${alias}`, key: sql`${alias}.key`, element };
  },
  size: (json, alias) => {
    const document = json.list ?? json.sql;
    const array = sql`WHEN 'array' THEN json_array_length(${document})`;
    const texts = SQLITE.length(SQLITE.as(json, 'text'), alias);
    return sql`CASE ${json.type} ${array} WHEN 'object' THEN (SELECT count(*) FROM json_each(${json.sql}) AS ${alias}) WHEN 'text' THEN ${texts} END`;
  },
};

const TYPES: { readonly [type in JsonType]: readonly string[] } = {
  null: ['null'],
  boolean: ['true', 'false'],
  number: ['integer', 'real'],
  text: ['text'],
  array: ['array'],
  object: ['object'],
};

/** Where the fields of accessors stand in a timestamp, or the formats that compute them, and what these count less. */
const CALENDAR_PLACES: { readonly [accessor: string]: readonly [place: number | string, less: number] } = {
  getFullYear: ['%Y', 0],
  getMonth: [6, 1],
  getDate: [9, 0],
  getDayOfMonth: [9, 1],
  getDayOfWeek: ['%w', 0],
  getDayOfYear: ['%j', 1],
  getHours: [12, 0],
  getMinutes: [15, 0],
  getSeconds: [18, 0],
};

/**
 * Where text is a moment of the years 1 to 9999: what SQLite writes for it. A modifier makes every version correct days
 * that do not exist, so that the text differs.
 */
export function isMomentIn(timestamp: Sql, written: Sql): Sql {
  return allOf(sql`${timestamp} >= '0001'`, sql`${timestamp} = ${written}`);
}

/** A timestamp in any of its formats. */
function inMilliseconds(timestamp: Sql): Sql {
  const seconds = sql`CAST(strftime('%s', substr(${timestamp}, 1, 19)) AS INTEGER)`;
  return sql`(${seconds} * 1000 + CAST(substr(${timestamp}, 21, 3) AS INTEGER))`;
}

function typeIs({ type: named }: Json, type: JsonType): Sql {
  const names = TYPES[type];
  return names.length === 1 ? sql`${named} = ${`'${names[0]}'`}` : sql`${named} IN (${quoted(names)})`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

function blob(text: Sql): Sql {
  return sql`CAST(${text} AS BLOB)`;
}

/** SQLite reads a quoted label up to the next quote, and does not interpret escapes. */
function fieldPath(name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return `.${name}`;
  if (/["\\\u0000-\u001f]|\p{Surrogate}/u.test(name))
    throw new Refusal('get-field', `a SQLite path cannot contain the name ${JSON.stringify(name)}`);
  return `."${name}"`;
}

function step(json: Json, segment: string): Json {
  // Any other string is not JSON, and would make the statement fail.
  const document = json.place?.document ?? sql`CASE WHEN ${json.type} IN ('array', 'object') THEN ${json.sql} END`;
  const path = (json.place?.path ?? '$') + segment;
  const written = /^[\w$.[\]]*$/.test(path) ? sql`${`'${path}'`}` : given(path);
  return {
    kind: 'json',
    sql: sql`json_extract(${document}, ${written})`,
    type: sql`json_type(${document}, ${written})`,
    place: { document, path },
  };
}
