/** Plans as conditions of TypeORM. */
import { Brackets, type EntityMetadata, type ObjectLiteral, type Repository } from 'typeorm';
import { type RowReader, rowReader } from './attributes.js';
import { type CanNames, type CanOptions, selectCanColumns, type PlannedCapabilities } from './capabilities.js';
import type { DeclaredColumn } from './column-types.js';
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

/** What the adapter needs of a repository. */
export type EntityRepository<Entity extends ObjectLiteral> = Pick<Repository<Entity>, 'metadata' | 'target'>;

/** The properties of several entities. */
export type TypeormTables<Entities> = { readonly [Name in keyof Entities]: keyof Entities[Name] & string };

/** Turns a plan into a condition for `where`, and reads entities that a query returned. */
export interface TypeormAdapter<Row extends object, Attributes> extends RowReader<Row, Attributes> {
  /** @throws {UnsupportedPlanError} for a plan that cannot be translated exactly. */
  (plan: PlannedFilter, options?: ConditionOptions): Brackets;
}

/**
 * Creates the function that turns a plan into a condition for `where` and `andWhere` of a query builder.
 *
 * @example
 * import { typeormAdapter } from 'authz/adapters/typeorm';
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { DataSource, EntitySchema } from 'typeorm';
 *
 * interface Album {
 *   id: string;
 *   ownerId: string;
 *   status: string | null;
 * }
 * const Album = new EntitySchema<Album>({
 *   name: 'Album',
 *   tableName: 'typeorm_albums',
 *   columns: {
 *     id: { type: 'text', primary: true },
 *     ownerId: { type: 'text', name: 'owner_id' },
 *     status: { type: 'text', nullable: true },
 *   },
 * });
 * const url = process.env['DATABASE_URL'] ?? '';
 * const source = await new DataSource({ type: 'postgres', url, entities: [Album], synchronize: true }).initialize();
 * const repository = source.getRepository(Album);
 * await repository.save([{ id: 'a1', ownerId: 'ann' }, { id: 'a2', ownerId: 'bob' }]);
 *
 * const allowed = typeormAdapter(repository, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plan = createEngine(policies).plan({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * const albums = await repository.createQueryBuilder().where(allowed(plan)).getMany();
 * console.log(albums.map(({ id }) => id)); // => [ 'a1' ]
 * await source.destroy();
 *
 * @param mapping names columns as the properties of the entities do: `authorId`, not `author_id`.
 * @param related the repositories of the entities that relations of the mapping name: `{ users: source.getRepository(User) }`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly. Without an alias in the
 * options, the condition is for `repository.createQueryBuilder()`, whose alias is the name of the entity.
 */
export function typeormAdapter<
  Entity extends ObjectLiteral,
  Related extends { readonly [name: string]: ObjectLiteral } = Record<never, never>,
  const M extends Mapping<keyof Entity & string, TypeormTables<Related>> = Mapping<
    keyof Entity & string,
    TypeormTables<Related>
  >,
>(
  { metadata }: EntityRepository<Entity>,
  mapping: M,
  related?: { readonly [Name in keyof Related]: EntityRepository<Related[Name]> },
): TypeormAdapter<Partial<Entity>, M['attributes']> {
  const relatedTable = relatedTables(related);
  const stored = storedTable(metadata);
  const mapped = mapping as unknown as Mapping<string>;
  requireMapping(stored, mapped, relatedTable);
  const conditionFor = (plan: PlannedFilter, options?: ConditionOptions): Brackets => {
    const { parts, parameters } = renderCondition(
      plan,
      stored,
      mapped,
      { ...options, alias: options?.alias ?? metadata.name },
      relatedTable,
    );
    // A query has one set of names for all of its conditions.
    conditions += 1;
    const prefix = `authz${conditions}_`;
    const [condition, named] = withNames(parts, parameters, prefix);
    return new Brackets((query) => {
      query.where(condition, named);
    });
  };
  return Object.assign(conditionFor, rowReader<Partial<Entity>, M['attributes']>(stored, mapped, relatedTable));
}

let conditions = 0;

/** An expression with names for its parameters. */
function withNames(
  parts: readonly string[],
  parameters: readonly unknown[],
  prefix: string,
): readonly [text: string, parameters: ObjectLiteral] {
  return [
    parts.reduce((before, part, index) => `${before}:${prefix}${index - 1}${part}`),
    Object.fromEntries(parameters.map((parameter, index) => [`${prefix}${index}`, parameter])),
  ];
}

function relatedTables(
  related: { readonly [name: string]: Pick<Repository<ObjectLiteral>, 'metadata'> } = {},
): (name: string) => StoredTable {
  return relatedIn<Pick<Repository<ObjectLiteral>, 'metadata'>>(related, (other) => ({
    ...readSchema(other.metadata),
    name: other.metadata.tablePath,
    columnName: (property) => findColumn(other.metadata, property).databaseName,
  }));
}

/** A column for `addSelect`, its name in raw rows, and its parameters for `setParameters`. */
export type TypeormCanColumn = readonly [sql: string, alias: string, parameters: ObjectLiteral];

/**
 * Creates the function that turns plans of `engine.planCapabilities` into columns that say which actions are allowed on
 * each row:
 * `for (const [sql, alias, parameters] of can(plans)) query.addSelect(sql, alias).setParameters(parameters)`. Read them
 * with `getRawAndEntities`, as entities drop columns that they do not know: `CanFields<Action>` has their types. In
 * SQLite and MySQL, which have no booleans, they are 1 or 0.
 *
 * @example
 * import { typeormCan } from 'authz/adapters/typeorm';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { DataSource, EntitySchema } from 'typeorm';
 *
 * interface Album {
 *   id: string;
 *   ownerId: string;
 *   status: string | null;
 * }
 * const Album = new EntitySchema<Album>({
 *   name: 'Album',
 *   tableName: 'typeorm_albums',
 *   columns: {
 *     id: { type: 'text', primary: true },
 *     ownerId: { type: 'text', name: 'owner_id' },
 *     status: { type: 'text', nullable: true },
 *   },
 * });
 * const url = process.env['DATABASE_URL'] ?? '';
 * const source = await new DataSource({ type: 'postgres', url, entities: [Album], synchronize: true }).initialize();
 * const repository = source.getRepository(Album);
 * await repository.save([{ id: 'a1', ownerId: 'ann' }, { id: 'a2', ownerId: 'bob' }]);
 *
 * const can = typeormCan(repository, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * const query = repository.createQueryBuilder().orderBy('id');
 * for (const [sql, alias, parameters] of can(plans)) query.addSelect(sql, alias).setParameters(parameters);
 * const { raw } = await query.getRawAndEntities<{ canEdit: boolean }>();
 * console.log(raw.map(({ canEdit }) => canEdit)); // => [ true, false ]
 * await source.destroy();
 *
 * @param related as for `typeormAdapter`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function typeormCan<
  Entity extends ObjectLiteral,
  Related extends { readonly [name: string]: ObjectLiteral } = Record<never, never>,
>(
  { metadata }: EntityRepository<Entity>,
  mapping: NoInfer<Mapping<keyof Entity & string, TypeormTables<Related>>>,
  related?: { readonly [Name in keyof Related]: EntityRepository<Related[Name]> },
  names: CanNames = {},
): (plans: PlannedCapabilities, options?: CanOptions) => readonly TypeormCanColumn[] {
  const relatedTable = relatedTables(related);
  const stored = storedTable(metadata);
  requireMapping(stored, mapping, relatedTable);
  return (plans, options) => {
    const own = { ...options, ...names, alias: options?.alias ?? metadata.name };
    return selectCanColumns(plans, stored, mapping, own, relatedTable).columns.map(
      ({ name, parts, parameters }): TypeormCanColumn => {
        conditions += 1;
        const [text, named] = withNames(parts, parameters, `authz_can${conditions}_`);
        return [text, name, named];
      },
    );
  };
}

/** Masks columns by the plans of the actions that show them. */
export interface TypeormMask<Entity> {
  /**
   * Columns for `select` and `addSelect`, with their parameters for `setParameters`. Select no entity beside them, whose
   * columns are not masked: `MaskedRow<Entity, typeof masks>` has the types of `getRawMany`.
   */
  columns<Action extends string, Other extends keyof Entity & string = never>(
    plans: PlannedCapabilities<Action>,
    masks: ColumnMasks<keyof Entity & string, NoInfer<Action>>,
    options?: MaskOptions<Other>,
  ): readonly TypeormCanColumn[];
  /** A derived table for `from`, by names of the database: filters and order read the masked values. */
  source<Action extends string, Other extends keyof Entity & string>(
    plans: PlannedCapabilities<Action>,
    masks: ColumnMasks<keyof Entity & string, NoInfer<Action>>,
    options: SourceOptions<Other>,
  ): TypeormCanColumn;
}

/**
 * Creates the functions that mask columns: `repository.createQueryBuilder().select([])`, and then `addSelect` as for
 * `typeormCan`; `source.createQueryBuilder().select('*').from(sql, alias).setParameters(parameters)`.
 *
 * @example
 * import { typeormMask } from 'authz/adapters/typeorm';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { DataSource, EntitySchema } from 'typeorm';
 *
 * interface Album {
 *   id: string;
 *   ownerId: string;
 *   status: string | null;
 * }
 * const Album = new EntitySchema<Album>({
 *   name: 'Album',
 *   tableName: 'typeorm_albums',
 *   columns: {
 *     id: { type: 'text', primary: true },
 *     ownerId: { type: 'text', name: 'owner_id' },
 *     status: { type: 'text', nullable: true },
 *   },
 * });
 * const url = process.env['DATABASE_URL'] ?? '';
 * const source = await new DataSource({ type: 'postgres', url, entities: [Album], synchronize: true }).initialize();
 * const repository = source.getRepository(Album);
 * await repository.save([
 *   { id: 'a1', ownerId: 'ann', status: 'OPEN' },
 *   { id: 'a2', ownerId: 'bob', status: 'OPEN' },
 * ]);
 *
 * const mask = typeormMask(repository, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * const query = repository.createQueryBuilder().select([]).orderBy('id');
 * for (const [sql, alias, parameters] of mask.columns(plans, { status: 'edit' })) {
 *   query.addSelect(sql, alias).setParameters(parameters);
 * }
 * console.log(await query.getRawMany()); // => [ { status: 'OPEN' }, { status: null } ]
 * await source.destroy();
 *
 * @param related as for `typeormAdapter`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function typeormMask<
  Entity extends ObjectLiteral,
  Related extends { readonly [name: string]: ObjectLiteral } = Record<never, never>,
>(
  { metadata }: EntityRepository<Entity>,
  mapping: NoInfer<Mapping<keyof Entity & string, TypeormTables<Related>>>,
  related?: { readonly [Name in keyof Related]: EntityRepository<Related[Name]> },
): TypeormMask<Entity> {
  const relatedTable = relatedTables(related);
  const stored = storedTable(metadata);
  requireMapping(stored, mapping, relatedTable);
  const write = (parts: readonly string[], parameters: readonly unknown[], name: string): TypeormCanColumn => {
    conditions += 1;
    const [text, named] = withNames(parts, parameters, `authz_mask${conditions}_`);
    return [text, name, named];
  };
  return {
    columns: (plans, masks, options) =>
      selectMasks(
        plans,
        stored,
        mapping,
        masks,
        { ...options, alias: options?.alias ?? metadata.name },
        relatedTable,
      ).map(({ name, parts, parameters }) => write(parts, parameters, name)),
    source(plans, masks, options) {
      const { parts, parameters, alias } = renderMaskedSource(plans, stored, mapping, masks, options, relatedTable);
      return write(parts, parameters, alias);
    },
  };
}

/** The table of the query. */
function storedTable(metadata: EntityMetadata): StoredTable {
  requireOtherNames(metadata);
  return {
    ...readSchema(metadata),
    name: metadata.tableName,
    columnName: (property) => findColumn(metadata, property).databaseName,
  };
}

/** The words of conditions that are neither in quotes nor followed by a parenthesis, of any database. */
const WORDS: ReadonlySet<string> = new Set(
  `ALL AND ANY ARRAY AS AT BETWEEN BINARY BLOB CASE CHAR COLLATE DATETIME DAY DISTINCT DIV DOW DOY ELSE END END::text ESCAPE EXISTS FALSE FROM GLOB
  HOUR IN INTEGER IS JOIN LIKE LIMIT MICROSECOND MINUTE MOD MONTH NOT NULL ON OR ORDINALITY REAL RECURSIVE SECOND SELECT SIGNED TEXT THEN TIME
  TRUE UNION USING WHEN WHERE WITH YEAR ZONE utf8mb4`.split(/\s+/),
);

/** Those that are another value in quotes. */
const VALUES: ReadonlySet<string> = new Set(['FALSE', 'NULL', 'TRUE']);

/**
 * Refuses an entity with a name that conditions have as a word, as TypeORM replaces it in statements that change rows:
 * these could reach other rows. All names of conditions are in quotes, so other names are not replaced.
 */
function requireOtherNames({ name, columns, relations }: EntityMetadata): void {
  const replaced: readonly (readonly [name: string, column: string | undefined])[] = [
    ...columns.flatMap(({ propertyPath, propertyName, databaseName }) =>
      [propertyPath, propertyName, databaseName].map((one) => [one, databaseName] as const),
    ),
    ...relations.map(({ propertyPath, joinColumns }) => [propertyPath, joinColumns[0]?.databaseName] as const),
  ];
  for (const [word, column] of replaced)
    if (/^["`]|'/.test(word) || (WORDS.has(word) && (column !== word || VALUES.has(word))))
      throw new TypeError(
        `the entity \`${name}\` has the name \`${word}\`, which TypeORM would replace in conditions: rename the property`,
      );
}

/** What the metadata of an entity say of its rows. */
function readSchema(metadata: EntityMetadata): Omit<StoredTable, 'name' | 'columnName'> {
  const { deleteDateColumn, discriminatorColumn, discriminatorValue } = metadata;
  const where = {
    ...(deleteDateColumn && { [deleteDateColumn.propertyPath]: null }),
    ...(discriminatorColumn && discriminatorValue !== undefined && metadata.parentEntityMetadata !== undefined
      ? { [discriminatorColumn.propertyPath]: discriminatorValue }
      : {}),
  };
  return {
    library: 'TypeORM',
    // TypeORM replaces names of properties in conditions, in statements that change rows in all words.
    quoteNames: true,
    typeOf: (property) => declaredColumn(findColumn(metadata, property), metadata),
    hidden: { where } satisfies HiddenRows,
    valueIn: (row, property) => findColumn(metadata, property).getEntityValue(row as ObjectLiteral),
  };
}

function declaredColumn(column: EntityMetadata['columns'][number], { connection }: EntityMetadata): DeclaredColumn {
  const type = connection.driver.normalizeType(column);
  const { timezone } = connection.options as { readonly timezone?: string };
  const isLocal =
    connection.options.type === 'mysql' || connection.options.type === 'mariadb'
      ? type === 'datetime' && !/^(Z|[+-]00:00)$/.test(timezone ?? 'local')
      : false;
  return {
    type: `${declaredType(type, column)}${isLocal ? ' local' : ''}${column.isArray ? '[]' : ''}`,
    isNotNull: !column.isNullable,
    ...(column.enum && { values: column.enum.map(String) }),
    digits: 3,
    isParsed: connection.options.type === 'postgres' || /^simple-|^jsonb?$/.test(String(column.type)),
    ...(column.transformer !== undefined && {
      unusable:
        'its `transformer` makes another value of what the database stores, which check would receive. Map a column without it',
    }),
  };
}

/** What an entity says is more than the type that the driver makes of it. */
function declaredType(type: string, { type: declared }: EntityMetadata['columns'][number]): string {
  if (typeof declared === 'string' && declared.startsWith('simple-')) return declared;
  if (declared === Boolean || declared === 'boolean' || declared === 'bool') return 'boolean';
  return type;
}

function findColumn({ columns, name }: EntityMetadata, property: string): EntityMetadata['columns'][number] {
  const column = columns.find(({ propertyPath }) => propertyPath === property);
  if (column === undefined) throw new TypeError(`the entity \`${name}\` has no column \`${property}\``);
  return column;
}
