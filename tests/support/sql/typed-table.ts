import type { Attributes } from '../../../runtime/policy/index.js';
import type { Random } from '../oracle/random.js';
import type { SqlColumn, SqlDialect, SqlTable } from '../../../runtime/residual/sql/index.js';
import { documentOf, hostileAttributes, NUMBERS, TEXTS } from './hostile-rows.js';

/** A row of the typed table: the content of each column, and the attributes that check gets. */
export interface TypedRow {
  readonly id: string;
  readonly attr: Attributes;
  /** Alternative attributes for check, where JSON cannot represent the content exactly. */
  readonly orTold?: Attributes;
  readonly cells: readonly Cell[];
}

export type Cell = string | number | bigint | boolean | null;

/**
 * The attributes that random policies read, each with a column of a type. NULL means a missing attribute, and for some
 * columns null.
 */
const TYPED_TABLE: SqlTable & { readonly columns: { readonly [attribute: string]: SqlColumn } } = {
  name: 'things',
  id: { column: 'id', type: 'text' },
  columns: {
    a: { column: 'things.a', type: 'text' },
    b: { column: 'b', type: 'text', null: 'null' },
    s: { column: 's', type: 'text' },
    owner: { column: 'Owner', type: 'text', null: 'null' },
    n: { column: 'n', type: 'integer' },
    m: { column: 'm', type: 'number', null: 'null' },
    big: { column: 'big', type: 'integer', null: 'null' },
    flag: { column: 'flag', type: 'boolean' },
    maybe: { column: 'maybe', type: 'boolean', null: 'null' },
    at: { column: 'at', type: 'timestamp' },
    list: { column: 'list', type: 'list' },
    items: { column: 'items', type: 'list', null: 'null' },
    map: { column: 'map', type: 'json' },
    any: { column: 'any', type: 'json', null: 'null' },
    'place.city': { column: 'place_city', type: 'text' },
    nick: { column: 'nick', type: 'text', collation: 'other' },
    word: { column: 'word', type: 'text', null: 'null' },
    code: { column: 'code', type: 'text', collation: 'binary' },
    tag: { column: 'tag', type: 'text', collation: 'other', null: 'null' },
    until: { column: 'until', type: 'timestamp', null: 'null' },
  },
};

/**
 * The table for a database, with columns of several collations. The collation of `word` is the usual one of the
 * dialect.
 */
export function typedTable(dialect: SqlDialect): SqlTable {
  if (dialect !== 'sqlite') return TYPED_TABLE;
  return {
    ...TYPED_TABLE,
    columns: { ...TYPED_TABLE.columns, word: { column: 'word', type: 'text', null: 'null', collation: 'other' } },
  };
}

/** By dialect and column: the type where it is not the usual one. */
const COLLATED: { readonly [dialect in SqlDialect]: { readonly [column: string]: string } } = {
  sqlite: { nick: 'TEXT COLLATE NOCASE', word: 'TEXT COLLATE RTRIM', tag: 'TEXT COLLATE NOCASE' },
  postgresql: {
    a: 'text COLLATE words',
    s: 'text COLLATE words',
    nick: 'text COLLATE nocase',
    word: 'varchar COLLATE "POSIX"',
    code: 'text COLLATE "C"',
    tag: 'citext',
  },
  mysql: {
    nick: 'varchar(100) COLLATE utf8mb4_unicode_ci',
    word: 'varchar(100) COLLATE utf8mb4_danish_ci',
    code: 'varchar(100) COLLATE utf8mb4_nopad_bin',
    tag: 'varchar(100) COLLATE utf8mb4_bin',
  },
};

/** The names of its columns, in the order of the cells. */
export const COLUMNS: readonly string[] = Object.values(TYPED_TABLE.columns).map(
  ({ column }) => column.split('.').at(-1) as string,
);

/** The statement that creates the table. */
export function createTable(dialect: SqlDialect): string {
  const types: { readonly [type: string]: string } =
    dialect === 'postgresql'
      ? {
          text: 'text',
          integer: 'bigint',
          number: 'double precision',
          boolean: 'boolean',
          timestamp: 'timestamptz',
          json: 'jsonb',
          list: 'jsonb',
        }
      : dialect === 'mysql'
        ? {
            text: 'text',
            integer: 'bigint',
            number: 'double',
            boolean: 'boolean',
            timestamp: 'datetime(6)',
            json: 'json',
            list: 'json',
          }
        : {
            text: 'TEXT',
            integer: 'INTEGER',
            number: 'REAL',
            boolean: 'INTEGER',
            timestamp: 'TEXT',
            json: 'TEXT',
            list: 'TEXT',
          };
  const quote = dialect === 'mysql' ? '`' : '"';
  const columns = Object.values(TYPED_TABLE.columns).map(
    ({ type }, index) =>
      `${quote}${COLUMNS[index]}${quote} ${COLLATED[dialect][COLUMNS[index] as string] ?? types[type]}`,
  );
  return `CREATE TABLE things (position integer PRIMARY KEY, id text, ${columns.join(', ')})`;
}

/** A random row of the table, with equal content for the database and for check, type by type. */
export function typedRow(random: Random, dialect: SqlDialect): TypedRow {
  const hostile = hostileAttributes(random);
  const values: { [name: string]: unknown } = { place: {} };
  const cells = Object.entries(TYPED_TABLE.columns).map(([name, column]): Cell => {
    const content = random.chance(0.18) ? undefined : contentOf(random, dialect, name, column.type, hostile);
    if (content === undefined) {
      if (column.null === 'null') put(values, name, null);
      return null;
    }
    put(values, name, content.told);
    return content.stored;
  });
  const id = random.pick(['r', 'x', 'r\u00e9', 'u1', 'R']);
  return {
    id,
    attr: values as Attributes,
    cells,
    ...(Number.isNaN(values.m) ? { orTold: { ...values, m: null } as Attributes } : {}),
  };
}

interface Content {
  readonly told: unknown;
  readonly stored: Cell;
}

function contentOf(
  random: Random,
  dialect: SqlDialect,
  name: string,
  type: string,
  hostile: Attributes,
): Content | undefined {
  const withoutNul = <T>(value: T): T =>
    dialect === 'postgresql' ? (JSON.parse(documentOf(value).replaceAll('\\u0000', '')) as T) : value;
  switch (type) {
    case 'text': {
      const usual = { owner: ['u1', 'u2', 'someone', 'U1', 'u1 '], a: ['x', 'y', 'z', '', 'X', 'x '] }[name];
      const text = withoutNul(
        random.pick(usual !== undefined && random.chance(0.7) ? usual : [...TEXTS, ...COLLATING]),
      );
      return { told: text, stored: text };
    }
    case 'integer': {
      const integer = random.pick(INTEGERS);
      return { told: Number(integer), stored: integer };
    }
    case 'number': {
      const number = random.pick([
        ...NUMBERS,
        2.5,
        0.5,
        2,
        83.33333333333333,
        83.33333333333334,
        ...UNUSUAL_NUMBERS[dialect],
      ]);
      return { told: number, stored: number };
    }
    case 'boolean': {
      const flag = random.chance(0.5);
      return { told: flag, stored: dialect === 'postgresql' ? flag : Number(flag) };
    }
    case 'timestamp': {
      const text = random.pick(TIMES);
      const unusual = Object.entries(UNUSUAL_TIMES[dialect]);
      if (random.chance(0.2)) return ofEntry(random.pick(unusual));
      return { told: text, stored: dialect === 'mysql' ? text.replace('T', ' ').replace('Z', '') : text };
    }
    case 'list': {
      if (random.chance(0.15)) return raw(random.pick(UNUSUAL_LISTS));
      const list = hostile[name];
      return Array.isArray(list) ? document(withoutNul(list)) : undefined;
    }
    default: {
      if (random.chance(0.15))
        return raw(
          random.pick(dialect === 'postgresql' ? [...UNUSUAL_DOCUMENTS, '{"a":"x","a":"y"}'] : UNUSUAL_DOCUMENTS),
        );
      const value = name === 'any' ? hostile[random.pick(['s', 'm', 'list', 'map', 'flag'])] : hostile[name];
      return value === undefined ? undefined : document(withoutNul(value));
    }
  }
}

function document(value: unknown): Content {
  return { told: value, stored: documentOf(value) };
}

function raw(stored: string): Content {
  return { told: JSON.parse(stored) as unknown, stored };
}

function ofEntry([stored, told]: readonly [string, string]): Content {
  return { told, stored };
}

/** Uses JSON.parse, so that `__proto__` is a name like any other. */
function put(values: { [name: string]: unknown }, name: string, value: unknown): void {
  const [parent, field] = name.split('.') as [string, string?];
  if (field === undefined) values[parent] = value;
  else values[parent] = { ...(values[parent] as object), [field]: value };
}

/** Strings that some collation treats as equal to another one. */
const COLLATING: readonly string[] = [
  'x ',
  'x\t',
  'É',
  'E\u0301',
  'ss',
  'SS',
  'aa',
  'å',
  'Å',
  'ﬁ',
  'fi',
  'İ',
  'i',
  'ch',
  'xyz',
  'XY',
  ' ',
  'U1',
];

const UNUSUAL_NUMBERS: { readonly [dialect in SqlDialect]: readonly number[] } = {
  sqlite: [Infinity, -Infinity],
  postgresql: [Number.NaN, Number.NaN, Infinity, -Infinity],
  mysql: [],
};

/** Invalid times for check, as stored and as passed to check. */
const UNUSUAL_TIMES: { readonly [dialect in SqlDialect]: { readonly [stored: string]: string } } = {
  sqlite: Object.fromEntries(
    ['+010000-01-01T00:00:00.000Z', '-000001-01-01T00:00:00.000Z', '0000-06-01T00:00:00.000Z'].map((text) => [
      text,
      text,
    ]),
  ),
  postgresql: {
    infinity: 'infinity',
    '-infinity': '-infinity',
    '0044-03-15 00:00:00+00 BC': '-000043-03-15T00:00:00Z',
    '10000-01-01 00:00:00+00': '+010000-01-01T00:00:00Z',
    '9999-12-31 23:59:59.999999+00': '9999-12-31T23:59:59.999999Z',
    '0001-01-01 00:00:00+00': '0001-01-01T00:00:00Z',
  },
  mysql: {
    '0000-00-00 00:00:00': '0000-00-00T00:00:00Z',
    '2020-00-00 00:00:00': '2020-00-00T00:00:00Z',
    '2020-05-00 00:00:00': '2020-05-00T00:00:00Z',
    '2020-02-31 00:00:00': '2020-02-31T00:00:00Z',
    '0000-06-01 00:00:00': '0000-06-01T00:00:00Z',
    '9999-12-31 23:59:59.999999': '9999-12-31T23:59:59.999999Z',
  },
};

/** Values that are not arrays in a list column, and numbers that are not doubles. */
const UNUSUAL_LISTS: readonly string[] = [
  '"x"',
  '1',
  'null',
  'true',
  '[1e400, "x"]',
  '[1e-400]',
  '[["x"]]',
  '["x", ["x"]]',
  '[{"a": 1e400}]',
  '[[["x"]]]',
];
const UNUSUAL_DOCUMENTS: readonly string[] = [
  '{"a":1e400}',
  '{"a":-1e400,"n":1e-400}',
  '{"a":1e-400}',
  '1e400',
  '{"a":{"n":1e309}}',
  '{"n":123456789012345678901234567890}',
  '"x"',
  '["x"]',
  '[["x"],"x"]',
  '{"a":0.1000000000000000055511151231257827}',
  '{"n":1.7976931348623158e308}',
  '{"a":["x"],"n":"x"}',
  '{"list":"x"}',
  '[1e400,"x",1]',
  '{"a":4.9e-324}',
  '{"a":2e-324}',
  '{"a":"x","list":["x"]}',
];

const INTEGERS: readonly bigint[] = [
  0n,
  1n,
  2n,
  3n,
  4n,
  5n,
  8n,
  -1n,
  -2n,
  100n,
  2n ** 31n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 60n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];

export const TIMES: readonly string[] = [
  '2020-01-01T00:00:00.000Z',
  '2020-01-01T00:00:00.001Z',
  '2019-12-31T23:59:59.999Z',
  '1969-07-20T20:17:40.000Z',
  '2024-02-29T12:00:00.500Z',
  '2999-12-31T23:59:59.999Z',
];
