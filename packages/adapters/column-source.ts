/** Sources of facts that read columns of rows by the mapping that conditions are made by, for the adapters. */
import { absent, type FactSource, type FactType, type RowLock } from '../../runtime/facts/index.js';
import type { SqlDialect } from '../../runtime/residual/sql/index.js';
import { type RowReader, rowReader } from './attributes.js';
import type { Mapping, StoredTable } from './condition.js';

/** What a source has beside its table: which kind it is for, and options such as `cache`. */
export type FactsOf = Pick<FactSource, 'of'> &
  Partial<
    Pick<FactSource, 'name' | 'cost' | 'deadline' | 'maxKeys' | 'cache' | 'notFound' | 'when' | 'caller' | 'selects'>
  > & {
    /** The attributes to read. Default: all that the mapping has a column for. */
    readonly provides?: readonly string[] | undefined;
  };

/** A name of SQL in quotes. */
export function quoteName(name: string, dialect: SqlDialect): string {
  const mark = dialect === 'mysql' ? '`' : '"';
  return `${mark}${name.replaceAll(mark, mark + mark)}${mark}`;
}

/** The name of a table in quotes, with its schema if it has one. */
export function quotePath(name: string, dialect: SqlDialect): string {
  if (name.includes('\0')) throw new TypeError('a name contains NUL');
  return name
    .split('.')
    .map((part) => quoteName(part, dialect))
    .join('.');
}

/** Reads the columns of the rows with some ids. */
export type FetchRows = (
  columns: readonly string[],
  id: string,
  keys: readonly (string | number | bigint)[],
  tx: unknown,
  /** How the rows are locked, in the order of their ids: two transactions must not wait for each other. */
  lock: RowLock | undefined,
  /** The attributes that are read of the rows. */
  attributes: readonly string[],
) => PromiseLike<readonly object[]>;

/** What reads an attribute of rows. */
export interface ColumnReader {
  readonly attribute: string;
  readonly columns: readonly string[];
  readonly type: FactType;
  readonly reader: Pick<RowReader<object, object>, 'attributesOf'>;
}

/** How ids are stored. */
export interface StoredId {
  readonly column: string;
  readonly type: string;
}

/** A source that reads columns by the id of the resource. */
export function columnSource(
  { provides, cost = 1, ...options }: FactsOf,
  all: readonly ColumnReader[],
  id: StoredId,
  fetchRows: FetchRows,
  locks = true,
): FactSource {
  const provided = provides === undefined ? all : provides.map((attribute) => requireReader(attribute, all));
  const selected = listSelected(options).map((attribute) => requireReader(attribute, all));
  const readers = [...new Set([...provided, ...selected])];
  return {
    ...options,
    cost,
    locks,
    provides: provided.map(({ attribute }) => attribute),
    types: Object.fromEntries(provided.map(({ attribute, type }) => [attribute, type])),
    // The mapping says what NULL is.
    nulls: 'null',
    load: async (keys, { tx, lock, wanted }) => {
      const own = readers.filter(({ attribute }) => wanted.names.includes(attribute));
      const found = new Map<string, unknown>();
      const asked = new Map<string, string | number | bigint>();
      for (const key of keys) {
        const stored = storedKey(key, id.type);
        if (stored === INVALID) found.set(key, INVALID);
        else if (stored !== NO_ROW) asked.set(key, stored);
      }
      const columns = [...new Set([id.column, ...own.flatMap((reader) => reader.columns)])];
      const attributes = own.map(({ attribute }) => attribute);
      const rows =
        asked.size === 0 ? [] : await fetchRows(columns, id.column, [...asked.values()], tx, lock, attributes);
      for (const row of rows) {
        const key = String((row as { readonly [column: string]: unknown })[id.column]);
        // Two rows of one id: which of them decides is not known.
        found.set(key, found.has(key) ? INVALID : Object.fromEntries(own.map((reader) => readFact(reader, row))));
      }
      // The database has found a row by another spelling of its id: that a key has no row is then not known.
      if ([...found.keys()].some((key) => !keys.includes(key)))
        for (const key of asked.keys()) if (!found.has(key)) found.set(key, INVALID);
      return found as ReadonlyMap<string, object>;
    },
  };
}

/** The attributes that choose policies. */
export function listSelected({ selects = {} }: Pick<FactsOf, 'selects'>): readonly string[] {
  return Object.values(selects).filter((attribute) => typeof attribute === 'string');
}

/** What no source accepts as a row or a value. */
const INVALID = Symbol('invalid');
/** An id that no row can have. */
const NO_ROW = Symbol('no row');

/**
 * An id as the column stores it: one hostile id must not fail the query of all others. One that a statement of the
 * application could read as the id of a row, such as `01`, is invalid and not without a row.
 */
function storedKey(key: string, type: string): string | number | bigint | typeof INVALID | typeof NO_ROW {
  if (key.includes('\0')) return INVALID;
  if (type === 'integer' || type === 'integer-as-text') {
    if (!/^(0|-?[1-9]\d{0,18})$/.test(key)) return /\p{Nd}/u.test(key) ? INVALID : NO_ROW;
    const number = BigInt(key);
    if (number !== BigInt.asIntN(64, number)) return INVALID;
    return Number.isSafeInteger(Number(key)) ? Number(key) : number;
  }
  if (type !== 'uuid' || /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(key)) return key;
  return key.replace(/[^\da-f]/gi, '').length === 32 ? INVALID : NO_ROW;
}

function readFact({ attribute, reader }: ColumnReader, row: object): readonly [string, unknown] {
  try {
    const value = (reader.attributesOf(row) as { readonly [name: string]: unknown })[attribute];
    return [attribute, value === undefined ? absent : value];
  } catch {
    return [attribute, INVALID];
  }
}

function requireReader(attribute: string, readers: readonly ColumnReader[]): ColumnReader {
  const found = readers.find((reader) => reader.attribute === attribute);
  if (found === undefined) throw new TypeError(`\`${attribute}\` has no column in the mapping`);
  return found;
}

/** The attributes of a mapping that columns of its table hold, by their first names. */
export function mappedReaders(
  mapping: Mapping<string>,
  table: StoredTable,
  relatedTable: (name: string) => StoredTable,
): readonly ColumnReader[] {
  const names = new Set(Object.keys(mapping.attributes).map((path) => path.split('.')[0] as string));
  return [...names].flatMap((attribute) => {
    const own = Object.entries(mapping.attributes).filter(([path]) => path.split('.')[0] === attribute);
    const columns = own.flatMap(([, stored]) => ('relation' in stored ? [] : [stored]));
    if (columns.length < own.length) return [];
    const reader = rowReader(table, { ...mapping, attributes: Object.fromEntries(own) }, relatedTable);
    const [only] = own;
    const type = only?.[0] === attribute && columns.length === 1 ? typeOfColumn(columns[0]?.type ?? '') : 'map';
    return [{ attribute, columns: columns.map(({ column }) => column), type, reader }];
  });
}

/** The type of the attribute that a column of a type holds. */
export function typeOfColumn(type: string): FactType {
  switch (type) {
    case 'integer':
    case 'number':
    case 'decimal':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'timestamp':
    case 'epoch-seconds':
    case 'epoch-milliseconds':
      return 'timestamp';
    case 'list':
    case 'text[]':
      return 'list';
    case 'json':
      return 'any';
    default:
      return 'string';
  }
}

/** The column of the id of a mapping. */
export function requireId({ id }: Mapping<string>, table: string): StoredId {
  if (id === undefined) throw new TypeError(`the mapping of \`${table}\` has no \`id\`, by which rows are found`);
  return id;
}
