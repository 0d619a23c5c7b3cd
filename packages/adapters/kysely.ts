/** Plans as conditions of Kysely. */
import {
  type AliasedRawBuilder,
  type Kysely,
  ListNode,
  type RawBuilder,
  type SelectType,
  type SqlBool,
  sql,
  TableNode,
} from 'kysely';
import { type RowReader, rowReader } from './attributes.js';
import type { FactSource } from '../../runtime/facts/index.js';
import { columnSource, type FactsOf, mappedReaders, requireId } from './column-source.js';
import { splitDeferred, standInFor } from './deferred-tables.js';
import {
  type Bit,
  type CanNames,
  type CanOptions,
  type CapabilityName,
  selectCanColumns,
  type PlannedCapabilities,
  type StrictCanOptions,
} from './capabilities.js';
import {
  type ConditionOptions,
  type ConditionParts,
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
  type MaskOptions,
  renderMaskedSource,
  selectMasks,
  type SourceOptions,
  type ToldAction,
} from './masks.js';

export * from './sql-exports.js';
export type { FactsOf } from './column-source.js';
export type { Bit, CanNames, CanOptions, PlannedCapabilities, StrictCanOptions } from './capabilities.js';
export type { ColumnMasks, MaskOptions, SourceOptions } from './masks.js';

/** The columns of each table of a database. */
export type KyselyTables<Database> = { readonly [Name in keyof Database]: keyof Database[Name] & string };

/** Turns a plan into a condition for `where`, and reads rows that a query returned. */
export interface KyselyAdapter<Row extends object> extends RowReader<Row, object> {
  /** @throws {UnsupportedPlanError} for a plan that cannot be translated exactly. */
  (plan: PlannedFilter, options?: ConditionOptions): RawBuilder<SqlBool>;
}

/** A row of a table as queries return it, with the rows that were loaded with it. */
export type KyselyRow<Table> = { readonly [Column in keyof Table]?: unknown } & {
  readonly [related: string]: unknown;
};

/**
 * Creates the function that turns a plan into a condition for `where`: `kyselyAdapter<Database, 'albums'>('albums', ...)`.
 *
 * @example
 * import { kyselyAdapter } from 'authz/adapters/kysely';
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
 *
 * interface Database {
 *   albums: { id: string; owner_id: string; status: string | null };
 * }
 * const db = new Kysely<Database>({
 *   dialect: {
 *     createAdapter: () => new PostgresAdapter(),
 *     createDriver: () => new DummyDriver(),
 *     createIntrospector: (kysely) => new PostgresIntrospector(kysely),
 *     createQueryCompiler: () => new PostgresQueryCompiler(),
 *   },
 * });
 *
 * const allowed = kyselyAdapter<Database, 'albums'>('albums', {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plan = createEngine(policies).plan({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * console.log(db.selectFrom('albums').select('id').where(allowed(plan)).compile().sql);
 * // => select "id" from "albums" where ((albums.status <> $1 OR albums.status IS NULL) AND albums.owner_id = $2)
 *
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function kyselyAdapter<Database, Name extends keyof Database & string>(
  table: Name,
  mapping: Mapping<keyof Database[Name] & string, KyselyTables<Database>>,
): KyselyAdapter<KyselyRow<Database[Name]>> {
  const stored = tableNamed(table, LIBRARY);
  const named = mapping as unknown as Mapping<string>;
  requireMapping(stored, named, related);
  const conditionFor = (plan: PlannedFilter, options?: ConditionOptions): RawBuilder<SqlBool> => {
    return withTables(renderCondition(plan, stored, named, options, related), mapping.dialect);
  };
  return Object.assign(conditionFor, rowReader<KyselyRow<Database[Name]>, object>(stored, named, related));
}

const LIBRARY = 'Kysely';

/** A related table. Kysely has to write its name if it has no schema of its own. */
function related(name: string): StoredTable {
  const table = tableNamed(name, LIBRARY);
  return name.includes('.') ? table : { ...table, standIn: standInFor(name) };
}

/**
 * A condition in which Kysely writes the names of related tables, so that those of `withSchema` are in its schema. Kysely
 * reads `table` of a node to know the tables that have one.
 */
function withTables({ parts, parameters }: ConditionParts, dialect: Mapping<string>['dialect']): RawBuilder<SqlBool> {
  const texts: string[] = [''];
  const operands: unknown[] = [];
  const tables = new Map<string, TableNode>();
  const operand = (value: unknown): void => {
    operands.push(value);
    texts.push('');
  };
  splitDeferred(parts, dialect).forEach((pieces, index) => {
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        texts[texts.length - 1] += piece;
        continue;
      }
      tables.set(piece.table, TableNode.create(piece.table));
      operand(sql.table(piece.table));
    }
    if (index < parameters.length) operand(parameters[index]);
  });
  const condition = sql<SqlBool>(Object.assign(texts, { raw: texts }), ...operands);
  if (tables.size === 0) return condition;
  const nodes = ListNode.create([...tables.values()]);
  return condition.withPlugin({
    transformQuery: ({ node }) => ({ ...node, table: nodes }) as typeof node,
    transformResult: async ({ result }) => result,
  });
}

/**
 * Creates a source of facts from a table: `kyselyFacts(db, 'albums', mapping, { of: 'album' })`. A transaction of Kysely
 * is the `tx` of a decision.
 *
 * @example
 * import { kyselyFacts } from 'authz/adapters/kysely';
 * import { createFactsEngine } from 'authz/facts';
 * import { policies } from './dist/policies.js';
 * import { Kysely, PostgresDialect, sql } from 'kysely';
 * import { Pool } from 'pg';
 *
 * interface Database {
 *   kysely_albums: { id: string; owner_id: string; status: string | null };
 * }
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });
 * const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
 * await sql`CREATE TABLE kysely_albums AS SELECT 'a1' AS id, 'ann' AS owner_id, 'OPEN' AS status`.execute(db);
 *
 * const mapping = {
 *   dialect: 'postgresql',
 *   id: { column: 'id', type: 'text' },
 *   attributes: { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } },
 * } as const;
 * const source = kyselyFacts(db, 'kysely_albums', mapping, { of: 'album' });
 * const authz = createFactsEngine(policies, { sources: [source] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const { allowed } = await authz.decide({ principal, resource: { kind: 'album', id: 'a1' }, action: 'edit' });
 * console.log(allowed); // => true
 * await db.destroy();
 *
 * @param mapping that of `kyselyAdapter`, with an `id`.
 */
export function kyselyFacts<Database, Name extends keyof Database & string>(
  db: Kysely<Database>,
  table: Name,
  mapping: NoInfer<Mapping<keyof Database[Name] & string, KyselyTables<Database>>>,
  options: FactsOf,
): FactSource {
  const named = mapping as unknown as Mapping<string>;
  const stored = tableNamed(table, LIBRARY);
  requireMapping(stored, named, related);
  const id = requireId(named, table);
  return columnSource(options, mappedReaders(named, stored, related), id, (columns, key, keys, tx, lock) => {
    // The names are those of the mapping, whose types are checked above.
    const from = (tx ?? db) as Kysely<{ [table: string]: { [column: string]: unknown } }>;
    const rows = from
      .selectFrom(table as string)
      .select([...columns])
      .where(key, 'in', [...keys]);
    // In SQLite a transaction cannot write if another one has written since it read.
    if (lock === undefined || named.dialect === 'sqlite') return rows.execute();
    const ordered = rows.orderBy(key);
    return (lock === 'share' ? ordered.forShare() : ordered.forUpdate()).execute();
  });
}

/** A column for `select` for each of several actions: `canEdit`, `canDelete`. */
export type KyselyCanColumns<Action extends string, Value> = {
  [A in Action]: AliasedRawBuilder<Value, CapabilityName<A>>;
}[Action][];

/** Turns the plans of several actions into columns for `select`. */
export interface KyselyCan<Value> {
  <Action extends string>(
    plans: PlannedCapabilities<Action>,
    options?: StrictCanOptions,
  ): KyselyCanColumns<Action, Value>;
  <Action extends string>(
    plans: PlannedCapabilities<Action>,
    options: CanOptions,
  ): KyselyCanColumns<Action, Value | null>;
}

/**
 * Creates the function that turns plans of `engine.planCapabilities` into columns that say which actions are allowed on
 * each row: `db.selectFrom('albums').selectAll().select(can(plans))`. They are never NULL. In SQLite and MySQL, which
 * have no booleans, they are 1 or 0.
 *
 * @example
 * import { kyselyCan } from 'authz/adapters/kysely';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
 *
 * interface Database {
 *   albums: { id: string; owner_id: string; status: string | null };
 * }
 * const db = new Kysely<Database>({
 *   dialect: {
 *     createAdapter: () => new PostgresAdapter(),
 *     createDriver: () => new DummyDriver(),
 *     createIntrospector: (kysely) => new PostgresIntrospector(kysely),
 *     createQueryCompiler: () => new PostgresQueryCompiler(),
 *   },
 * });
 *
 * const can = kyselyCan<Database, 'albums'>('albums', {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * console.log(db.selectFrom('albums').select('id').select(can(plans)).compile().sql);
 * // => select "id", (((albums.status <> $1 OR albums.status IS NULL) AND albums.owner_id = $2) IS TRUE) as "canEdit" from "albums"
 *
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function kyselyCan<Database, Name extends keyof Database & string>(
  table: Name,
  mapping: Mapping<keyof Database[Name] & string, KyselyTables<Database>> & { readonly dialect: 'postgresql' },
  names?: CanNames,
): KyselyCan<boolean>;
export function kyselyCan<Database, Name extends keyof Database & string>(
  table: Name,
  mapping: Mapping<keyof Database[Name] & string, KyselyTables<Database>>,
  names?: CanNames,
): KyselyCan<Bit>;
export function kyselyCan(table: string, mapping: Mapping<string>, names: CanNames = {}): KyselyCan<never> {
  const stored = tableNamed(table, LIBRARY);
  requireMapping(stored, mapping, related);
  return ((plans: PlannedCapabilities, options?: CanOptions) =>
    selectCanColumns(plans, stored, mapping, { ...options, ...names }, related).columns.map(
      ({ name, parts, parameters }) => withTables({ parts, parameters }, mapping.dialect).as(name),
    )) as unknown as KyselyCan<never>;
}

/** A column that is NULL where its action is denied, for each column of a mask, and what is told of the actions. */
export type KyselyMaskedColumns<Row, Masked, Other extends string, Tell extends boolean> = (
  | {
      [C in MaskedName<Masked, Other> & keyof Row & string]: AliasedRawBuilder<SelectType<Row[C]> | null, C>;
    }[MaskedName<Masked, Other> & keyof Row & string]
  | { [A in ToldAction<Masked, Tell>]: AliasedRawBuilder<boolean | Bit, CapabilityName<A>> }[ToldAction<Masked, Tell>]
)[];

/** Masks columns by the plans of the actions that show them. */
export interface KyselyMask<Row> {
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
  ): KyselyMaskedColumns<Row, Masked, Other, Tell>;
  /** A derived table for `selectFrom`, with other columns: filters and order read the masked values. */
  source<
    Action extends string,
    const Masked extends ColumnMasks<keyof Row & string, NoInfer<Action>>,
    Other extends keyof Row & string,
    Alias extends string,
  >(
    plans: PlannedCapabilities<Action>,
    masks: Masked,
    options: SourceOptions<Other, Alias>,
  ): AliasedRawBuilder<
    { [C in MaskedName<Masked, Other> & keyof Row & string]: SelectType<Row[C]> | null } & {
      [C in Exclude<Other, MaskedName<Masked, Other>>]: SelectType<Row[C]>;
    },
    Alias
  >;
}

/**
 * Creates the functions that mask columns: `db.selectFrom('pay').select('id').select(mask.columns(plans, { salary:
 * 'view:salary' }))`. The plans are those of `engine.planCapabilities` for the actions that show columns.
 *
 * @example
 * import { kyselyMask } from 'authz/adapters/kysely';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 * import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
 *
 * interface Database {
 *   albums: { id: string; owner_id: string; status: string | null };
 * }
 * const db = new Kysely<Database>({
 *   dialect: {
 *     createAdapter: () => new PostgresAdapter(),
 *     createDriver: () => new DummyDriver(),
 *     createIntrospector: (kysely) => new PostgresIntrospector(kysely),
 *     createQueryCompiler: () => new PostgresQueryCompiler(),
 *   },
 * });
 *
 * const mask = kyselyMask<Database, 'albums'>('albums', {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * console.log(db.selectFrom('albums').select('id').select(mask.columns(plans, { status: 'edit' })).compile().sql);
 * // => select "id", CASE WHEN ((albums.status <> $1 OR albums.status IS NULL) AND albums.owner_id = $2) THEN albums.status END as "status" from "albums"
 *
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function kyselyMask<Database, Name extends keyof Database & string>(
  table: Name,
  mapping: Mapping<keyof Database[Name] & string, KyselyTables<Database>>,
): KyselyMask<Database[Name]> {
  const stored = tableNamed(table, LIBRARY);
  const named = mapping as unknown as Mapping<string>;
  requireMapping(stored, named, related);
  return {
    columns: (plans: PlannedCapabilities, masks: object, options?: MaskOptions) =>
      selectMasks(plans, stored, named, masks, options, related).map(({ name, parts, parameters }) =>
        withTables({ parts, parameters }, mapping.dialect).as(name),
      ),
    source(plans: PlannedCapabilities, masks: object, options: SourceOptions) {
      const { parts, parameters, alias } = renderMaskedSource(plans, stored, named, masks, options, related);
      return withTables({ parts, parameters }, mapping.dialect).as(alias);
    },
  } as unknown as KyselyMask<Database[Name]>;
}
