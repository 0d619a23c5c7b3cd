/** Plans as conditions of Knex. */
import type { Knex } from 'knex';
import type { SqlDialect } from '../../runtime/residual/sql/index.js';
import type { FactSource } from '../../runtime/facts/index.js';
import { type RowReader, rowReader } from './attributes.js';
import { columnSource, type FactsOf, mappedReaders, requireId } from './column-source.js';
import {
  type Bit,
  type CanFields,
  type CanNames,
  type CanOptions,
  selectCanColumns,
  type PlannedCapabilities,
  type StrictCanOptions,
} from './capabilities.js';
import {
  type ConditionOptions,
  renderCondition,
  type Mapping,
  type PlannedFilter,
  requireMapping,
  type StoredTable,
  tableNamed,
} from './condition.js';
import {
  type ColumnMasks,
  type MaskedName,
  type MaskedRow,
  type MaskOptions,
  renderMaskedSource,
  selectMasks,
  type SourceOptions,
} from './masks.js';

export * from './sql-exports.js';
export type { FactsOf } from './column-source.js';
export type { Bit, CanFields, CanNames, CanOptions, PlannedCapabilities, StrictCanOptions } from './capabilities.js';
export type { ColumnMasks, MaskedRow, MaskOptions, SourceOptions } from './masks.js';

/** The columns of tables, by the rows of each. */
export type KnexTables<Rows> = { readonly [Name in keyof Rows]: keyof Rows[Name] & string };

/** Turns a plan into a callback for `where`, and reads rows that a query returned. */
export interface KnexAdapter<Row extends object> extends RowReader<Row, object> {
  /** @throws {UnsupportedPlanError} for a plan that cannot be translated exactly. */
  (plan: PlannedFilter, options?: ConditionOptions): (query: Knex.QueryBuilder) => void;
}

/**
 * Creates the function that turns a plan into a callback for `where`: `knexAdapter<AlbumRow>('albums', ...)`. The rows of
 * related tables type the relations: `knexAdapter<AlbumRow, { users: UserRow }>('albums', ...)`.
 *
 * @example
 * import { knexAdapter } from 'authz/adapters/knex';
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import knex from 'knex';
 *
 * interface AlbumRow {
 *   id: string;
 *   owner_id: string;
 *   status: string | null;
 * }
 * const db = knex({ client: 'pg' });
 * const allowed = knexAdapter<AlbumRow>('albums', {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plan = createEngine(policies).plan({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * console.log(db('albums').select('id').where(allowed(plan)).toSQL().sql);
 * // => select "id" from "albums" where (((albums.status <> ? OR albums.status IS NULL) AND albums.owner_id = ?))
 *
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function knexAdapter<
  Row extends object,
  Related extends object = { [table: string]: { [column: string]: unknown } },
>(
  table: string,
  mapping: Mapping<keyof Row & string, KnexTables<Related>>,
): KnexAdapter<Partial<Row> & { readonly [related: string]: unknown }> {
  const stored = namedTable(table);
  const named = mapping as unknown as Mapping<string>;
  requireMapping(stored, named, namedTable);
  const conditionFor = (plan: PlannedFilter, options?: ConditionOptions): ((query: Knex.QueryBuilder) => void) => {
    const { parts, parameters } = renderCondition(plan, stored, named, options, namedTable);
    const condition = rawText(parts, table, mapping.dialect);
    return (query) => {
      query.whereRaw(condition, parameters);
    };
  };
  return Object.assign(
    conditionFor,
    rowReader<Partial<Row> & { readonly [related: string]: unknown }, object>(stored, named, namedTable),
  );
}

/**
 * Creates a source of facts from a table: `knexFacts<AlbumRow>(db, 'albums', mapping, { of: 'album' })`. A transaction of
 * Knex is the `tx` of a decision.
 *
 * @example
 * import { knexFacts } from 'authz/adapters/knex';
 * import { createFactsEngine } from 'authz/facts';
 * import { policies } from './dist/policies.js';
 * import knex from 'knex';
 *
 * interface AlbumRow {
 *   id: string;
 *   owner_id: string;
 *   status: string | null;
 * }
 * const db = knex({ client: 'pg', connection: process.env['DATABASE_URL'] ?? '' });
 * await db.raw("CREATE TABLE knex_albums AS SELECT 'a1' AS id, 'ann' AS owner_id, 'OPEN' AS status");
 *
 * const mapping = {
 *   dialect: 'postgresql',
 *   id: { column: 'id', type: 'text' },
 *   attributes: { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } },
 * } as const;
 * const source = knexFacts<AlbumRow>(db, 'knex_albums', mapping, { of: 'album' });
 * const authz = createFactsEngine(policies, { sources: [source] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const { allowed } = await authz.decide({ principal, resource: { kind: 'album', id: 'a1' }, action: 'edit' });
 * console.log(allowed); // => true
 * await db.destroy();
 *
 * @param mapping that of `knexAdapter`, with an `id`.
 */
export function knexFacts<
  Row extends object,
  Related extends object = { [table: string]: { [column: string]: unknown } },
>(db: Knex, table: string, mapping: Mapping<keyof Row & string, KnexTables<Related>>, options: FactsOf): FactSource {
  const stored = namedTable(table);
  const named = mapping as unknown as Mapping<string>;
  requireMapping(stored, named, namedTable);
  const id = requireId(named, table);
  return columnSource(options, mappedReaders(named, stored, namedTable), id, async (columns, key, keys, tx, lock) => {
    const query = ((tx ?? db) as Knex)(table)
      .select(...columns)
      .whereIn(key, [...keys] as string[]);
    // In SQLite a transaction cannot write if another one has written since it read.
    if (lock !== undefined && named.dialect !== 'sqlite')
      query.orderBy(key)[lock === 'share' ? 'forShare' : 'forUpdate']();
    const rows: unknown = await query;
    return rows as readonly object[];
  });
}

/** Turns the plans of several actions into columns for `select`. */
export interface KnexCan<Value> {
  <Action extends string>(
    plans: PlannedCapabilities<Action>,
    options?: StrictCanOptions,
  ): readonly Knex.Raw<CanFields<Action, Value>>[];
  <Action extends string>(
    plans: PlannedCapabilities<Action>,
    options: CanOptions,
  ): readonly Knex.Raw<CanFields<Action, Value | null>>[];
}

/**
 * Creates the function that turns plans of `engine.planCapabilities` into columns that say which actions are allowed on
 * each row: `knex('albums').select('albums.*', ...can(plans))`. In SQLite and MySQL, which have no booleans, they are 1
 * or 0.
 *
 * @example
 * import { knexCan } from 'authz/adapters/knex';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import knex from 'knex';
 *
 * interface AlbumRow {
 *   id: string;
 *   owner_id: string;
 *   status: string | null;
 * }
 * const db = knex({ client: 'pg' });
 * const can = knexCan<AlbumRow>(db, 'albums', {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * console.log(db('albums').select('id', ...can(plans)).toSQL().sql);
 * // => select "id", (((albums.status <> ? OR albums.status IS NULL) AND albums.owner_id = ?) IS TRUE) AS "canEdit" from "albums"
 *
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function knexCan<
  Row extends object,
  Related extends object = { [table: string]: { [column: string]: unknown } },
>(
  knex: Pick<Knex, 'raw'>,
  table: string,
  mapping: Mapping<keyof Row & string, KnexTables<Related>> & { readonly dialect: 'postgresql' },
  names?: CanNames,
): KnexCan<boolean>;
export function knexCan<
  Row extends object,
  Related extends object = { [table: string]: { [column: string]: unknown } },
>(
  knex: Pick<Knex, 'raw'>,
  table: string,
  mapping: Mapping<keyof Row & string, KnexTables<Related>>,
  names?: CanNames,
): KnexCan<Bit>;
export function knexCan(
  knex: Pick<Knex, 'raw'>,
  table: string,
  mapping: Mapping<string>,
  names: CanNames = {},
): KnexCan<never> {
  const stored = namedTable(table);
  requireMapping(stored, mapping, namedTable);
  return ((plans: PlannedCapabilities, options?: CanOptions) =>
    selectCanColumns(plans, stored, mapping, { ...options, ...names }, namedTable).columns.map(
      ({ name, parts, parameters }) =>
        knex.raw(`${rawText(parts, table, mapping.dialect)} AS ??`, [...parameters, name] as never),
    )) as unknown as KnexCan<never>;
}

/** Masks columns by the plans of the actions that show them. */
export interface KnexMask<Row> {
  /** Columns for `select`. WHERE and ORDER BY of the query still read the unmasked columns. */
  columns<
    Action extends string,
    const Masked extends ColumnMasks<keyof Row & string, NoInfer<Action>>,
    Other extends keyof Row & string = never,
    Tell extends boolean = false,
  >(
    plans: PlannedCapabilities<Action>,
    masks: Masked,
    options?: MaskOptions<Other, Tell>,
  ): readonly Knex.Raw<MaskedRow<Row, Masked, Other, Tell, boolean | Bit>>[];
  /** A derived table for `from`, with other columns: filters and order read the masked values. */
  source<
    Action extends string,
    const Masked extends ColumnMasks<keyof Row & string, NoInfer<Action>>,
    Other extends keyof Row & string,
  >(
    plans: PlannedCapabilities<Action>,
    masks: Masked,
    options: SourceOptions<Other>,
  ): Knex.Raw<MaskedRow<Row, Masked, Other> & Pick<Row, Exclude<Other, MaskedName<Masked, Other>>>>;
}

/**
 * Creates the functions that mask columns: `knex('pay').select('id', ...mask.columns(plans, { salary: 'view:salary' }))`,
 * and `knex.select().from(mask.source(plans, masks, { alias: 'pay', others: ['id'] }))`.
 *
 * @example
 * import { knexMask } from 'authz/adapters/knex';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import knex from 'knex';
 *
 * interface AlbumRow {
 *   id: string;
 *   owner_id: string;
 *   status: string | null;
 * }
 * const db = knex({ client: 'pg' });
 * const mask = knexMask<AlbumRow>(db, 'albums', {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * console.log(db('albums').select('id', ...mask.columns(plans, { status: 'edit' })).toSQL().sql);
 * // => select "id", CASE WHEN ((albums.status <> ? OR albums.status IS NULL) AND albums.owner_id = ?) THEN albums.status END AS "status" from "albums"
 *
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function knexMask<
  Row extends object,
  Related extends object = { [table: string]: { [column: string]: unknown } },
>(knex: Pick<Knex, 'raw'>, table: string, mapping: Mapping<keyof Row & string, KnexTables<Related>>): KnexMask<Row> {
  const stored = namedTable(table);
  const named = mapping as unknown as Mapping<string>;
  requireMapping(stored, named, namedTable);
  const write = (parts: readonly string[], parameters: readonly unknown[], name: string): Knex.Raw =>
    knex.raw(`${rawText(parts, table, mapping.dialect)} AS ??`, [...parameters, name] as never);
  return {
    columns: (plans: PlannedCapabilities, masks: object, options?: MaskOptions) =>
      selectMasks(plans, stored, named, masks, options, namedTable).map(({ name, parts, parameters }) =>
        write(parts, parameters, name),
      ),
    source(plans: PlannedCapabilities, masks: object, options: SourceOptions) {
      const { parts, parameters, alias } = renderMaskedSource(plans, stored, named, masks, options, namedTable);
      return write(parts, parameters, alias);
    },
  } as unknown as KnexMask<Row>;
}

function namedTable(name: string): StoredTable {
  return tableNamed(name, 'Knex');
}

/** Knex reads `?` as a placeholder, and only its dialect of PostgreSQL has an escape. */
function rawText(parts: readonly string[], table: string, dialect: SqlDialect): string {
  if (dialect !== 'postgresql' && parts.some((part) => part.includes('?')))
    throw new TypeError(`a column of \`${table}\` has \`?\` in its name, which Knex reads as a placeholder: rename it`);
  return parts.map((part) => part.replaceAll('?', '\\?')).join('?');
}
