/** Plans as conditions of Sequelize. */
import {
  type Attributes,
  DataTypes,
  literal,
  type Model,
  type ModelAttributeColumnOptions,
  type ModelStatic,
  Op,
  type Utils,
} from 'sequelize';
import { type RowReader, rowReader } from './attributes.js';
import { splitDeferred, standInFor } from './deferred-tables.js';
import { encodeHex } from './hexadecimal.js';
import {
  type OfSchema,
  type QuerySchema,
  quotedTable,
  requireAlias,
  schemaOfQuery,
  watchQueries,
} from './sequelize-schemas.js';
import type { DeclaredColumn } from './column-types.js';
import type { SqlDialect, SqlParameter } from '../../runtime/residual/sql/index.js';
import { type CanNames, type CanOptions, selectCanColumns, type PlannedCapabilities } from './capabilities.js';
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

/** The attributes of several models. */
export type SequelizeTables<Models> = {
  readonly [Name in keyof Models]: Models[Name] extends ModelStatic<infer M> ? keyof Attributes<M> & string : never;
};

/** A condition for `where`. In a list, as Sequelize drops `Op.not` around a literal. */
export interface SequelizeCondition {
  readonly [Op.and]: [Utils.Literal];
}

/** Turns a plan into a condition for `where`, and reads entities that a query returned. */
export interface SequelizeAdapter<Row extends object, Attributes> extends RowReader<Row, Attributes> {
  /** @throws {UnsupportedPlanError} for a plan that cannot be translated exactly. */
  (plan: PlannedFilter, options?: ConditionOptions): SequelizeCondition;
}

/**
 * Creates the function that turns a plan into a condition for `where`, alone or combined with others.
 *
 * @example
 * import { sequelizeAdapter } from 'authz/adapters/sequelize';
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { DataTypes, Sequelize } from 'sequelize';
 *
 * const db = new Sequelize(process.env['DATABASE_URL'] ?? '', { dialect: 'postgres', logging: false });
 * const Album = db.define(
 *   'Album',
 *   {
 *     id: { type: DataTypes.TEXT, primaryKey: true },
 *     ownerId: { type: DataTypes.TEXT, field: 'owner_id' },
 *     status: DataTypes.TEXT,
 *   },
 *   { tableName: 'sequelize_albums', timestamps: false },
 * );
 * await Album.sync({ force: true });
 * await Album.bulkCreate([{ id: 'a1', ownerId: 'ann' }, { id: 'a2', ownerId: 'bob' }]);
 *
 * const allowed = sequelizeAdapter(Album, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plan = createEngine(policies).plan({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * const albums = await Album.findAll({ where: allowed(plan) });
 * console.log(albums.map((album) => album.get('id'))); // => [ 'a1' ]
 * await db.close();
 *
 * @param mapping names columns as the attributes of the models do: `authorId`, not `author_id`.
 * @param related the models that relations of the mapping name, by these names: `{ users: User }`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly. Without an alias in the
 * options, the condition is for `findAll` and the like, in which the alias is the name of the model.
 */
export function sequelizeAdapter<
  M extends Model,
  Related extends { readonly [name: string]: ModelStatic<Model> } = Record<never, never>,
  const Mapped extends Mapping<keyof Attributes<M> & string, SequelizeTables<Related>> = Mapping<
    keyof Attributes<M> & string,
    SequelizeTables<Related>
  >,
>(
  model: ModelStatic<M>,
  mapping: Mapped,
  related?: Related,
): SequelizeAdapter<Partial<Attributes<M>> | M, Mapped['attributes']> {
  const table = storedTable(model);
  const relatedTable = relatedTables(related);
  const named = mapping as unknown as Mapping<string>;
  requireMapping(table, named, relatedTable);
  const conditionFor = (plan: PlannedFilter, options?: ConditionOptions): SequelizeCondition => {
    const { parts, parameters } = renderCondition(
      plan,
      table,
      named,
      { ...withoutSchema(options), alias: options?.alias ?? model.name },
      relatedTable,
    );
    return { [Op.and]: [expressionOf(parts, parameters, placeOf(model, related, mapping.dialect, options))] };
  };
  return Object.assign(
    conditionFor,
    rowReader<Partial<Attributes<M>> | M, Mapped['attributes']>(table, named, relatedTable),
  );
}

/** A column for `attributes.include`: an expression and its name. */
export type SequelizeCanColumn = [expression: Utils.Literal, name: string];

/**
 * Creates the function that turns plans of `engine.planCapabilities` into columns that say which actions are allowed on
 * each row: `Album.findAll({ attributes: { include: can(plans) } })`. Read them with `get('canEdit')`, or with
 * `raw: true`: `CanFields<Action>` has their types. In SQLite and MySQL, which have no booleans, they are 1 or 0.
 *
 * @example
 * import { sequelizeCan } from 'authz/adapters/sequelize';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { DataTypes, Sequelize } from 'sequelize';
 *
 * const db = new Sequelize(process.env['DATABASE_URL'] ?? '', { dialect: 'postgres', logging: false });
 * const Album = db.define(
 *   'Album',
 *   {
 *     id: { type: DataTypes.TEXT, primaryKey: true },
 *     ownerId: { type: DataTypes.TEXT, field: 'owner_id' },
 *     status: DataTypes.TEXT,
 *   },
 *   { tableName: 'sequelize_albums', timestamps: false },
 * );
 * await Album.sync({ force: true });
 * await Album.bulkCreate([{ id: 'a1', ownerId: 'ann' }, { id: 'a2', ownerId: 'bob' }]);
 *
 * const can = sequelizeCan(Album, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * const albums = await Album.findAll({ attributes: { include: can(plans) }, order: ['id'] });
 * console.log(albums.map((album) => album.get('canEdit'))); // => [ true, false ]
 * await db.close();
 *
 * @param related as for `sequelizeAdapter`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function sequelizeCan<
  M extends Model,
  Related extends { readonly [name: string]: ModelStatic<Model> } = Record<never, never>,
>(
  model: ModelStatic<M>,
  mapping: NoInfer<Mapping<keyof Attributes<M> & string, SequelizeTables<Related>>>,
  related?: Related,
  names: CanNames = {},
): (plans: PlannedCapabilities, options?: CanOptions) => SequelizeCanColumn[] {
  const table = storedTable(model);
  const relatedTable = relatedTables(related);
  requireMapping(table, mapping, relatedTable);
  return (plans, options) => {
    const taken = Object.keys(model.getAttributes());
    const own = { ...withoutSchema(options), ...names, taken, alias: options?.alias ?? model.name };
    const place = placeOf(model, related, mapping.dialect, options);
    return selectCanColumns(plans, table, mapping, own, relatedTable).columns.map(
      ({ name, parts, parameters }): SequelizeCanColumn => [expressionOf(parts, parameters, place), name],
    );
  };
}

/** Masks columns by the plans of the actions that show them. */
export interface SequelizeMask<M extends Model> {
  /** Columns for `attributes`. */
  <Action extends string, Other extends keyof Attributes<M> & string = never>(
    plans: PlannedCapabilities<Action>,
    masks: ColumnMasks<keyof Attributes<M> & string, NoInfer<Action>>,
    options?: MaskOptions<Other>,
  ): SequelizeCanColumn[];
  /**
   * A derived table for FROM of `sequelize.query`, with its parameters as literals and its alias, by names of the database:
   * filters and order read the masked values. It has deleted rows of a paranoid model, too.
   */
  source<Action extends string, Other extends keyof Attributes<M> & string>(
    plans: PlannedCapabilities<Action>,
    masks: ColumnMasks<keyof Attributes<M> & string, NoInfer<Action>>,
    options: SourceOptions<Other>,
  ): string;
}

/**
 * Creates the function that masks columns: `Pay.findAll({ attributes: ['id', ...mask(plans, { salary: 'view:salary' })] })`.
 * List the attributes, as `include` would add the unmasked ones; `MaskedRow<Attributes<Pay>, typeof masks>` has their
 * types. WHERE and ORDER BY of the query still read the columns of the table; those of
 * `` db.query(`SELECT * FROM ${mask.source(plans, masks, { alias: 'p', others: ['id'] })}`) `` read the masked ones.
 *
 * @example
 * import { sequelizeMask } from 'authz/adapters/sequelize';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { DataTypes, Sequelize } from 'sequelize';
 *
 * const db = new Sequelize(process.env['DATABASE_URL'] ?? '', { dialect: 'postgres', logging: false });
 * const Album = db.define(
 *   'Album',
 *   {
 *     id: { type: DataTypes.TEXT, primaryKey: true },
 *     ownerId: { type: DataTypes.TEXT, field: 'owner_id' },
 *     status: DataTypes.TEXT,
 *   },
 *   { tableName: 'sequelize_albums', timestamps: false },
 * );
 * await Album.sync({ force: true });
 * await Album.bulkCreate([
 *   { id: 'a1', ownerId: 'ann', status: 'OPEN' },
 *   { id: 'a2', ownerId: 'bob', status: 'OPEN' },
 * ]);
 *
 * const mask = sequelizeMask(Album, {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'ownerId', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * const albums = await Album.findAll({ attributes: ['id', ...mask(plans, { status: 'edit' })], order: ['id'] });
 * console.log(albums.map((album) => album.get('status'))); // => [ 'OPEN', null ]
 * await db.close();
 *
 * @param related as for `sequelizeAdapter`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function sequelizeMask<
  M extends Model,
  Related extends { readonly [name: string]: ModelStatic<Model> } = Record<never, never>,
>(
  model: ModelStatic<M>,
  mapping: NoInfer<Mapping<keyof Attributes<M> & string, SequelizeTables<Related>>>,
  related?: Related,
): SequelizeMask<M> {
  const table = storedTable(model);
  const relatedTable = relatedTables(related);
  requireMapping(table, mapping, relatedTable);
  const source: SequelizeMask<M>['source'] = (plans, masks, options) => {
    const own = { ...options, schema: undefined } as unknown as SourceOptions;
    const { parts, parameters, alias } = renderMaskedSource(plans, table, mapping, masks, own, relatedTable);
    const schema = options.schema === undefined ? undefined : { schema: options.schema, delimiter: undefined };
    const { queryGenerator } = model as unknown as {
      readonly queryGenerator: { quoteIdentifier(name: string): string };
    };
    const text = writeExpression(parts, parameters, { model, related, dialect: mapping.dialect }, () => schema);
    return `${text} AS ${queryGenerator.quoteIdentifier(alias)}`;
  };
  const columns = <Action extends string, Other extends keyof Attributes<M> & string = never>(
    plans: PlannedCapabilities<Action>,
    masks: ColumnMasks<keyof Attributes<M> & string, NoInfer<Action>>,
    options?: MaskOptions<Other>,
  ): SequelizeCanColumn[] => {
    const own = { ...withoutSchema(options), alias: options?.alias ?? model.name };
    const place = placeOf(model, related, mapping.dialect, options);
    return selectMasks(plans, table, mapping, masks, own, relatedTable).map(
      ({ name, parts, parameters }): SequelizeCanColumn => [expressionOf(parts, parameters, place), name],
    );
  };
  return Object.assign(columns, { source });
}

/** Where an expression is. */
interface Place {
  readonly model: ModelStatic<Model>;
  readonly related: { readonly [name: string]: ModelStatic<Model> } | undefined;
  readonly dialect: SqlDialect;
  /** The schema of the query, if the application says it. */
  readonly schema?: string | undefined;
  /** The alias of an expression, if the application does not say it. */
  readonly implicitAlias?: string;
}

function placeOf(
  model: ModelStatic<Model>,
  related: Place['related'],
  dialect: SqlDialect,
  options: { readonly alias?: string; readonly schema?: string } = {},
): Place {
  const { alias, schema } = options;
  return { model, related, dialect, schema, ...(alias === undefined && { implicitAlias: model.name }) };
}

/** Sequelize quotes names of related tables, with their schema. */
function withoutSchema<Options extends ConditionOptions | CanOptions>(options: Options | undefined): object {
  return { ...options, schema: undefined };
}

function relatedTables(related: { readonly [name: string]: ModelStatic<Model> } = {}): (name: string) => StoredTable {
  const found = relatedIn<ModelStatic<Model>>(related, storedTable);
  return (name) => ({ ...found(name), standIn: standInFor(name) });
}

/**
 * An expression with its parameters as literals. Related models without a schema of their own are in that of the query:
 * of `Album.schema('tenant_b').findAll`, which is known when Sequelize writes the query.
 */
function expressionOf(parts: readonly string[], parameters: readonly SqlParameter[], place: Place): Utils.Literal {
  const { model, related = {}, dialect, schema, implicitAlias } = place;
  const tables = splitDeferred(parts, dialect).flat();
  const models = tables.flatMap((piece) => (typeof piece === 'string' ? [] : (related[piece.table] as OfSchema)));
  const write = (query: () => QuerySchema | undefined): string => writeExpression(parts, parameters, place, query);
  const schemaOf =
    schema !== undefined
      ? () => ({ schema, delimiter: undefined })
      : models.every(({ _schema: own }) => Boolean(own))
        ? () => undefined
        : schemaOfQuery;
  if (schemaOf !== schemaOfQuery && implicitAlias === undefined) return literal(write(schemaOf));
  watchQueries(model);
  const get = (): string => {
    if (implicitAlias !== undefined) requireAlias(implicitAlias);
    return write(schemaOf);
  };
  return Object.defineProperty(literal(''), 'val', { get, enumerable: true });
}

/** The text of an expression in a query with a schema. */
function writeExpression(
  parts: readonly string[],
  parameters: readonly SqlParameter[],
  { related = {}, dialect }: Place,
  query: () => QuerySchema | undefined,
): string {
  const literalOf = LITERALS[dialect];
  return splitDeferred(parts, dialect)
    .flatMap((part, index) => (index === 0 ? part : [literalOf(parameters[index - 1] ?? null), ...part]))
    .map((piece) => (typeof piece === 'string' ? piece : quotedTable(related[piece.table] as OfSchema, query)))
    .join('');
}

function storedTable(model: ModelStatic<Model>): StoredTable {
  const table = model.getTableName();
  return {
    name: requireOwnName(
      typeof table === 'string' ? table : [table.schema, table.tableName].filter(Boolean).join('.'),
      model,
    ),
    library: 'Sequelize',
    columnName: (name) => requireOwnName(attributeNamed(model, name).field ?? name, model),
    typeOf: (name) => declaredColumn(attributeNamed(model, name), model),
    hidden: hiddenRows(model),
  };
}

/** Refuses a name that is another one in a statement with `bind`, as those that change rows have it. */
function requireOwnName(name: string, model: ModelStatic<Model>): string {
  if (/\B\$[\w$]/.test(name))
    throw new TypeError(
      `the model \`${model.name}\` has the name \`${name}\`, in which Sequelize replaces what follows \`$\`: it cannot be mapped`,
    );
  return name;
}

function attributeNamed(model: ModelStatic<Model>, name: string): ModelAttributeColumnOptions {
  const attributes = model.getAttributes();
  const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  if (attribute === undefined || attribute.type instanceof DataTypes.VIRTUAL)
    throw new TypeError(`the model \`${model.name}\` has no column \`${name}\``);
  return attribute;
}

function declaredColumn(attribute: ModelAttributeColumnOptions, model: ModelStatic<Model>): DeclaredColumn {
  const { type, allowNull, primaryKey } = attribute;
  const { key, values } = type as { readonly key?: string; readonly values?: readonly string[] };
  const { options } = model.sequelize as unknown as { readonly options: { readonly timezone?: string } };
  const dialect = model.sequelize?.getDialect();
  const isLocal = key === 'DATE' && dialect !== 'postgres' && !/^(Z|[+-]00:00)$/.test(options.timezone ?? '+00:00');
  return {
    type: isLocal ? 'datetime local' : typeNamed(attribute, dialect),
    isNotNull: allowNull === false || primaryKey === true,
    ...(values && { values }),
    digits: 3,
    isParsed: dialect !== 'sqlite' || key === 'JSON' || key === 'JSONB',
    ...(attribute.get !== undefined && {
      unusable:
        'its getter makes another value of what the database stores, which check would receive. Map an attribute without it',
    }),
  };
}

/** The type of the database that Sequelize makes of one of its own. */
function typeNamed({ type }: ModelAttributeColumnOptions, dialect: string | undefined): string {
  if (typeof type === 'string') return type;
  const { key, type: element } = type as { readonly key: string; readonly type?: ModelAttributeColumnOptions['type'] };
  if (key === 'ARRAY' && element !== undefined) return `${typeNamed({ type: element }, dialect)}[]`;
  return { ...TYPES, ...(dialect === 'postgres' && { DATE: 'timestamptz' }) }[key] ?? key;
}

const TYPES: { readonly [key: string]: string } = {
  STRING: 'varchar',
  DATE: 'datetime',
  DATEONLY: 'date',
  'DOUBLE PRECISION': 'double precision',
};

/** The rows that a model does not return: those of its default scope, and deleted ones. */
function hiddenRows(model: ModelStatic<Model>): HiddenRows {
  const { options } = model as unknown as {
    readonly options: { readonly paranoid?: boolean; readonly timestamps?: boolean; readonly defaultScope?: object };
  };
  const { _timestampAttributes: timestamps = {}, _scope: scope } = model as unknown as {
    readonly _timestampAttributes?: { readonly deletedAt?: string };
    readonly _scope?: { readonly where?: object };
  };
  const where: { [column: string]: string | number | boolean | null } = {};
  if (options.paranoid === true && options.timestamps !== false && timestamps.deletedAt !== undefined) {
    const { defaultValue } = attributeNamed(model, timestamps.deletedAt);
    const isPlain = defaultValue === undefined || defaultValue === null || !(typeof defaultValue === 'object');
    if (!isPlain) return { why: `the model \`${model.name}\` marks deleted rows by another value than NULL` };
    where[timestamps.deletedAt] = (defaultValue as string | null | undefined) || null;
  }
  const scoped = scope?.where ?? {};
  for (const column of Reflect.ownKeys(scoped)) {
    const value: unknown = (scoped as { readonly [name: PropertyKey]: unknown })[column];
    const isPlain =
      typeof column === 'string' && (value === null || ['string', 'number', 'boolean'].includes(typeof value));
    if (!isPlain)
      return { why: `the default scope of the model \`${model.name}\` hides rows by more than the values of columns` };
    where[column] = value as string | number | boolean | null;
  }
  return { where };
}

/**
 * Parameters as literals of the type that they have as parameters of a statement (docs/decisions/filters-and-sql.md#0084). None contains
 * `$`, which Sequelize replaces in the whole statement where a query has `bind`, or depends on a setting of the
 * connection for where it ends.
 */
const LITERALS: { readonly [dialect in SqlDialect]: (parameter: SqlParameter) => string } = {
  // A string literal is untyped, as a parameter is.
  postgresql(parameter) {
    if (parameter === null) return 'NULL';
    const text = String(parameter).replaceAll("'", "''");
    return /[$\\]/.test(text)
      ? `U&'${text.replace(/[$\\]/g, (character) => `\\00${character.charCodeAt(0).toString(16)}`)}'`
      : `'${text}'`;
  },
  sqlite(parameter) {
    if (typeof parameter !== 'string') return writeNumber(parameter);
    const pieces = parameter
      .split(/([$\0])/)
      .map((piece, index) => (index % 2 === 0 ? `'${piece.replaceAll("'", "''")}'` : `char(${piece.charCodeAt(0)})`));
    // The column can use its index with a single string.
    return pieces.length === 1 ? pieces.join('') : `(${pieces.join(' || ')})`;
  },
  mysql(parameter) {
    if (typeof parameter !== 'string') return writeNumber(parameter);
    return /^[^'$\\\0]*$/.test(parameter) ? `'${parameter}'` : `_utf8mb4 x'${encodeHex(parameter)}'`;
  },
};

/** A double, also if it is whole. In parentheses, because `--` begins a comment. */
function writeNumber(parameter: number | boolean | null): string {
  if (parameter === null) return 'NULL';
  const text = String(Number(parameter));
  return `(${text.includes('e') ? text : `${text}e0`})`;
}
