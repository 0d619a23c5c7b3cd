import type { JsonValue } from '../../../compiler/ast/policy.js';
import type { SqlColumn, SqlDialect, SqlTable, SqlType } from '../../../runtime/residual/sql/index.js';
import type { Random } from '../oracle/random.js';
import { FIELDS, NAMES, type SchemaObject } from '../plan/random-schemas.js';

/** A table without relations. */
export interface StoredTable extends SqlTable {
  readonly columns: { readonly [attributePath: string]: SqlColumn };
}

/** The value that a database stores. */
export type Cell = string | number | boolean | null;

const TYPES: { readonly [dialect in SqlDialect]: { readonly [type in SqlType]?: string } } = {
  sqlite: {
    text: 'TEXT',
    integer: 'INTEGER',
    number: 'REAL',
    boolean: 'INTEGER',
    timestamp: 'TEXT',
    json: 'TEXT',
    list: 'TEXT',
  },
  postgresql: {
    text: 'text',
    integer: 'bigint',
    number: 'double precision',
    boolean: 'boolean',
    timestamp: 'timestamptz',
    json: 'jsonb',
    list: 'jsonb',
  },
  mysql: { text: 'text', integer: 'bigint', number: 'double', boolean: 'boolean', timestamp: 'datetime(6)' },
};

/** Attributes that have columns. */
const ATTRIBUTES = [...NAMES, 'x', 'n', 'constructor'];
const PATHS = [...ATTRIBUTES, ...NAMES.flatMap((name) => FIELDS.map((field) => `${name}.${field}`))];

/** Creates the table `rows`, which has a column of each type for each attribute and its fields. */
export function createTable(dialect: SqlDialect): string {
  const columns = PATHS.flatMap((path) =>
    Object.entries(TYPES[dialect]).map(([type, written]) => `${columnName(path, type)} ${written}`),
  );
  return `CREATE TABLE stored_rows (position integer, ${columns.join(', ')})`;
}

function columnName(path: string, type: string): string {
  return `c_${path.replace('.', '_')}_${type}`;
}

/**
 * Maps each attribute to a column of the type that its schema has, or of another one, and sometimes objects to columns
 * of their fields.
 */
export function tableOf(
  random: Random,
  dialect: SqlDialect,
  { properties }: SchemaObject,
  listed: SchemaObject,
): StoredTable {
  const columns = ATTRIBUTES.filter((name) => !Object.hasOwn(listed, name)).flatMap(
    (name): readonly (readonly [string, SqlColumn])[] => {
      const schema = memberOf(properties, name);
      const isObject = (NAMES as readonly string[]).includes(name) && memberOf(schema, 'properties') !== undefined;
      if (isObject && (dialect === 'mysql' || random.chance(0.4)))
        return FIELDS.flatMap((field) =>
          columnOf(random, dialect, `${name}.${field}`, memberOf(memberOf(schema, 'properties'), field)),
        );
      return columnOf(random, dialect, name, schema);
    },
  );
  return { name: 'stored_rows', columns: Object.fromEntries(columns) };
}

function memberOf(schema: JsonValue | undefined, name: string): JsonValue | undefined {
  const isMap = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
  return isMap && Object.hasOwn(schema, name) ? (schema as SchemaObject)[name] : undefined;
}

function columnOf(
  random: Random,
  dialect: SqlDialect,
  path: string,
  schema: JsonValue | undefined,
): readonly (readonly [string, SqlColumn])[] {
  const type = typeFor(random, dialect, schema);
  const absence = random.chance(0.15) ? random.pick(['null', 'never'] as const) : 'missing';
  return [[path, { column: columnName(path, type), type, null: absence }]];
}

function typeFor(random: Random, dialect: SqlDialect, schema: JsonValue | undefined): SqlType {
  const isDateTime = memberOf(schema, 'format') === 'date-time';
  const wanted = isDateTime && random.chance(0.5) ? 'timestamp' : WANTED[String(memberOf(schema, 'type'))];
  if (dialect === 'mysql')
    return wanted === undefined || wanted === 'list' ? random.pick(['text', 'number', 'boolean', 'integer']) : wanted;
  return wanted !== undefined && random.chance(0.6) ? wanted : 'json';
}

const WANTED: { readonly [type: string]: SqlType | undefined } = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  array: 'list',
};

/** The content of the table for a row, by column; undefined where the table cannot hold it. */
export function cellsOf(
  row: SchemaObject,
  { columns }: StoredTable,
  dialect: SqlDialect,
  listed: SchemaObject,
): { readonly [column: string]: Cell } | undefined {
  const stored = Object.entries(row).filter(([name]) => !Object.hasOwn(listed, name));
  if (!stored.every(([name, value]) => Object.hasOwn(columns, name) || hasFields(name, value, columns)))
    return undefined;
  const parents = new Set(
    Object.keys(columns).flatMap((path) => (path.includes('.') ? [path.slice(0, path.indexOf('.'))] : [])),
  );
  // Check always gets an object if its fields have columns.
  if ([...parents].some((name) => !Object.hasOwn(row, name))) return undefined;
  const cells: { [column: string]: Cell } = {};
  for (const [path, column] of Object.entries(columns)) {
    const [name, field] = path.split('.') as [string, string?];
    const value = field === undefined ? memberOf(row, name) : memberOf(memberOf(row, name), field);
    const cell = cellOf(value, column, dialect);
    if (cell === undefined) return undefined;
    cells[column.column] = cell;
  }
  return cells;
}

function hasFields(name: string, value: JsonValue, columns: StoredTable['columns']): boolean {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return (
    isMap &&
    Object.hasOwn(columns, `${name}.k`) &&
    Object.keys(value).every((field) => Object.hasOwn(columns, `${name}.${field}`))
  );
}

function cellOf(
  value: JsonValue | undefined,
  { type, null: absence }: SqlColumn,
  dialect: SqlDialect,
): Cell | undefined {
  if (value === undefined) return absence === 'missing' ? null : undefined;
  if (value === null && type !== 'json') return absence === 'null' ? null : undefined;
  switch (type) {
    case 'json':
      return value === null && absence === 'null' ? null : JSON.stringify(value);
    case 'list':
      return Array.isArray(value) ? JSON.stringify(value) : undefined;
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'timestamp':
      return typeof value === 'string' && IS_MOMENT.test(value)
        ? dialect === 'mysql'
          ? value.replace('T', ' ').replace('Z', '')
          : value
        : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? (dialect === 'postgresql' ? value : Number(value)) : undefined;
    case 'integer':
      return Number.isSafeInteger(value) ? String(value) : undefined;
    case 'number':
      if (typeof value !== 'number') return undefined;
      return Object.is(value, -0) && dialect === 'postgresql' ? '-0' : value;
    default:
      // tests/sql/column-words.test.ts has the other types.
      return undefined;
  }
}

/** A timestamp in the form that the columns of all databases hold. */
const IS_MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
