import type { Filter } from '../filter.js';
import { findProblems } from '../problems.js';
import { distinctNames } from './capability-names.js';
import type { RuleFilter, SqlOptions, SqlParameter, SqlProblem } from './condition-result.js';
import type { Dialect } from './dialect.js';
import { ALWAYS, NEVER, type Sql, sql } from './fragment.js';
import { Refusal } from './refusal.js';
import { attempt, selectDialect, LONGEST, MOST_PARAMETERS, writeStatement, createTemplate } from './render.js';
import { identifier } from './scope.js';
import { isRelation, type SqlTable } from './table.js';
import { UnsupportedPlanError } from './unsupported-plan.js';

/** A plan of one action, as `engine.planCapabilities` returns it. */
export interface PlannedCapability {
  readonly filter: Filter;
  /** Rules that no filter can express: the column is true for too few rows. */
  readonly unplanned?: readonly { readonly policy: string; readonly rule: string; readonly reason: string }[];
}

export interface CapabilityOptions extends Omit<SqlOptions, 'rules'> {
  /**
   * What becomes of an action without SQL: `throw` (the default), or a column that is NULL for every row. The reason is
   * then in `refused`, and `engine.capabilities` decides these rows.
   */
  readonly onRefused?: 'throw' | 'null';
  /** Names the column of an action. Default: `canEdit` for `edit`, `canCommentAdd` for `comment:add`. */
  readonly names?: (action: string) => string;
  /** Columns of the query whose names no column may have, beside those of the table that are mapped. */
  readonly taken?: readonly string[];
  /** The filter of each rule of an action's plan, so that a refusal can name its rule; only called for a refusal. */
  readonly rules?: (action: string) => readonly RuleFilter[];
}

/** Columns that say for each row which actions are allowed. */
export interface SqlCapabilities<Action extends string = string> {
  /** One per action, in the order of the plans. */
  readonly columns: readonly SqlCapability<Action>[];
  /**
   * All columns for SELECT, with their names and with placeholders. They stand before FROM and WHERE, so with `?` their
   * parameters come first.
   */
  readonly text: string;
  /** The parameters of `text`. */
  readonly parameters: readonly SqlParameter[];
  /** The actions of which a column is NULL, or true for too few rows. */
  readonly refused: readonly RefusedCapability<Action>[];
}

/** A column that is TRUE for the rows on which an action is allowed and FALSE for all others; never NULL. */
export interface SqlCapability<Action extends string = string> {
  /** `canEdit`. */
  readonly name: string;
  readonly action: Action;
  /** The expression with placeholders, without the name. */
  readonly text: string;
  /** The expression between its parameters: one piece more than there are parameters. */
  readonly parts: TemplateStringsArray;
  readonly parameters: readonly SqlParameter[];
  /** Set if the column is the same for every row. */
  readonly always?: boolean;
}

export interface RefusedCapability<Action extends string = string> {
  readonly action: Action;
  readonly problems: readonly SqlProblem[];
  /** `null`: the column is NULL for every row. `narrower`: some rules have no filter, so it is true for too few rows. */
  readonly column: 'null' | 'narrower';
}

/** The plans of several actions, by action. */
export type PlannedCapabilities<Action extends string = string> = { readonly [A in Action]: PlannedCapability };

/**
 * Columns of a query that say for each row which actions are allowed: one for each plan, TRUE exactly where its action is
 * allowed.
 *
 * @example
 * import { renderCapabilities } from 'authz/residual';
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
 * const can = renderCapabilities(plans, albums, { dialect: 'postgresql' });
 * for (const { name, parts } of can.columns) console.log(`${parts.join('?')} AS "${name}"`);
 * // => (((albums.status <> ? OR albums.status IS NULL) AND albums.owner_id = ?) IS TRUE) AS "canEdit"
 *
 * @throws {UnsupportedPlanError} if a plan cannot be translated exactly, unless `onRefused` is `null`.
 * @throws {TypeError} if two columns have the same name, or one has that of a mapped column.
 */
export function renderCapabilities<Action extends string>(
  plans: PlannedCapabilities<Action>,
  table: SqlTable,
  options: CapabilityOptions,
): SqlCapabilities<Action> {
  const dialect = selectDialect(options);
  const actions = Object.keys(plans) as Action[];
  const names = distinctNames(actions, options.names, [...columnNames(table), ...(options.taken ?? [])]);
  const outcomes = withinLimits(
    actions.map((action) => outcomeOf(plans[action].filter, action, table, dialect, options)),
    dialect,
  );
  const refused: RefusedCapability<Action>[] = [];
  const written = new Map<string, string>();
  const parameters: SqlParameter[] = [];
  const columns = actions.map((action, index): SqlCapability<Action> => {
    const own = { name: names[index] as string, action };
    const outcome = outcomes[index] as Sql | readonly SqlProblem[];
    if (isRefused(outcome)) {
      if (options.onRefused !== 'null') throw new UnsupportedPlanError(`the table \`${table.name}\``, outcome, action);
      refused.push({ action, problems: outcome, column: 'null' });
      return { ...own, ...constant('NULL') };
    }
    const unplanned = plans[action].unplanned ?? [];
    if (unplanned.length > 0) refused.push({ action, problems: unplanned.map(problemOf), column: 'narrower' });
    if (outcome === ALWAYS || outcome === NEVER) {
      const always = outcome === ALWAYS;
      return { ...own, ...constant(literalOf(always, dialect)), always };
    }
    // A condition is NULL for some of the rows that it does not select, and programs would read NULL as neither.
    const column = writeStatement(sql`((${outcome}) IS TRUE)`, dialect, (options.offset ?? 0) + parameters.length);
    const key = JSON.stringify([column.parts, column.parameters]);
    // Numbered placeholders can be repeated.
    const equal = dialect.name === 'postgresql' ? written.get(key) : undefined;
    if (equal === undefined) parameters.push(...column.parameters);
    const text = equal ?? column.text;
    written.set(key, text);
    return { ...own, text, parts: column.parts, parameters: column.parameters };
  });
  const text = columns.map((column) => `${column.text} AS ${identifier(column.name, dialect)}`).join(', ');
  return { columns, text, parameters, refused };
}

/** The condition of an action, or why it has none. */
export function outcomeOf(
  filter: Filter,
  action: string,
  table: SqlTable,
  dialect: Dialect,
  { rules }: Pick<CapabilityOptions, 'rules'>,
): Sql | readonly SqlProblem[] {
  const rendered = attempt(filter, table, dialect);
  if (!(rendered instanceof Refusal)) return rendered;
  const problems = findProblems(filter, rules?.(action) ?? [], (part) => attempt(part, table, dialect));
  return problems.length > 0 ? problems : [{ operator: rendered.operator, reason: rendered.reason, part: action }];
}

/** Refuses the largest conditions until the columns fit into one statement. */
function withinLimits(
  outcomes: readonly (Sql | readonly SqlProblem[])[],
  dialect: Dialect,
): readonly (Sql | readonly SqlProblem[])[] {
  const left = [...outcomes];
  const sizes = outcomes.map((outcome) => {
    if (isRefused(outcome)) return NOTHING;
    const { parts, parameters } = writeStatement(outcome, dialect, 0);
    return { parameters: parameters.length, length: parts.join('').length + 8 * parameters.length };
  });
  const sum = (of: keyof typeof NOTHING): number => sizes.reduce((before, size) => before + size[of], 0);
  while (sum('parameters') > MOST_PARAMETERS || sum('length') > LONGEST) {
    const largest = sizes.reduce(
      (most, size, index) => (size.length > (sizes[most] ?? NOTHING).length ? index : most),
      0,
    );
    sizes[largest] = NOTHING;
    left[largest] = [{ operator: 'filter', reason: 'the columns are too long for a statement', part: 'all columns' }];
  }
  return left;
}

const NOTHING = { parameters: 0, length: 0 };

/** Whether a plan has no condition. */
export function isRefused(outcome: Sql | readonly SqlProblem[]): outcome is readonly SqlProblem[] {
  return Array.isArray(outcome);
}

function literalOf(value: boolean, { name }: Dialect): string {
  if (name === 'postgresql') return value ? 'TRUE' : 'FALSE';
  return value ? '1' : '0';
}

function constant(text: string): Pick<SqlCapability, 'text' | 'parts' | 'parameters'> {
  return { text, parts: createTemplate([text]), parameters: [] };
}

/** A rule without a filter, as a refusal. */
export function problemOf({ policy, rule, reason }: NonNullable<PlannedCapability['unplanned']>[number]): SqlProblem {
  return { operator: 'rule', reason, part: rule, policy, rule };
}

/** The names of the columns of a table that are mapped, without that of the table. */
function columnNames({ id, columns }: SqlTable): readonly string[] {
  const stored = [...(id === undefined ? [] : [id]), ...Object.values(columns)];
  return stored.flatMap((one) => (isRelation(one) ? [] : [one.column.split('.').at(-1) as string]));
}
