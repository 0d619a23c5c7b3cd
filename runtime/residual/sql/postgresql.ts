import { ALWAYS, allOf, exists, given, listed, sql, type Sql } from './fragment.js';
import type { Dialect } from './dialect.js';
import type { Json, JsonType, ScalarType } from './value.js';

/** PostgreSQL 12 and later, with UTF-8. */
export const POSTGRESQL: Dialect = {
  name: 'postgresql',
  quote: '"',
  collation: 'deterministic',
  computed: 'deterministic',
  hasNul: false,
  hasNan: true,
  secondDigits: 6,
  perRow: ALWAYS,
  exists,
  // Beside another condition, EXISTS makes it read all rows of the resource.
  semiJoin: ({ ours, theirs, from, where }, isChoice) =>
    isChoice ? sql`${ours} = ANY (ARRAY(SELECT ${theirs} FROM ${from} WHERE ${where}))` : undefined,
  placeholder: (position) => `$${position}`,

  constant: (value, type) => given(value, CASTS[type]),
  array: renderArray,
  isTrue: (boolean) => boolean,
  isFalse: (boolean) => sql`NOT ${boolean}`,
  same: (a, b) => sql`${a} IS NOT DISTINCT FROM ${b}`,
  differ: (a, b) => sql`${a} IS DISTINCT FROM ${b}`,
  real: (integer) => sql`${integer}::float8`,
  decimal: (decimal) => sql`CASE WHEN ${decimal} = 'NaN' THEN 'NaN' ELSE ${nearestDouble(decimal)} END`,
  asText: (column) => sql`${column}::text`,
  stored: (text, type) => given(text, type === 'uuid' ? '::uuid' : '::bigint'),
  // As text: `citext` ignores case regardless of its collation.
  byBytes: (text) => sql`${text}::text COLLATE "C"`,
  isMoment: (timestamp) => sql`${timestamp} BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00'`,

  startsWith: (text, { sql: start }) => sql`starts_with(${text}, ${start})`,
  endsWith: (text, { sql: end }) => sql`right(${text}, length(${end})) = ${end}`,
  contains: (text, { sql: part }) => sql`strpos(${text}, ${part}) > 0`,
  length: (text) => sql`char_length(${text})`,
  concat: (a, b) => sql`(${a} || ${b})`,
  pieces: (text, separator) => {
    const [bytes, by] = [sql`${text}::text COLLATE "C"`, given(separator, '::text')];
    return sql`((char_length(${bytes}) - char_length(replace(${bytes}, ${by}, ''))) / ${String([...separator].length)} + 1)`;
  },
  piece: (text, separator, position) =>
    sql`CASE WHEN ${POSTGRESQL.pieces(text, separator)} > ${String(position)} THEN split_part(${text}::text COLLATE "C", ${given(separator, '::text')}, ${String(position + 1)}) END`,
  calendarField: (timestamp, accessor, hasZone) => {
    const [field, less] = CALENDAR_FIELDS[accessor] as readonly [string, number];
    const local = hasZone ? sql`${timestamp} AT TIME ZONE 'UTC'` : timestamp;
    return sql`(floor(extract(${field} FROM ${local}))::integer - ${String(less)})`;
  },
  apart: (left, right) => sql`(${left} - ${right})`,
  timeApart: (microseconds) => given(`${microseconds} microseconds`, '::interval'),
  // In this collation only ASCII letters have a case.
  lower: (text) => sql`lower(${text}::text COLLATE "C")`,
  upper: (text) => sql`upper(${text}::text COLLATE "C")`,

  document: (column, nulls) =>
    nulls === 'missing'
      ? { ...json(sql`NULLIF(${column}, 'null'::jsonb)`), column }
      : json(nulls === 'null' ? sql`coalesce(${column}, 'null'::jsonb)` : column),
  // A document contains neither NUL nor an unpaired surrogate, and a parameter cannot contain them.
  field: (object, name) =>
    /\0|\p{Surrogate}/u.test(name) ? undefined : json(sql`(${object.column ?? object.sql} -> ${plainName(name)})`),
  // `->` treats a scalar as a list with one element.
  element: (array, position) => json(sql`(${onlyArray(array)} -> ${String(position)})`),
  hasType: ({ type: named, column }, type) =>
    sql`${column === undefined || type === 'null' ? named : sql`jsonb_typeof(${column})`} = ${`'${TYPES[type]}'`}`,
  isOtherThan: ({ type: named }, type) => sql`${named} <> ${`'${TYPES[type]}'`}`,
  moment: ({ sql: value }) =>
    sql`CASE WHEN ${value} #>> '{}' ~ ${`'${RFC_3339}'`} THEN (${value} #>> '{}')::timestamptz END`,
  mayBeMoment: ({ sql: value }) => sql`${value} #>> '{}' LIKE '____-__-__T__:__:__%'`,
  as: (value, type) => {
    const read =
      type === 'text'
        ? sql`${value.sql} #>> '{}'`
        : type === 'number'
          ? nearestDouble(value.sql)
          : sql`${value.sql}::boolean`;
    return sql`CASE WHEN ${value.type} = ${`'${TYPES[type]}'`} THEN ${read} END`;
  },
  // Numbers of documents are decimals, and two of them may be the same double.
  equals: ({ sql: value }, operator, constant) =>
    typeof constant === 'number' ? undefined : sql`${value} ${operator} to_jsonb(${jsonParameter(constant)})`,
  among: ({ sql: value }, constants, isIn) => {
    if (constants.some((constant) => typeof constant === 'number')) return undefined;
    const array = constants.every((constant) => typeof constant === 'string')
      ? renderArray(constants, 'text')
      : undefined;
    if (array !== undefined)
      return sql`${value} ${isIn ? '= ANY' : '<> ALL'} (ARRAY(SELECT to_jsonb("authz_text") FROM unnest(${array}) AS "authz_text"))`;
    const options = constants.map((constant) => sql`to_jsonb(${jsonParameter(constant as string | boolean)})`);
    return sql`${value} ${isIn ? 'IN' : 'NOT IN'} (${listed(options)})`;
  },
  holds: ({ sql: document, column: list = document, array }, constant) => {
    if (typeof constant === 'number') return undefined;
    const isHeld = sql`${list} @> to_jsonb(${jsonParameter(constant)})`;
    // An index on the array finds more if it has several dimensions.
    return array === undefined || typeof constant === 'boolean'
      ? isHeld
      : allOf(sql`${array}::text[] @> ARRAY[${jsonParameter(constant)}]`, isHeld);
  },
  holdsText: (list, text) => sql`${list} @> (SELECT to_jsonb(${text}))`,
  itemsFunction: undefined,
  items: (value, type, alias) => {
    const only = type === 'array' ? onlyArray(value) : sql`CASE ${value.type} WHEN 'object' THEN ${value.sql} END`;
    if (type === 'object')
      return {
        from: sql`jsonb_each(${only}) AS ${alias}`,
        key: sql`${alias}.key`,
        element: json(sql`${alias}.value`),
      };
    return {
      from: sql`jsonb_array_elements(${only}) WITH ORDINALITY AS ${alias}`,
      key: sql`(${alias}.ordinality - 1)`,
      element: json(sql`${alias}.value`),
    };
  },
  size: (value) => {
    const array = sql`WHEN 'array' THEN jsonb_array_length(${value.sql})`;
    const object = sql`WHEN 'object' THEN (SELECT count(*) FROM jsonb_object_keys(${value.sql}))`;
    return sql`CASE ${value.type} ${array} ${object} WHEN 'string' THEN char_length(${value.sql} #>> '{}') END`;
  },
};

/** The fields of accessors, and what these count less. */
const CALENDAR_FIELDS: { readonly [accessor: string]: readonly [field: string, less: number] } = {
  getFullYear: ['YEAR', 0],
  getMonth: ['MONTH', 1],
  getDate: ['DAY', 0],
  getDayOfMonth: ['DAY', 1],
  getDayOfWeek: ['DOW', 0],
  getDayOfYear: ['DOY', 1],
  getHours: ['HOUR', 0],
  getMinutes: ['MINUTE', 0],
  getSeconds: ['SECOND', 0],
};

/** Fewer constants are a parameter each. */
const FEWEST_IN_ARRAY = 100;

/**
 * Many constants as an array in one string, which every driver passes on. `string_to_array` is immutable: the planner knows the elements, and
 * compares them by hash where it uses no index.
 */
function renderArray(values: readonly (string | number)[], type: ScalarType): Sql | undefined {
  if (values.length < FEWEST_IN_ARRAY) return undefined;
  const separator = SEPARATORS.find((one) => !values.some((value) => typeof value === 'string' && value.includes(one)));
  if (separator === undefined) return undefined;
  const texts = sql`string_to_array(${given(values.join(separator), '::text')}, ${given(separator, '::text')})`;
  return type === 'text' ? texts : sql`${texts}${CASTS[type]}[]`;
}

/** Strings that may stand between the elements of an array: one that no element contains is used. */
const SEPARATORS = [',', '\u001f', '\u001e', '\u001d', '\u001c', '\ue000', '\ue001', '\uf8ff'];

/** A string has the type of the column it is compared with: `text`, `varchar`, `citext` or a user-defined type. */
const CASTS = {
  text: '',
  integer: '::bigint',
  number: '::float8',
  boolean: '::boolean',
  timestamp: '::timestamptz',
} as const;

const TYPES: { readonly [type in JsonType]: string } = {
  null: 'null',
  boolean: 'boolean',
  number: 'number',
  text: 'string',
  array: 'array',
  object: 'object',
};

function json(value: Sql): Json {
  return { kind: 'json', sql: value, type: sql`jsonb_typeof(${value})` };
}

/**
 * Timestamps of RFC 3339 that `timestamptz` holds exactly: up to six digits of a second, an offset below 15 hours, and
 * years that stay within 1 to 9999 in UTC. The cast makes the statement fail for a day that does not exist. Only
 * strings match: no other value of a document is written with a `T` after a digit.
 */
const RFC_3339 = ((): string => {
  const days31 = '(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])';
  const days30 = '(0[469]|11)-(0[1-9]|[12][0-9]|30)';
  const february = '02-(0[1-9]|1[0-9]|2[0-8])';
  const leapYear = '([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
  const date = `(?!0000|0001|9999)([0-9]{4}-(${days31}|${days30}|${february})|${leapYear}-02-29)`;
  return `^${date}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])$`;
})();

/** NULL if it is not an array. */
function onlyArray({ sql: document, type, column }: Json): Sql {
  const value = column ?? document;
  return sql`CASE ${column === undefined ? type : sql`jsonb_typeof(${column})`} WHEN 'array' THEN ${value} END`;
}

function plainName(name: string): Sql {
  return /^[A-Za-z_]\w*$/.test(name) ? sql`${`'${name}'`}` : given(name, '::text');
}

/**
 * A number of a document, rounded as JSON.parse does: a cast makes the statement fail if it is too large or too small
 * for a double.
 */
function nearestDouble(number: Sql): Sql {
  const large = sql`WHEN ${number} > '${LARGEST}' THEN 'Infinity' WHEN ${number} < '-${LARGEST}' THEN '-Infinity'`;
  return sql`CASE ${large} WHEN ${number} BETWEEN '-${SMALLEST}' AND '${SMALLEST}' THEN 0 ELSE ${number}::float8 END`;
}

/** Just below the first number that is rounded to infinity. */
const LARGEST = '1.79769313486231580793e308';
/** Just above the last number that is rounded to zero. */
const SMALLEST = '2.4703282292062327209e-324';

function jsonParameter(constant: string | boolean): Sql {
  return given(constant, typeof constant === 'string' ? '::text' : '::boolean');
}
