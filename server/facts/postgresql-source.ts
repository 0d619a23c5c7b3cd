import { rowReader } from '../../packages/adapters/attributes.js';
import {
  type ColumnReader,
  columnSource,
  type FactsOf,
  listSelected,
  requireId,
  typeOfColumn,
} from '../../packages/adapters/column-source.js';
import { type Mapping, type StoredTable, tableNamed } from '../../packages/adapters/condition.js';
import { sqlFacts } from '../../packages/adapters/facts.js';
import { listRoles } from '../../packages/adapters/user-roles.js';
import type { FactSource } from '../../runtime/facts/index.js';
import type { SqlColumn, SqlTable, SqlUsers } from '../../runtime/residual/sql/index.js';
import { isRelation, type SqlColumns, type SqlRelation } from '../../runtime/residual/sql/table.js';
import type { PoolOptions } from '../outgoing/postgresql-pool.js';
import { firstName, listAttributes, type SourceTable } from './source-tables.js';
import { openReadOnlyPool, type ReadOnlyPool } from './read-only-pool.js';
import { plainName, readRelatedRows, relatedTo } from './related-rows.js';

/** Facts in a table of PostgreSQL. */
export interface PostgresqlSourceOptions extends PoolOptions {
  readonly stored: SourceTable;
  readonly of: FactsOf & { readonly of: string };
}

/** Facts from a table. */
export async function postgresqlSource({ stored, of, ...options }: PostgresqlSourceOptions): Promise<{
  readonly source: FactSource;
  readonly close: () => Promise<void>;
}> {
  const pool = await openReadOnlyPool(options);
  return { source: makeSource(stored, of, pool), close: () => pool.close() };
}

function makeSource({ kind, table }: SourceTable, of: FactsOf, pool: ReadOnlyPool): FactSource {
  if (kind === 'users') return relatedSource(table, of, pool, table);
  const { provides = listAttributes(table.columns) } = of;
  const isOwn = (attribute: string): boolean =>
    !Object.entries(table.columns).some(([path, stored]) => isRelation(stored) && firstName(path) === attribute);
  if ([...provides, ...listSelected(of)].every(isOwn))
    return sqlFacts(pool.run, { ...table, dialect: 'postgresql' }, of);
  return relatedSource(table, of, pool, undefined);
}

/** The names of the attributes that have the roles and the scope of users: no column has such a name. */
const ROLES = '\0roles';
const SCOPE = '\0scope';

/** A source whose rows are read with related ones, and of users with their roles. */
function relatedSource(
  { name, id, columns }: SqlTable,
  of: FactsOf,
  pool: ReadOnlyPool,
  users: SqlUsers | undefined,
): FactSource {
  if (users !== undefined && isRelation(users.roles) && users.roles.closure !== undefined)
    throw new TypeError('`users.roles`: a server does not read roles of several steps (`closure`)');
  const { provides = listAttributes(columns) } = of;
  const wanted: ReadonlySet<string> = new Set([...provides, ...listSelected(of)]);
  const all = Object.fromEntries(Object.entries(columns).filter(([path]) => wanted.has(firstName(path))));
  const read = users === undefined ? all : { ...all, ...columnsOfUsers(users) };
  const attributes = listAttributes(columns).filter((attribute) => wanted.has(attribute));
  const storedId = requireId({ dialect: 'postgresql', attributes: {}, ...(id && { id }) }, name);
  const own = { ...storedId, column: plainName(storedId.column) };
  const readers = attributes.map((attribute) => makeReader(attribute, read, name));
  return columnSource(
    {
      ...of,
      provides,
      ...(users !== undefined && { selects: { roles: ROLES, ...(users.scope !== undefined && { scope: SCOPE }) } }),
    },
    users === undefined ? readers : [...readers, rolesReader(users), scopeReader(users)],
    own,
    (_columns, key, keys, _tx, _lock, names) => {
      const columnsRead = Object.fromEntries(Object.entries(read).filter(([path]) => names.includes(firstName(path))));
      return pool.atOnce((run) =>
        readRelatedRows(run, { name, id: key, columns: columnsRead, where: users?.where }, keys),
      );
    },
    false,
  );
}

/** Reads an attribute of rows with related ones. */
function makeReader(attribute: string, columns: SqlColumns, table: string): ColumnReader {
  const own = Object.entries(columns).filter(([path]) => firstName(path) === attribute);
  const [only] = own;
  const isWhole = own.length === 1 && only?.[0] === attribute;
  return {
    attribute,
    columns: own.flatMap(([, stored]) => (isRelation(stored) ? [] : [plainName(stored.column)])),
    type: isWhole && only !== undefined ? typeOf(only[1]) : 'map',
    reader: rowReader(namedTable(table), asMapping(Object.fromEntries(own)), namedTable),
  };
}

function typeOf(stored: SqlColumn | SqlRelation): ColumnReader['type'] {
  if (!isRelation(stored)) return typeOfColumn(stored.type);
  return stored.relation === 'many' ? 'list' : 'map';
}

/** The columns by which policies about users are chosen. */
function columnsOfUsers({ roles, scope }: SqlUsers): SqlColumns {
  return { [ROLES]: roles, ...(typeof scope === 'object' && { [SCOPE]: scope }) };
}

/** Reads the scope of users: NULL is none. */
function scopeReader({ name, scope }: SqlUsers): ColumnReader {
  if (typeof scope !== 'object')
    // Of users without one, nothing selects it.
    return {
      attribute: SCOPE,
      columns: [],
      type: 'string',
      reader: { attributesOf: () => ({ [SCOPE]: scope ?? '' }) },
    };
  const { columns, reader } = makeReader(SCOPE, { [SCOPE]: scope }, name);
  return {
    attribute: SCOPE,
    columns,
    type: 'string',
    reader: { attributesOf: (row) => ({ [SCOPE]: '', ...reader.attributesOf(row) }) },
  };
}

function rolesReader({ name, roles }: SqlUsers): ColumnReader {
  const { reader } = makeReader(ROLES, { [ROLES]: roles }, name);
  return {
    attribute: ROLES,
    columns: isRelation(roles) ? [] : [plainName(roles.column)],
    type: 'list',
    reader: {
      attributesOf: (row) => {
        const { [ROLES]: stored } = reader.attributesOf(row) as { readonly [name: string]: unknown };
        return { [ROLES]: listRoles(stored, roles, 'postgresql') } as ReturnType<
          ColumnReader['reader']['attributesOf']
        >;
      },
    },
  };
}

/** A mapping of rows whose related rows the database has found, and of which all count. */
function asMapping(columns: SqlColumns): Mapping<string> {
  return { dialect: 'postgresql', attributes: asMapped(columns) as Mapping<string>['attributes'] };
}

function asMapped(columns: SqlColumns): object {
  return Object.fromEntries(
    Object.entries(columns).map(([path, stored]) => {
      if (!isRelation(stored)) return [path, stored];
      const { where: _, closure: __, columns: own, ...relation } = stored;
      return [path, { ...relation, property: relatedTo(path), ...(own !== undefined && { columns: asMapped(own) }) }];
    }),
  );
}

function namedTable(name: string): StoredTable {
  return {
    ...tableNamed(name, 'SQL'),
    columnName: plainName,
    valueIn: (row, column) => (row as { readonly [column: string]: unknown })[plainName(column)],
  };
}
