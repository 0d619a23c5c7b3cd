import type { Attributes } from '#runtime/policy';
import type { Random } from '../oracle/random.js';
import type { SqlDialect, SqlTable } from '../../runtime/residual/sql/index.js';
import { documentOf, hostileAttributes, NUMBERS, TEXTS } from './hostile-rows.js';

/** A row of the typed table: what each column holds, and what check is told of it. */
export interface TypedRow {
  readonly id: string;
  readonly attr: Attributes;
  readonly cells: readonly Cell[];
}

export type Cell = string | number | bigint | boolean | null;

/** The attributes that random policies read, each with a column of a type; with NULL as no attribute, and for some as null. */
export const TYPED_TABLE: SqlTable = {
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
  },
};

/** The names of its columns, in the order of the cells. */
export const COLUMNS: readonly string[] = Object.values(TYPED_TABLE.columns).map(({ column }) => column.split('.').at(-1) as string);

/** The statement that makes the table. */
export function createTable(dialect: SqlDialect): string {
  const types: { readonly [type: string]: string } =
    dialect === 'postgresql'
      ? { text: 'text', integer: 'bigint', number: 'double precision', boolean: 'boolean', timestamp: 'timestamptz', json: 'jsonb', list: 'jsonb' }
      : dialect === 'mysql'
        ? { text: 'text', integer: 'bigint', number: 'double', boolean: 'boolean', timestamp: 'datetime(6)', json: 'json', list: 'json' }
        : { text: 'TEXT', integer: 'INTEGER', number: 'REAL', boolean: 'INTEGER', timestamp: 'TEXT', json: 'TEXT', list: 'TEXT' };
  const quote = dialect === 'mysql' ? '`' : '"';
  const columns = Object.values(TYPED_TABLE.columns).map(({ type }, index) => `${quote}${COLUMNS[index]}${quote} ${types[type]}`);
  return `CREATE TABLE things (position integer PRIMARY KEY, id text, ${columns.join(', ')})`;
}

/** A row of the table: what the database stores is what check is told, type by type. */
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
  return { id: random.pick(['r', 'x', 'r\u00e9', 'u1', 'R']), attr: values as Attributes, cells };
}

interface Content {
  readonly told: unknown;
  readonly stored: Cell;
}

function contentOf(random: Random, dialect: SqlDialect, name: string, type: string, hostile: Attributes): Content | undefined {
  const withoutNul = <T>(value: T): T => (dialect === 'postgresql' ? (JSON.parse(documentOf(value).replaceAll('\\u0000', '')) as T) : value);
  switch (type) {
    case 'text': {
      const usual = { owner: ['u1', 'u2', 'someone', 'U1', 'u1 '], a: ['x', 'y', 'z', '', 'X', 'x '] }[name];
      const text = withoutNul(random.pick(usual !== undefined && random.chance(0.7) ? usual : TEXTS));
      return { told: text, stored: text };
    }
    case 'integer': {
      const integer = random.pick(INTEGERS);
      return { told: Number(integer), stored: integer };
    }
    case 'number': {
      const number = random.pick([...NUMBERS, 2.5, 0.5, 2, 83.33333333333333, 83.33333333333334]);
      return { told: number, stored: number };
    }
    case 'boolean': {
      const flag = random.chance(0.5);
      return { told: flag, stored: dialect === 'postgresql' ? flag : Number(flag) };
    }
    case 'timestamp': {
      const text = random.pick(TIMES);
      return { told: text, stored: dialect === 'mysql' ? text.replace('T', ' ').replace('Z', '') : text };
    }
    case 'list': {
      const list = hostile[name];
      return Array.isArray(list) ? document(withoutNul(list)) : undefined;
    }
    default: {
      const value = name === 'any' ? hostile[random.pick(['s', 'm', 'list', 'map', 'flag'])] : hostile[name];
      return value === undefined ? undefined : document(withoutNul(value));
    }
  }
}

function document(value: unknown): Content {
  return { told: value, stored: documentOf(value) };
}

/** JSON's own, so that `__proto__` is a name like any other. */
function put(values: { [name: string]: unknown }, name: string, value: unknown): void {
  const [parent, field] = name.split('.') as [string, string?];
  if (field === undefined) values[parent] = value;
  else values[parent] = { ...(values[parent] as object), [field]: value };
}

const INTEGERS: readonly bigint[] = [0n, 1n, 2n, 3n, 4n, 5n, 8n, -1n, -2n, 100n, 2n ** 31n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 60n, 2n ** 63n - 1n, -(2n ** 63n)];

export const TIMES: readonly string[] = ['2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.001Z', '2019-12-31T23:59:59.999Z', '1969-07-20T20:17:40.000Z', '2024-02-29T12:00:00.500Z', '2999-12-31T23:59:59.999Z'];
