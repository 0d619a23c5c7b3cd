/** Plans as conditions of MikroORM. */
import {
  ArrayType,
  type EntityKey,
  type EntityMetadata,
  type EntityProperty,
  type EntityName,
  type ObjectQuery,
  type MetadataStorage,
  raw,
  type RawQueryFragment,
  ReferenceKind,
  Utils,
} from '@mikro-orm/core';
import { type RowReader, rowReader } from './attributes.js';
import { type CanNames, type CanOptions, selectCanColumns, type PlannedCapabilities } from './capabilities.js';
import type { DeclaredColumn } from './column-types.js';
import { splitDeferred, standInFor } from './deferred-tables.js';
import { encodeHex } from './hexadecimal.js';
import { TableOfQuery, watchQueries } from './mikro-orm-schemas.js';
import type { SqlDialect, SqlParameter } from '../../runtime/residual/sql/index.js';
import {
  type ConditionOptions,
  renderCondition,
  type HiddenRows,
  type Mapping,
  type PlannedFilter,
  relatedIn,
  requireMapping,
  type StoredTable,
} from './condition.js';
import { type ColumnMasks, type MaskOptions, renderMaskedSource, selectMasks, type SourceOptions } from './masks.js';

export * from './sql-exports.js';
export type { Bit, CanFields, CanNames, CanOptions, PlannedCapabilities } from './capabilities.js';
export type { ColumnMasks, MaskedRow, MaskOptions, SourceOptions } from './masks.js';

/** The properties of several entities. */
export type MikroOrmTables<Entities> = { readonly [Name in keyof Entities]: EntityKey<Entities[Name]> };

/** Turns a plan into a condition for `em.find` and `where`, and reads entities that a query returned. */
export interface MikroOrmAdapter<Entity extends object, Attributes> extends RowReader<Entity, Attributes> {
  /** @throws {UnsupportedPlanError} for a plan that cannot be translated exactly. */
  (plan: PlannedFilter, options?: ConditionOptions): ObjectQuery<Entity>;
}

/**
 * Creates the function that turns a plan into a condition for `em.find` and `where` of a query builder, alone or in a
 * list of `$and`.
 *
 * @example
 * import { mikroOrmAdapter } from 'authz/adapters/mikro-orm';
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
 *
 * interface Album {
 *   id: string;
 *   ownerId: string;
 *   status: string | null;
 * }
 * const Album = new EntitySchema<Album>({
 *   name: 'Album',
 *   tableName: 'mikro_orm_albums',
 *   properties: {
 *     id: { type: 'text', primary: true },
 *     ownerId: { type: 'text', fieldName: 'owner_id' },
 *     status: { type: 'text', nullable: true },
 *   },
 * });
 * const clientUrl = process.env['DATABASE_URL'] ?? '';
 * const orm = await MikroORM.init({ clientUrl, entities: [Album], discovery: { disableDynamicFileAccess: true } });
 * await orm.schema.refreshDatabase();
 * const em = orm.em.fork();
 * await em.insertMany(Album, [
 *   { id: 'a1', ownerId: 'ann', status: null },
 *   { id: 'a2', ownerId: 'bob', status: null },
 * ]);
 *
 * const allowed = mikroOrmAdapter(orm, Album, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plan = createEngine(policies).plan({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * console.log((await em.find(Album, allowed(plan))).map(({ id }) => id)); // => [ 'a1' ]
 * await orm.close();
 *
 * @param orm the ORM or an entity manager.
 * @param mapping names columns as the properties of the entities do: `authorId`, not `author_id`.
 * @param related the entities that relations of the mapping name, by these names: `{ users: User }`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly. A condition is for one query.
 * Without an alias in the options, it has the one that the query gives to the entity.
 */
export function mikroOrmAdapter<
  Entity extends object,
  Related extends object = Record<never, never>,
  const M extends Mapping<EntityKey<Entity>, MikroOrmTables<Related>> = Mapping<
    EntityKey<Entity>,
    MikroOrmTables<Related>
  >,
>(
  orm: Orm,
  entity: EntityName<Entity>,
  mapping: M,
  related?: { readonly [Name in keyof Related]: EntityName<Related[Name]> },
): MikroOrmAdapter<Entity, M['attributes']> {
  const metadata: EntityMetadata = orm.getMetadata().get(Utils.className(entity));
  const tables = relatedTablesOf(orm, related);
  const relatedTable = relatedTables(orm, related);
  const stored = storedTable(metadata, orm);
  const named = mapping as unknown as Mapping<string>;
  requireMapping(stored, named, relatedTable);
  watchQueries(orm, metadata.className);
  const conditionFor = (plan: PlannedFilter, options?: ConditionOptions): ObjectQuery<Entity> => {
    const bound: unknown[] = [];
    const write = (alias: string): string => {
      const own = { ...options, alias: options?.alias ?? alias };
      const { parts, parameters } = renderCondition(plan, stored, named, own, relatedTable);
      const [text, values] = rawText(parts, parameters, mapping.dialect, tables);
      bound.push(...values);
      // Below a relation, version 6 takes a text without a prefix, such as `a.`, for the name of a column.
      return /\w\./.test(text) ? text : `/* authz. */ ${text}`;
    };
    return { [raw<Entity, string>(write, bound)]: [] } as ObjectQuery<Entity>;
  };
  return Object.assign(conditionFor, rowReader<Entity, M['attributes']>(stored, named, relatedTable));
}

/** What the adapter needs of the ORM, or of an entity manager. */
interface Orm {
  getMetadata(): MetadataStorage;
}

/**
 * Creates the function that turns plans of `engine.planCapabilities` into columns that say which actions are allowed on
 * each row: `em.createQueryBuilder(Album, 'a').select(['*', ...can(plans, { alias: 'a' })]).execute()`. In SQLite and
 * MySQL, which have no booleans, they are 1 or 0; `CanFields<Action>` has their types.
 *
 * @example
 * import { type CanFields, mikroOrmCan } from 'authz/adapters/mikro-orm';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
 *
 * interface Album {
 *   id: string;
 *   ownerId: string;
 *   status: string | null;
 * }
 * const Album = new EntitySchema<Album>({
 *   name: 'Album',
 *   tableName: 'mikro_orm_albums',
 *   properties: {
 *     id: { type: 'text', primary: true },
 *     ownerId: { type: 'text', fieldName: 'owner_id' },
 *     status: { type: 'text', nullable: true },
 *   },
 * });
 * const clientUrl = process.env['DATABASE_URL'] ?? '';
 * const orm = await MikroORM.init({ clientUrl, entities: [Album], discovery: { disableDynamicFileAccess: true } });
 * await orm.schema.refreshDatabase();
 * const em = orm.em.fork();
 * await em.insertMany(Album, [
 *   { id: 'a1', ownerId: 'ann', status: null },
 *   { id: 'a2', ownerId: 'bob', status: null },
 * ]);
 *
 * const can = mikroOrmCan(orm, Album, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * const query = em.createQueryBuilder(Album, 'a').select(['*', ...can(plans, { alias: 'a' })]);
 * const rows = await query.orderBy({ id: 'asc' }).execute<CanFields<'edit'>[]>();
 * console.log(rows.map(({ canEdit }) => canEdit)); // => [ true, false ]
 * await orm.close();
 *
 * @param related as for `mikroOrmAdapter`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function mikroOrmCan<Entity extends object, Related extends object = Record<never, never>>(
  orm: Orm,
  entity: EntityName<Entity>,
  mapping: NoInfer<Mapping<EntityKey<Entity>, MikroOrmTables<Related>>>,
  related?: { readonly [Name in keyof Related]: EntityName<Related[Name]> },
  names: CanNames = {},
): (plans: PlannedCapabilities, options: CanOptions & { readonly alias: string }) => RawQueryFragment[] {
  const metadata: EntityMetadata = orm.getMetadata().get(Utils.className(entity));
  const tables = relatedTablesOf(orm, related);
  const relatedTable = relatedTables(orm, related);
  const stored = storedTable(metadata, orm);
  requireMapping(stored, mapping, relatedTable);
  watchQueries(orm, metadata.className);
  return (plans, options) => {
    const own = { ...options, ...names, taken: Object.keys(metadata.properties) };
    return selectCanColumns(plans, stored, mapping, own, relatedTable).columns.map(({ name, parts, parameters }) => {
      const [text, values] = rawText(parts, parameters, mapping.dialect, tables, true);
      return raw(`${text} as ??`, [...values, name]);
    });
  };
}

/** Masks columns by the plans of the actions that show them. */
export interface MikroOrmMask<Entity extends object> {
  /** Columns for `select` of a query builder. */
  <Action extends string, Other extends EntityKey<Entity> = never>(
    plans: PlannedCapabilities<Action>,
    masks: ColumnMasks<EntityKey<Entity>, NoInfer<Action>>,
    options: MaskOptions<Other> & { readonly alias: string },
  ): RawQueryFragment[];
  /**
   * A derived table for FROM of `em.execute`, with its alias, by names of the database: filters and order read the masked
   * values. It has the rows that filters of the entity hide, too.
   */
  source<Action extends string, Other extends EntityKey<Entity>>(
    plans: PlannedCapabilities<Action>,
    masks: ColumnMasks<EntityKey<Entity>, NoInfer<Action>>,
    options: SourceOptions<Other>,
  ): RawQueryFragment;
}

/**
 * Creates the function that masks columns: `em.createQueryBuilder(Pay, 'p').select(['p.id', ...mask(plans, { salary:
 * 'view:salary' }, { alias: 'p' })]).execute('all', false)`; `MaskedRow<Pay, typeof masks>` has their types. WHERE and ORDER BY of the
 * query still read the columns of the table; with `const { sql, params } = mask.source(plans, masks, { alias: 'p', others:
 * ['id'] })`, those of `` em.execute(`select * from ${sql}`, params) `` read the masked ones.
 *
 * @example
 * import { mikroOrmMask } from 'authz/adapters/mikro-orm';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
 *
 * interface Album {
 *   id: string;
 *   ownerId: string;
 *   status: string | null;
 * }
 * const Album = new EntitySchema<Album>({
 *   name: 'Album',
 *   tableName: 'mikro_orm_albums',
 *   properties: {
 *     id: { type: 'text', primary: true },
 *     ownerId: { type: 'text', fieldName: 'owner_id' },
 *     status: { type: 'text', nullable: true },
 *   },
 * });
 * const clientUrl = process.env['DATABASE_URL'] ?? '';
 * const orm = await MikroORM.init({ clientUrl, entities: [Album], discovery: { disableDynamicFileAccess: true } });
 * await orm.schema.refreshDatabase();
 * const em = orm.em.fork();
 * await em.insertMany(Album, [
 *   { id: 'a1', ownerId: 'ann', status: 'OPEN' },
 *   { id: 'a2', ownerId: 'bob', status: 'OPEN' },
 * ]);
 *
 * const mask = mikroOrmMask(orm, Album, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * const columns = mask(plans, { status: 'edit' }, { alias: 'a' });
 * const query = em.createQueryBuilder(Album, 'a').select(['a.id', ...columns]).orderBy({ id: 'asc' });
 * const rows = await query.execute<{ status: string | null }[]>('all', false);
 * console.log(rows.map(({ status }) => status)); // => [ 'OPEN', null ]
 * await orm.close();
 *
 * @param related as for `mikroOrmAdapter`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function mikroOrmMask<Entity extends object, Related extends object = Record<never, never>>(
  orm: Orm,
  entity: EntityName<Entity>,
  mapping: NoInfer<Mapping<EntityKey<Entity>, MikroOrmTables<Related>>>,
  related?: { readonly [Name in keyof Related]: EntityName<Related[Name]> },
): MikroOrmMask<Entity> {
  const metadata: EntityMetadata = orm.getMetadata().get(Utils.className(entity));
  const tables = relatedTablesOf(orm, related);
  const relatedTable = relatedTables(orm, related);
  const stored = storedTable(metadata, orm);
  requireMapping(stored, mapping, relatedTable);
  watchQueries(orm, metadata.className);
  const write = (parts: readonly string[], parameters: readonly SqlParameter[], name: string): RawQueryFragment => {
    const [text, values] = rawText(parts, parameters, mapping.dialect, tables, true);
    return raw(`${text} as ??`, [...values, name]);
  };
  const columns = <Action extends string, Other extends EntityKey<Entity> = never>(
    plans: PlannedCapabilities<Action>,
    masks: ColumnMasks<EntityKey<Entity>, NoInfer<Action>>,
    options: MaskOptions<Other> & { readonly alias: string },
  ): RawQueryFragment[] =>
    selectMasks(plans, stored, mapping, masks, options, relatedTable).map(({ name, parts, parameters }) =>
      write(parts, parameters, name),
    );
  const source: MikroOrmMask<Entity>['source'] = (plans, masks, options) => {
    const own = { ...options, schema: undefined } as unknown as SourceOptions;
    const { parts, parameters, alias } = renderMaskedSource(plans, stored, mapping, masks, own, relatedTable);
    const { sql, params } = write(parts, parameters, alias);
    return raw(
      sql,
      params.map((value) => (value instanceof TableOfQuery ? value.named(options.schema) : value)),
    );
  };
  return Object.assign(columns, { source });
}

function relatedTables(orm: Orm, related: { readonly [name: string]: unknown } = {}): (name: string) => StoredTable {
  const metadataOf = relatedTablesOf(orm, related);
  return (name) => {
    const found = metadataOf(name);
    const { schema, tableName } = found;
    return {
      ...storedTable(found, orm),
      name: schema === undefined ? tableName : `${schema}.${tableName}`,
      ...((schema === undefined || schema === '*') && { standIn: standInFor(name) }),
      hidden: hiddenRows(found, orm),
    };
  };
}

function relatedTablesOf(
  orm: Orm,
  related: { readonly [name: string]: unknown } = {},
): (name: string) => EntityMetadata {
  return relatedIn<unknown, EntityMetadata>(related, (other) =>
    orm.getMetadata().get(Utils.className(other as EntityName<object>)),
  );
}

/**
 * An expression as MikroORM reads it, and its parameters.
 * @param isColumn whether it is written into a statement with its parameters, in which MikroORM then takes each `?` of a
 * string for the place of another parameter.
 */
function rawText(
  parts: readonly string[],
  parameters: readonly SqlParameter[],
  dialect: SqlDialect,
  tables: (name: string) => EntityMetadata,
  isColumn = false,
): readonly [text: string, parameters: readonly unknown[]] {
  const bound: unknown[] = [];
  let text = '';
  for (const [index, fragments] of splitDeferred(parts, dialect).entries()) {
    if (index > 0) {
      const parameter = parameters[index - 1] ?? null;
      if (isColumn && dialect === 'mysql' && typeof parameter === 'string' && parameter.includes('?'))
        text += `_utf8mb4 x'${encodeHex(parameter)}'`;
      else {
        const pieces = splitParameter(parameter, dialect, isColumn);
        const written = pieces.map(({ code }) => (code === undefined ? '?' : `${CHARACTERS[dialect]}(${code})`));
        text += written.length === 1 ? written[0] : `(${written.join(' || ')})`;
        bound.push(...pieces.flatMap((piece) => (piece.code === undefined ? [piece.value] : [])));
      }
    }
    for (const piece of fragments) {
      if (typeof piece === 'string') {
        if (isColumn && piece.includes('?'))
          throw new TypeError(
            'a column with `?` in its name: MikroORM takes it for the place of a parameter where columns are selected',
          );
        // MikroORM passes it to Knex, which reads `?` as a placeholder.
        text += piece.replaceAll('?', '\\?');
        continue;
      }
      text += '??';
      bound.push(new TableOfQuery(tables(piece.table)));
    }
  }
  return [text, bound];
}

/** A part of a string: a parameter, or the code of a character that cannot be in one. */
type Piece = { readonly value: SqlParameter; readonly code?: undefined } | { readonly code: number };

/**
 * The parts of a string around NULs, as MikroORM writes parameters into statements of SQLite, which end at a NUL; and in
 * columns around question marks.
 */
function splitParameter(parameter: SqlParameter, dialect: SqlDialect, isColumn: boolean): readonly Piece[] {
  if (typeof parameter !== 'string') return [{ value: parameter }];
  const apart = APART[dialect === 'sqlite' ? 'sqlite' : 'others'][isColumn ? 'column' : 'condition'];
  return parameter
    .split(apart)
    .map((piece, index) => (index % 2 === 0 ? { value: piece } : { code: piece.charCodeAt(0) }));
}

const NEVER = /((?!))/;
const APART = {
  sqlite: { condition: /(\0)/, column: /([?\0])/ },
  others: { condition: NEVER, column: /([?])/ },
} as const;

/** The function that makes a character of its code. */
const CHARACTERS: { readonly [dialect in SqlDialect]: string } = { sqlite: 'char', postgresql: 'chr', mysql: 'char' };

function storedTable(metadata: EntityMetadata, orm: Orm): StoredTable {
  const { className, tableName, properties } = metadata;
  const propertyNamed = (name: string): EntityProperty => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const isStored =
      property !== undefined &&
      property.persist !== false &&
      property.formula === undefined &&
      (property.kind !== ReferenceKind.EMBEDDED || property.object === true);
    if (!isStored || property.fieldNames?.length !== 1)
      throw new TypeError(`the entity \`${className}\` has no column \`${name}\``);
    return property;
  };
  return {
    name: tableName,
    library: 'MikroORM',
    columnName: (name) => propertyNamed(name).fieldNames[0] as string,
    typeOf: (name) => declaredColumn(propertyNamed(name), orm),
    valueIn: (row, name) => readReference((row as { readonly [name: string]: unknown })[name], propertyNamed(name)),
  };
}

/** A reference to another entity is its key. */
function readReference(value: unknown, { kind }: EntityProperty): unknown {
  const isReference = kind === ReferenceKind.MANY_TO_ONE || kind === ReferenceKind.ONE_TO_ONE;
  return isReference && typeof value === 'object' && value !== null ? Utils.extractPK(value) : value;
}

/** The parts of a configuration that say how dates are read, and which filters queries have. */
interface Configuration {
  get(name: 'filters'): { readonly [name: string]: FilterDefinition };
  getPlatform(): { getTimezone(): string | undefined };
}

interface FilterDefinition {
  readonly name: string;
  readonly cond: unknown;
  readonly default?: boolean;
  readonly entity?: readonly string[];
}

function getConfiguration(orm: Orm): Configuration {
  return (orm as unknown as { readonly config: Configuration }).config;
}

function declaredColumn(property: EntityProperty, orm: Orm): DeclaredColumn {
  const { columnTypes, customType, nullable, primary, runtimeType } = property;
  const [type = ''] = columnTypes ?? [];
  const timezone = getConfiguration(orm).getPlatform().getTimezone();
  const isLocal = /^(datetime|timestamp)(\(\d\))?$/i.test(type) && !/^(Z|[+-]00:00)$/.test(timezone ?? 'local');
  const isConverted =
    customType !== undefined &&
    !(BUILT_IN.has(customType.constructor.name) || (customType instanceof ArrayType && type.endsWith('[]')));
  return {
    // SQLite has neither zones nor booleans.
    type: runtimeType === 'boolean' ? 'boolean' : runtimeType === 'Date' && isLocal ? `${type} local` : type,
    isNotNull: nullable !== true || primary === true,
    digits: 3,
    isParsed: customType?.constructor.name === 'JsonType',
    ...(isConverted && {
      unusable: `its type \`${customType.constructor.name}\` makes another value of what the database stores, which check would receive. Map a property without it`,
    }),
  };
}

/** Types of MikroORM that return the value of the database, in another form. */
const BUILT_IN: ReadonlySet<string> = new Set(['BigIntType', 'DoubleType', 'DecimalType', 'JsonType', 'DateType']);

/** The rows that filters hide which are on by default: those of the entity, and of the configuration. */
function hiddenRows({ filters, className }: EntityMetadata, orm: Orm): HiddenRows {
  const all = [...Object.values(filters ?? {}), ...Object.values(getConfiguration(orm).get('filters') ?? {})];
  const where: { [property: string]: string | number | boolean | null } = {};
  for (const { name, cond, default: isOn, entity } of all as readonly FilterDefinition[]) {
    if (isOn === false || (entity !== undefined && !entity.includes(className))) continue;
    const pairs = typeof cond === 'object' && cond !== null ? Object.entries(cond) : undefined;
    if (pairs?.every(([, value]) => value === null || ['string', 'number', 'boolean'].includes(typeof value)) !== true)
      return {
        why: `the filter \`${name}\` of the entity \`${className}\` hides rows by more than the values of columns`,
      };
    Object.assign(where, cond);
  }
  return { where };
}
