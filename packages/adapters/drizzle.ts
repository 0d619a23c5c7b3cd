/** Plans as conditions of Drizzle ORM. */
import {
  type Column,
  getTableColumns,
  getTableName,
  getTableUniqueName,
  inArray,
  type SQL,
  sql,
  type Table,
} from 'drizzle-orm';
import type { FactSource, RowLock } from '../../runtime/facts/index.js';
import type { SqlDialect, SqlParameter } from '../../runtime/residual/sql/index.js';
import { type RowReader, rowReader } from './attributes.js';
import { columnSource, type FactsOf, mappedReaders, requireId } from './column-source.js';
import type { DeclaredColumn } from './column-types.js';
import {
  type CanNames,
  type CanOptions,
  type CapabilityName,
  selectCanColumns,
  type PlannedCapabilities,
  type StrictCanOptions,
} from './capabilities.js';
import {
  type ConditionOptions,
  renderCondition,
  type Mapping,
  type PlannedFilter,
  relatedIn,
  requireMapping,
  type StoredTable,
} from './condition.js';
import { type DeferredColumn, OWN_ALIAS, splitColumns, columnStandIn } from './deferred-tables.js';
import { type ColumnMasks, type MaskedName, type MaskOptions, selectMasks, type ToldAction } from './masks.js';

export * from './sql-exports.js';
export type { FactsOf } from './column-source.js';
export type { CanNames, CanOptions, PlannedCapabilities, StrictCanOptions } from './capabilities.js';
export type { ColumnMasks, MaskOptions } from './masks.js';

/** The names of the properties that a table of Drizzle has for its columns. */
export type DrizzleColumn<T extends Table> = keyof T['_']['columns'] & string;

/** The columns of each of several tables. */
export type DrizzleTables<Tables extends { readonly [name: string]: Table }> = {
  readonly [Name in keyof Tables]: DrizzleColumn<Tables[Name]>;
};

/** Turns a plan into a condition for `where`, and reads rows that a query returned. */
export interface DrizzleAdapter<Row extends object, Attributes> extends RowReader<Row, Attributes> {
  /** @throws {UnsupportedPlanError} for a plan that cannot be translated exactly. */
  (plan: PlannedFilter, options?: ConditionOptions): SQL<boolean>;
}

/** A row of a table as queries return it, with the rows that were loaded with it. */
export type DrizzleRow<T extends Table> = Partial<T['$inferSelect']> & { readonly [related: string]: unknown };

/**
 * Creates the function that turns a plan into a condition for `where`.
 *
 * @example
 * import { drizzleAdapter } from 'authz/adapters/drizzle';
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { pgTable, QueryBuilder, text } from 'drizzle-orm/pg-core';
 *
 * const albums = pgTable('albums', { id: text().primaryKey(), ownerId: text('owner_id'), status: text() });
 * const allowed = drizzleAdapter(albums, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plan = createEngine(policies).plan({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * console.log(new QueryBuilder().select({ id: albums.id }).from(albums).where(allowed(plan)).toSQL().sql);
 * // => select "id" from "albums" where (("albums"."status" <> $1 OR "albums"."status" IS NULL) AND "albums"."owner_id" = $2)
 *
 * @param mapping names columns as the properties of the tables do: `authorId`, not `author_id`.
 * @param related the tables that relations of the mapping name, by these names: `{ users, shares }`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 * @throws {ColumnTypeError} if a word of the mapping is not right for the type of its column.
 */
export function drizzleAdapter<
  T extends Table,
  Related extends { readonly [name: string]: Table } = Record<never, never>,
  const M extends Mapping<DrizzleColumn<T>, DrizzleTables<Related>> = Mapping<DrizzleColumn<T>, DrizzleTables<Related>>,
>(table: T, mapping: M, related?: Related): DrizzleAdapter<DrizzleRow<T>, M['attributes']> {
  const relatedTable = relatedTables(related);
  const stored = storedTable(table);
  const named = mapping as unknown as Mapping<string>;
  const columns: { readonly [property: string]: Column } = getTableColumns(table);
  requireMapping(stored, named, relatedTable);
  const conditionFor = (plan: PlannedFilter, options?: ConditionOptions): SQL<boolean> => {
    const query = queryFor(stored, columns, named.dialect, options);
    const { parts, parameters } = renderCondition(plan, query.table, named, query.options, relatedTable);
    return query.write(parts, parameters) as SQL<boolean>;
  };
  return Object.assign(conditionFor, rowReader<DrizzleRow<T>, M['attributes']>(stored, named, relatedTable));
}

/** What selects from tables: a database of Drizzle, or a transaction. */
export interface DrizzleSelects {
  select(fields: { readonly [property: string]: Column }): {
    from(table: Table): { where(condition: SQL): PromiseLike<readonly object[]> };
  };
}

/** Rows of a database that locks rows. */
interface LocksRows {
  orderBy(column: Column): { for(lock: RowLock): PromiseLike<readonly object[]> };
}

/**
 * Creates a source of facts from a table: `drizzleFacts(db, albums, mapping, { of: 'album' })`. A transaction of Drizzle is
 * the `tx` of a decision.
 *
 * @example
 * import { drizzleFacts } from 'authz/adapters/drizzle';
 * import { createFactsEngine } from 'authz/facts';
 * import { policies } from './dist/policies.js';
 * import { sql } from 'drizzle-orm';
 * import { drizzle } from 'drizzle-orm/node-postgres';
 * import { pgTable, text } from 'drizzle-orm/pg-core';
 * import { Pool } from 'pg';
 *
 * const albums = pgTable('drizzle_albums', { id: text().primaryKey(), ownerId: text('owner_id'), status: text() });
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });
 * const db = drizzle(pool);
 * await db.execute(sql`CREATE TABLE drizzle_albums AS SELECT 'a1' AS id, 'ann' AS owner_id, 'OPEN' AS status`);
 *
 * const mapping = {
 *   dialect: 'postgresql',
 *   id: { column: 'id', type: 'text' },
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * } as const;
 * const source = drizzleFacts(db, albums, mapping, { of: 'album' });
 * const authz = createFactsEngine(policies, { sources: [source] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const { allowed } = await authz.decide({ principal, resource: { kind: 'album', id: 'a1' }, action: 'edit' });
 * console.log(allowed); // => true
 * await pool.end();
 *
 * @param mapping that of `drizzleAdapter`, with an `id`.
 */
export function drizzleFacts<
  T extends Table,
  Related extends { readonly [name: string]: Table } = Record<never, never>,
>(
  db: unknown,
  table: T,
  mapping: NoInfer<Mapping<DrizzleColumn<T>, DrizzleTables<Related>>>,
  options: FactsOf,
  relatedTo?: Related,
): FactSource {
  const relatedTable = relatedTables(relatedTo);
  const stored = storedTable(table);
  const named = mapping as unknown as Mapping<string>;
  requireMapping(stored, named, relatedTable);
  const columns: { readonly [property: string]: Column } = getTableColumns(table);
  const id = requireId(named, stored.name);
  return columnSource(options, mappedReaders(named, stored, relatedTable), id, (names, key, keys, tx, lock) => {
    // Databases of all dialects select alike, and have no type in common.
    const rows = ((tx ?? db) as DrizzleSelects)
      .select(Object.fromEntries(names.map((name) => [name, columns[name] as Column])))
      .from(table)
      .where(inArray(columns[key] as Column, [...keys]));
    // In SQLite a transaction cannot write if another one has written since it read.
    return lock === undefined || named.dialect === 'sqlite'
      ? rows
      : (rows as unknown as LocksRows).orderBy(columns[key] as Column).for(lock);
  });
}

/** A field for `select` for each of several actions: `canEdit`, `canDelete`. */
export type DrizzleCanFields<Action extends string, Value> = {
  [A in Action as CapabilityName<A>]: SQL.Aliased<Value>;
};

/** Turns the plans of several actions into fields for `select`. */
export interface DrizzleCan {
  <Action extends string>(
    plans: PlannedCapabilities<Action>,
    options?: StrictCanOptions,
  ): DrizzleCanFields<Action, boolean>;
  <Action extends string>(
    plans: PlannedCapabilities<Action>,
    options: CanOptions,
  ): DrizzleCanFields<Action, boolean | null>;
}

/**
 * Creates the function that turns plans of `engine.planCapabilities` into fields that say which actions are allowed on
 * each row: `db.select({ ...getTableColumns(albums), ...can(plans) })`. They are booleans in every database.
 *
 * @example
 * import { drizzleCan } from 'authz/adapters/drizzle';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { pgTable, QueryBuilder, text } from 'drizzle-orm/pg-core';
 *
 * const albums = pgTable('albums', { id: text().primaryKey(), ownerId: text('owner_id'), status: text() });
 * const can = drizzleCan(albums, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * console.log(new QueryBuilder().select({ id: albums.id, ...can(plans) }).from(albums).toSQL().sql);
 * // => select "id", ((("albums"."status" <> $1 OR "albums"."status" IS NULL) AND "albums"."owner_id" = $2) IS TRUE) as "canEdit" from "albums"
 *
 * @param related as for `drizzleAdapter`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function drizzleCan<T extends Table, Related extends { readonly [name: string]: Table } = Record<never, never>>(
  table: T,
  mapping: NoInfer<Mapping<DrizzleColumn<T>, DrizzleTables<Related>>>,
  related?: Related,
  names: CanNames = {},
): DrizzleCan {
  const relatedTable = relatedTables(related);
  const columns: { readonly [property: string]: Column } = getTableColumns(table);
  const taken = Object.keys(columns);
  const stored = storedTable(table);
  requireMapping(stored, mapping, relatedTable);
  return ((plans: PlannedCapabilities, options?: CanOptions) => {
    const query = queryFor(stored, columns, mapping.dialect, options);
    const own = { ...query.options, ...names, taken };
    return Object.fromEntries(
      selectCanColumns(plans, query.table, mapping, own, relatedTable).columns.map(({ name, parts, parameters }) => [
        name,
        query.write(parts, parameters).mapWith(Boolean).as(name),
      ]),
    );
  }) as DrizzleCan;
}

/** A field for `select` for each masked column, which is its value or null, and what is told of the actions. */
export type DrizzleMaskedFields<T extends Table, Masked, Other extends string, Tell extends boolean> = {
  [C in MaskedName<Masked, Other> & keyof T['$inferSelect']]: SQL.Aliased<T['$inferSelect'][C] | null>;
} & { [A in ToldAction<Masked, Tell> as CapabilityName<A>]: SQL.Aliased<boolean> };

/** Turns the plans of the actions that show columns into fields for `select`. */
export type DrizzleMask<T extends Table> = <
  Action extends string,
  const Masked extends ColumnMasks<DrizzleColumn<T>, NoInfer<Action>>,
  Other extends DrizzleColumn<T> = never,
  Tell extends boolean = false,
>(
  plans: PlannedCapabilities<Action>,
  masks: Masked,
  options?: MaskOptions<Other, Tell>,
) => DrizzleMaskedFields<T, Masked, Other, Tell>;

/**
 * Creates the function that masks columns: `db.select({ id: pay.id, ...mask(plans, { salary: 'view:salary' }) })`. WHERE
 * and ORDER BY of the query still read the columns of the table; those of users read a subquery of it: `.as('pay')`.
 *
 * @example
 * import { drizzleMask } from 'authz/adapters/drizzle';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { pgTable, QueryBuilder, text } from 'drizzle-orm/pg-core';
 *
 * const albums = pgTable('albums', { id: text().primaryKey(), ownerId: text('owner_id'), status: text() });
 * const mask = drizzleMask(albums, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * const masked = new QueryBuilder().select({ id: albums.id, ...mask(plans, { status: 'edit' }) }).from(albums);
 * console.log(masked.toSQL().sql);
 * // => select "id", CASE WHEN (("albums"."status" <> $1 OR "albums"."status" IS NULL) AND "albums"."owner_id" = $2) THEN "albums"."status" END as "status" from "albums"
 *
 * @param related as for `drizzleAdapter`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function drizzleMask<T extends Table, Related extends { readonly [name: string]: Table } = Record<never, never>>(
  table: T,
  mapping: NoInfer<Mapping<DrizzleColumn<T>, DrizzleTables<Related>>>,
  related?: Related,
): DrizzleMask<T> {
  const relatedTable = relatedTables(related);
  const columns: { readonly [property: string]: Column } = getTableColumns(table);
  const stored = storedTable(table);
  requireMapping(stored, mapping, relatedTable);
  return ((plans: PlannedCapabilities, masks: object, options?: MaskOptions) => {
    const query = queryFor(stored, columns, mapping.dialect, options);
    return Object.fromEntries(
      selectMasks(plans, query.table, mapping, masks, query.options, relatedTable).map(
        ({ name, isTold, parts, parameters }) => [
          name,
          query
            .write(parts, parameters)
            .mapWith(isTold ? Boolean : (columns[name] as Column))
            .as(name),
        ],
      ),
    );
  }) as unknown as DrizzleMask<T>;
}

function relatedTables(related: { readonly [name: string]: Table } = {}): (name: string) => StoredTable {
  return relatedIn<Table>(related, (other) => ({ ...storedTable(other), name: nameWithSchema(other) }));
}

function storedTable(table: Table): StoredTable {
  const name = getTableName(table);
  const columns: { readonly [property: string]: Column } = getTableColumns(table);
  const findColumn = (property: string): Column => {
    const column = Object.hasOwn(columns, property) ? columns[property] : undefined;
    if (column === undefined) throw new TypeError(`the table \`${name}\` has no column \`${property}\``);
    return column;
  };
  return {
    name,
    library: 'Drizzle ORM',
    columnName: (property) => findColumn(property).name,
    typeOf: (property) => declaredColumn(findColumn(property)),
  };
}

/** How the expressions of one query are rendered, and written as Drizzle has them. */
interface ExpressionsOfQuery<Options> {
  readonly table: StoredTable;
  readonly options: Options;
  write(parts: TemplateStringsArray, parameters: readonly SqlParameter[]): SQL;
}

/**
 * Options for conditions. If they have no alias, Drizzle writes the columns of the table with the query: only it knows the alias
 * that the table has in a relational query.
 */
function queryFor<Options extends { readonly alias?: string }>(
  stored: StoredTable,
  columns: { readonly [property: string]: Column },
  dialect: SqlDialect,
  options: Options | undefined,
): ExpressionsOfQuery<Options | undefined> {
  if (options?.alias !== undefined)
    return { table: stored, options, write: (parts, parameters) => sql(parts, ...parameters) };
  const properties = Object.keys(columns);
  const columnName = (property: string): string => {
    stored.columnName(property);
    return columnStandIn(properties.indexOf(property));
  };
  return {
    table: { ...stored, columnName },
    options: { ...options, alias: OWN_ALIAS } as unknown as Options,
    write: (parts, parameters) => writeColumns(splitColumns(parts, dialect), parameters, columns),
  };
}

/**
 * An expression with its columns as Drizzle has them. Each is within an expression of its own, as Drizzle leaves the table
 * out of names of columns in `select` from one table, which those of a related table would replace.
 */
function writeColumns(
  parts: readonly (readonly (string | DeferredColumn)[])[],
  parameters: readonly SqlParameter[],
  columns: { readonly [property: string]: Column },
): SQL {
  const all = Object.values(columns);
  const written = parts.flatMap((pieces, index) => [
    ...(index === 0 ? [] : [sql`${parameters[index - 1]}`]),
    ...pieces.map((piece) => (typeof piece === 'string' ? sql.raw(piece) : sql`${all[piece.column]}`)),
  ]);
  return sql.join(written);
}

/** What Drizzle makes of a column in SQLite depends on its `mode`. */
function declaredColumn(column: Column): DeclaredColumn {
  const { dataType, columnType, notNull, enumValues } = column;
  const { mode, mapFrom } = column as { readonly mode?: string; readonly mapFrom?: unknown };
  const isSqlite = columnType.startsWith('SQLite');
  const sqlType = column.getSQLType();
  const type =
    columnType === 'PgEnumColumn' && enumValues !== undefined
      ? 'enum'
      : isSqlite && dataType === 'json'
        ? `${sqlType} json`
        : isSqlite && mode !== undefined
          ? `${sqlType} ${mode}`
          : sqlType;
  return {
    type,
    isNotNull: notNull,
    ...(enumValues !== undefined && { values: enumValues }),
    digits: dataType === 'date' ? 3 : 6,
    isParsed: dataType === 'json' || !isSqlite,
    isParsedTwice: columnType === 'PgJsonb',
    // mysql2 returns numbers unless it is told otherwise.
    mayBeRounded: dataType === 'bigint' && columnType.startsWith('MySql'),
    ...(mapFrom !== undefined && {
      unusable:
        'its `fromDriver` makes another value of what the database stores, which check would receive. Map a column without it',
    }),
  };
}

/** Drizzle selects from a table without a schema by its name alone. */
function nameWithSchema(table: Table): string {
  const [name, unique] = [getTableName(table), getTableUniqueName(table)];
  return unique === `public.${name}` ? name : unique;
}
