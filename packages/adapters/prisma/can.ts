import type { Engine, PrincipalInput, ResourceInput } from '../../../runtime/engine/index.js';
import {
  type CanFields,
  type CanNames,
  type CanOptions,
  selectCanColumns,
  type PlannedCapabilities,
} from '../capabilities.js';
import { capabilityName } from '../../../runtime/residual/sql/index.js';
import { type Mapping, type StoredTable, tableNamed } from '../condition.js';
import { type ColumnMasks, type MaskOptions, renderMaskedSource, selectMasks, type SourceOptions } from '../masks.js';

export type { Bit, CanFields, CanNames, CanOptions, PlannedCapabilities } from '../capabilities.js';
export type { Mapping } from '../condition.js';
export type { ColumnMasks, MaskedRow, MaskOptions, SourceOptions } from '../masks.js';

/** What the columns need of the namespace `Prisma` of a generated client. */
export interface PrismaSql<Sql> {
  sql(strings: readonly string[], ...values: unknown[]): Sql;
}

/**
 * Creates the function that turns plans of `engine.planCapabilities` into a list of columns for raw queries, as
 * `findMany` cannot select expressions: `` prisma.$queryRaw`SELECT a.*, ${can(plans, { alias: 'a' })} FROM albums AS a` ``.
 * In SQLite and MySQL, which have no booleans, they are 1 or 0; `CanFields<Action>` has their types.
 *
 * @example
 * import { prismaCan } from 'authz/adapters/prisma';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * // In your project: import { Prisma } from './prisma/client.js'.
 * const Prisma = { sql: (strings: readonly string[], ...values: unknown[]) => ({ text: strings.join('?'), values }) };
 * const can = prismaCan(Prisma, 'albums', {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * // In a query: prisma.$queryRaw`SELECT a.*, ${can(plans, { alias: 'a' })} FROM albums AS a`
 * console.log(can(plans, { alias: 'a' }).text);
 * // => (((a.status <> ? OR a.status IS NULL) AND a.owner_id = ?) IS TRUE) AS "canEdit"
 *
 * @param prisma the namespace `Prisma` of the generated client.
 * @param mapping names tables and columns as the database does.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function prismaCan<Sql>(
  prisma: PrismaSql<Sql>,
  table: string,
  mapping: Mapping<string>,
  names: CanNames = {},
): (plans: PlannedCapabilities, options?: CanOptions) => Sql {
  return (plans, options) => {
    const { columns } = selectCanColumns(plans, named(table), mapping, { ...options, ...names }, named);
    return listed(prisma, columns, mapping);
  };
}

/** Masks columns by the plans of the actions that show them. */
export interface PrismaMask<Sql> {
  /** A list of columns. WHERE and ORDER BY of the query still read the unmasked columns. */
  columns<Action extends string>(
    plans: PlannedCapabilities<Action>,
    masks: ColumnMasks<string, NoInfer<Action>>,
    options?: MaskOptions,
  ): Sql;
  /** A derived table for FROM, with other columns: filters and order read the masked values. */
  source<Action extends string>(
    plans: PlannedCapabilities<Action>,
    masks: ColumnMasks<string, NoInfer<Action>>,
    options: SourceOptions,
  ): Sql;
}

/**
 * Creates the functions that mask columns of raw queries: `` prisma.$queryRaw<MaskedRow<Pay, typeof masks>[]>`SELECT
 * ${mask.columns(plans, masks)} FROM pay` ``.
 *
 * @example
 * import { prismaMask } from 'authz/adapters/prisma';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * // In your project: import { Prisma } from './prisma/client.js'.
 * const Prisma = { sql: (strings: readonly string[], ...values: unknown[]) => ({ text: strings.join('?'), values }) };
 * const mask = prismaMask(Prisma, 'albums', {
 *   dialect: 'postgresql',
 *   attributes: { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } },
 * });
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plans = engine.planCapabilities({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * // In a query: prisma.$queryRaw`SELECT id, ${mask.columns(plans, { status: 'edit' })} FROM albums`
 * console.log(mask.columns(plans, { status: 'edit' }).text);
 * // => CASE WHEN ((albums.status <> ? OR albums.status IS NULL) AND albums.owner_id = ?) THEN albums.status END AS "status"
 *
 * @param prisma the namespace `Prisma` of the generated client.
 * @param mapping names tables and columns as the database does.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function prismaMask<Sql>(prisma: PrismaSql<Sql>, table: string, mapping: Mapping<string>): PrismaMask<Sql> {
  return {
    columns: (plans, masks, options) =>
      listed(prisma, selectMasks(plans, named(table), mapping, masks, options, named), mapping),
    source(plans, masks, options) {
      const { parts, parameters, alias } = renderMaskedSource(plans, named(table), mapping, masks, options, named);
      return listed(prisma, [{ name: alias, parts, parameters }], mapping);
    },
  };
}

function named(name: string): StoredTable {
  return tableNamed(name, 'Prisma');
}

/** Expressions with their names, separated by commas. */
function listed<Sql>(
  prisma: PrismaSql<Sql>,
  expressions: readonly {
    readonly name: string;
    readonly parts: readonly string[];
    readonly parameters: readonly unknown[];
  }[],
  { dialect }: Pick<Mapping<string>, 'dialect'>,
): Sql {
  const quote = dialect === 'mysql' ? '`' : '"';
  const strings = [''];
  const values: unknown[] = [];
  for (const [index, { name, parts, parameters }] of expressions.entries()) {
    const [first = '', ...others] = parts;
    strings[strings.length - 1] += (index === 0 ? '' : ', ') + first;
    strings.push(...others);
    strings[strings.length - 1] += ` AS ${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
    values.push(...parameters);
  }
  return prisma.sql(strings, ...values);
}

/** What decides about records. */
export interface RecordsAsked<Row, Action extends string> {
  readonly engine: Pick<Engine, 'for'>;
  readonly principal: PrincipalInput;
  readonly kind: string;
  readonly actions: readonly Action[];
  /** The resource that check receives for a record. */
  readonly resourceOf: (row: Row) => Omit<ResourceInput, 'kind'>;
}

/**
 * Adds to each record of `findMany` what is allowed on it: `canFor(await prisma.album.findMany(), { engine, ... })`. It
 * decides in process, so the records need all attributes that the policies read.
 *
 * @example
 * import { canFor } from 'authz/adapters/prisma';
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * // In your project: const albums = await prisma.album.findMany()
 * const albums = [{ id: 'a1', ownerId: 'ann' }, { id: 'a2', ownerId: 'bob' }];
 * const rows = canFor(albums, {
 *   engine: createEngine(policies),
 *   principal: { id: 'ann', roles: ['user'] },
 *   kind: 'album',
 *   actions: ['edit'],
 *   resourceOf: ({ id, ownerId }) => ({ id, attr: { owner: ownerId } }),
 * });
 * console.log(rows.map(({ canEdit }) => canEdit)); // => [ true, false ]
 */
export function canFor<Row extends object, Action extends string>(
  rows: readonly Row[],
  { engine, principal, kind, actions, resourceOf }: RecordsAsked<Row, Action>,
): readonly (Row & CanFields<Action>)[] {
  const prepared = engine.for(principal);
  return rows.map((row) => {
    const resource = { ...resourceOf(row), kind };
    const fields = actions.map((action) => [capabilityName(action), prepared.can(action, resource)] as const);
    return { ...row, ...(Object.fromEntries(fields) as CanFields<Action>) };
  });
}
