import {
  type CapabilityOptions,
  isRefused,
  outcomeOf,
  problemOf,
  type PlannedCapabilities,
  type RefusedCapability,
  renderCapabilities,
  type SqlCapability,
} from './capabilities.js';
import type { SqlParameter } from './condition-result.js';
import type { Dialect } from './dialect.js';
import { ALWAYS, listed, NEVER, type Sql, sql } from './fragment.js';
import { selectDialect, LONGEST, MOST_PARAMETERS, writeStatement } from './render.js';
import { identifier } from './scope.js';
import { isRelation, pathOfColumn, type SqlTable } from './table.js';
import { UnsupportedPlanError } from './unsupported-plan.js';

/**
 * The action that shows each attribute: `{ salary: 'view:salary' }`. `*` is for all other attributes with a column of
 * the table. An attribute without an action is not masked.
 */
export interface Masks<Action extends string = string> {
  readonly [attributePath: string]: Action;
}

export interface MaskOptions<Action extends string = string> extends CapabilityOptions {
  readonly masks: Masks<Action>;
  /** Whether each action also gets a column that says whether it is allowed, as a masked value and NULL look alike. */
  readonly tell?: boolean;
}

/** Columns that are NULL where the action that shows them is denied. */
export interface SqlMasks<Action extends string = string> {
  readonly columns: readonly SqlMask<Action>[];
  /** The columns of the actions, if `tell` is set. */
  readonly told: readonly SqlCapability<Action>[];
  /** All columns for SELECT, with their names and with placeholders. */
  readonly text: string;
  readonly parameters: readonly SqlParameter[];
  /** The actions without SQL, whose columns are NULL for every row, and those that show too few rows. */
  readonly refused: readonly RefusedCapability<Action>[];
}

/** `CASE WHEN the action is allowed THEN the column END`. */
export interface SqlMask<Action extends string = string> {
  /** The name of the column in the table, and in the result. */
  readonly name: string;
  readonly action: Action;
  readonly parts: TemplateStringsArray;
  readonly parameters: readonly SqlParameter[];
}

/** A column that an action shows. */
interface MaskedColumn<Action> {
  readonly column: string;
  readonly action: Action;
}

/**
 * Columns that are NULL on the rows where the action that shows them is denied. They protect what a query returns: its
 * WHERE, ORDER BY, GROUP BY and aggregates still read the columns of the table, so a query whose filters or order come
 * from users reads from `renderMaskedSource`.
 *
 * @example
 * import { renderMasks } from 'authz/residual';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const plans = engine.planCapabilities({
 *   principal: { id: 'ann', roles: ['user'] },
 *   resource: { kind: 'album' },
 *   actions: ['edit'],
 * });
 * const columns = { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } } as const;
 * const albums = { name: 'albums', columns };
 * const masks = { status: 'edit' } as const;
 * console.log(renderMasks(plans, albums, { dialect: 'postgresql', masks }).text);
 * // => CASE WHEN ((albums.status <> $1 OR albums.status IS NULL) AND albums.owner_id = $2) THEN albums.status END AS status
 *
 * @throws {UnsupportedPlanError} if a plan cannot be translated exactly, unless `onRefused` is `null`.
 * @throws {TypeError} for an attribute without a column of the table, or an action without a plan.
 */
export function renderMasks<Action extends string>(
  plans: PlannedCapabilities<Action>,
  table: SqlTable,
  options: MaskOptions<Action>,
): SqlMasks<Action> {
  return renderColumnMasks(plans, table, maskedColumns(table, options.masks), options);
}

/**
 * The same, for columns of the table, whether an attribute is stored in them or not.
 *
 * @example
 * import { renderColumnMasks } from 'authz/residual';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const plans = engine.planCapabilities({
 *   principal: { id: 'ann', roles: ['user'] },
 *   resource: { kind: 'album' },
 *   actions: ['edit'],
 * });
 * const columns = { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } } as const;
 * const albums = { name: 'albums', columns };
 * const masked = [{ column: 'status', as: 'status', action: 'edit' }] as const;
 * console.log(renderColumnMasks(plans, albums, masked, { dialect: 'postgresql' }).text);
 * // => CASE WHEN ((albums.status <> $1 OR albums.status IS NULL) AND albums.owner_id = $2) THEN albums.status END AS status
 */
export function renderColumnMasks<Action extends string>(
  plans: PlannedCapabilities<Action>,
  table: SqlTable,
  masked: readonly MaskedColumn<Action>[],
  options: CapabilityOptions & Pick<MaskOptions, 'tell'>,
): SqlMasks<Action> {
  const dialect = selectDialect(options);
  const { refused, conditionFor } = conditionsOf(plans, table, options);
  const parameters: SqlParameter[] = [];
  const texts: string[] = [];
  const columns = masked.map(({ column, action }): SqlMask<Action> => {
    const expression = maskedBy(conditionFor(action), columnIn(table, column, dialect), dialect);
    const written = writeStatement(expression, dialect, (options.offset ?? 0) + parameters.length);
    parameters.push(...written.parameters);
    const name = nameOf(column);
    texts.push(`${written.text} AS ${identifier(name, dialect)}`);
    return { name, action, parts: written.parts, parameters: written.parameters };
  });
  requireLength(parameters.length, texts.join().length, columns, table);
  const actions = options.tell === true ? [...new Set(masked.map(({ action }) => action))] : [];
  const told = renderCapabilities(Object.fromEntries(actions.map((action) => [action, plans[action]])), table, {
    ...options,
    offset: (options.offset ?? 0) + parameters.length,
  });
  return {
    columns,
    told: told.columns as readonly SqlCapability<Action>[],
    text: [...texts, ...(told.text === '' ? [] : [told.text])].join(', '),
    parameters: [...parameters, ...told.parameters],
    refused,
  };
}

/** A table for FROM in which values are masked. */
export interface SqlMaskedSource {
  /** `(SELECT ... FROM pay) AS pay`, with placeholders. */
  readonly text: string;
  /** The same without the alias, between its parameters. */
  readonly parts: TemplateStringsArray;
  readonly parameters: readonly SqlParameter[];
  readonly alias: string;
}

/**
 * A derived table with the id and the mapped columns, masked as in `renderMasks`, for queries whose filters, order or
 * aggregates come from users: they read the masked values.
 *
 * @example
 * import { renderMaskedSource } from 'authz/residual';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const plans = engine.planCapabilities({
 *   principal: { id: 'ann', roles: ['user'] },
 *   resource: { kind: 'album' },
 *   actions: ['edit'],
 * });
 * const columns = { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } } as const;
 * const albums = { name: 'albums', columns };
 * const masks = { status: 'edit' } as const;
 * console.log(renderMaskedSource(plans, albums, { dialect: 'postgresql', masks }).text);
 * // => (SELECT albums.owner_id AS owner_id, CASE WHEN ((albums.status <> $1 OR albums.status IS NULL) AND albums.owner_id = $2) THEN albums.status END AS status FROM albums) AS albums
 *
 * @param others columns of the table that no attribute names, which it also has, as they are.
 */
export function renderMaskedSource<Action extends string>(
  plans: PlannedCapabilities<Action>,
  table: SqlTable,
  options: Omit<MaskOptions<Action>, 'tell'> & { readonly others?: readonly string[] },
): SqlMaskedSource {
  const masked = maskedColumns(table, options.masks);
  const plain = [
    ...(table.id === undefined ? [] : [table.id.column]),
    ...ownColumns(table).map(({ column }) => column),
  ];
  return renderColumnSource(plans, table, masked, { ...options, others: [...plain, ...(options.others ?? [])] });
}

/**
 * The same, for columns of the table.
 *
 * @example
 * import { renderColumnSource } from 'authz/residual';
 * import { capabilities, createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * const engine = createEngine(policies, { use: [capabilities()] });
 * const plans = engine.planCapabilities({
 *   principal: { id: 'ann', roles: ['user'] },
 *   resource: { kind: 'album' },
 *   actions: ['edit'],
 * });
 * const columns = { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } } as const;
 * const albums = { name: 'albums', columns };
 * const masked = [{ column: 'status', as: 'status', action: 'edit' }] as const;
 * console.log(renderColumnSource(plans, albums, masked, { dialect: 'postgresql', others: ['id'] }).text);
 * // => (SELECT albums.id AS id, CASE WHEN ((albums.status <> $1 OR albums.status IS NULL) AND albums.owner_id = $2) THEN albums.status END AS status FROM albums) AS albums
 */
export function renderColumnSource<Action extends string>(
  plans: PlannedCapabilities<Action>,
  table: SqlTable,
  masked: readonly MaskedColumn<Action>[],
  options: CapabilityOptions & {
    readonly others: readonly string[];
    /** Receives the actions whose columns are NULL for every row, or on too many. */
    readonly refused?: RefusedCapability<Action>[];
  },
): SqlMaskedSource {
  const dialect = selectDialect(options);
  const { conditionFor, refused } = conditionsOf(plans, table, options);
  const actions = actionsByColumn(masked);
  const all = new Map([...options.others, ...masked.map(({ column }) => column)].map((one) => [nameOf(one), one]));
  const columns = [...all].map(([name, column]) => {
    const stored = columnIn(table, column, dialect);
    const action = actions.get(name);
    const value = action === undefined ? stored : maskedBy(conditionFor(action), stored, dialect);
    return sql`${value} AS ${identifier(name, dialect)}`;
  });
  options.refused?.push(...refused);
  const name = identifier(table.name, dialect);
  const from = table.alias === undefined ? name : `${name} AS ${identifier(table.alias, dialect)}`;
  const alias = table.alias ?? nameOf(table.name);
  const { text, parts, parameters } = writeStatement(
    sql`(SELECT ${listed(columns)} FROM ${from})`,
    dialect,
    options.offset ?? 0,
  );
  return { text: `${text} AS ${identifier(alias, dialect)}`, parts, parameters, alias };
}

/** @throws {UnsupportedPlanError} naming the action with the largest condition, if a statement cannot have all columns. */
function requireLength<Action extends string>(
  parameters: number,
  length: number,
  columns: readonly SqlMask<Action>[],
  table: SqlTable,
): void {
  if (parameters <= MOST_PARAMETERS && length <= LONGEST) return;
  const size = ({ parts }: SqlMask<Action>): number => parts.join('').length;
  const [largest] = [...columns].sort((a, b) => size(b) - size(a));
  const problem = { operator: 'filter', reason: 'the columns are too long for a statement', part: 'all columns' };
  throw new UnsupportedPlanError(`the table \`${table.name}\``, [problem], largest?.action);
}

interface Conditions<Action extends string> {
  readonly refused: RefusedCapability<Action>[];
  /** NEVER for an action whose plan has no SQL, if that does not throw. */
  readonly conditionFor: (action: Action) => Sql;
}

function conditionsOf<Action extends string>(
  plans: PlannedCapabilities<Action>,
  table: SqlTable,
  options: CapabilityOptions,
): Conditions<Action> {
  const dialect = selectDialect(options);
  const refused: RefusedCapability<Action>[] = [];
  const known = new Map<Action, Sql>();
  const conditionFor = (action: Action): Sql => {
    const found = known.get(action);
    if (found !== undefined) return found;
    if (!Object.hasOwn(plans, action)) throw new TypeError(`there is no plan of the action \`${action}\``);
    const outcome = outcomeOf(plans[action].filter, action, table, dialect, options);
    if (isRefused(outcome)) {
      if (options.onRefused !== 'null') throw new UnsupportedPlanError(`the table \`${table.name}\``, outcome, action);
      refused.push({ action, problems: outcome, column: 'null' });
    }
    const unplanned = plans[action].unplanned ?? [];
    if (!isRefused(outcome) && unplanned.length > 0)
      refused.push({ action, problems: unplanned.map(problemOf), column: 'narrower' });
    const condition = isRefused(outcome) ? NEVER : outcome;
    known.set(action, condition);
    return condition;
  };
  return { refused, conditionFor };
}

function maskedBy(condition: Sql, stored: Sql, dialect: Dialect): Sql {
  if (condition === ALWAYS) return stored;
  // NULL alone would have another type than the column.
  const holds = condition === NEVER ? sql`${dialect.name === 'postgresql' ? 'FALSE' : '0'}` : condition;
  return sql`CASE WHEN (${holds}) THEN ${stored} END`;
}

/** The action that shows each column. Throws a TypeError for a column with two, of which neither may be ignored. */
function actionsByColumn<Action>(masked: readonly MaskedColumn<Action>[]): ReadonlyMap<string, Action> {
  const actions = new Map<string, Action>();
  for (const { column, action } of masked) {
    const name = nameOf(column);
    if ((actions.get(name) ?? action) !== action) throw new TypeError(`the column \`${name}\` has two masks`);
    actions.set(name, action);
  }
  return actions;
}

/** The columns that masks name. */
function maskedColumns<Action extends string>(table: SqlTable, masks: Masks<Action>): readonly MaskedColumn<Action>[] {
  const { '*': others, ...named } = masks as { readonly [attribute: string]: Action };
  const own = ownColumns(table);
  for (const attribute of Object.keys(named))
    if (!own.some((one) => one.attribute === attribute))
      throw new TypeError(`the mask of \`${attribute}\` has no column of the table \`${table.name}\``);
  const masked = new Map<string, MaskedColumn<Action>>();
  for (const { attribute, column } of own) {
    const action = Object.hasOwn(named, attribute) ? named[attribute] : others;
    const known = masked.get(column);
    if (known !== undefined && known.action !== action)
      throw new TypeError(`the column \`${column}\` has two masks, as two attributes are stored in it`);
    if (action !== undefined) masked.set(column, { column, action });
  }
  return [...masked.values()];
}

/** The attributes that are stored in columns of the table itself. */
function ownColumns({ columns }: SqlTable): readonly { readonly attribute: string; readonly column: string }[] {
  return Object.entries(columns).flatMap(([attribute, stored]) =>
    isRelation(stored) ? [] : [{ attribute, column: stored.column }],
  );
}

function columnIn(table: SqlTable, column: string, dialect: Dialect): Sql {
  return sql`${identifier(pathOfColumn(table, column), dialect)}`;
}

/** A name without that of its table or schema. */
function nameOf(column: string): string {
  return column.split('.').at(-1) as string;
}
