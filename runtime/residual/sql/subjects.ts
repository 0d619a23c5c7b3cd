import type { Filter } from '../filter.js';
import { expression, type Operand } from '../operand.js';
import type { RuleFilter, SqlCondition, SqlOptions, SqlParameter } from './condition-result.js';
import { renderRows, selectDialect } from './render.js';
import { identifier } from './scope.js';
import {
  isRelation,
  pathOfColumn,
  type SqlColumn,
  type SqlColumns,
  type SqlDialect,
  type SqlRelation,
  type SqlUsers,
} from './table.js';

/** How the condition of a plan of subjects is rendered. */
export interface SubjectOptions extends SqlOptions {
  /** The scope of the plan's principals: of users whose scopes are in a column, only those who have it are selected. */
  readonly scope?: string | undefined;
}

/**
 * The condition that is TRUE exactly for the rows of a table of users to whom check allows what a plan of subjects is
 * about. As `renderSql`, it is FALSE or NULL for all others.
 *
 * A user has each role once, whatever the order and the number of times in which the table has it; a filter that depends
 * on these is refused.
 *
 * @example
 * import { renderSubjects } from 'authz/residual';
 *
 * const users = {
 *   name: 'users',
 *   id: { column: 'id', type: 'text', null: 'never' },
 *   roles: { column: 'role', type: 'text', null: 'never' },
 *   columns: {},
 * } as const;
 * // As `engine.planSubjects` returns it.
 * const operands = [{ value: 'curator' }, { variable: 'request.principal.roles' }];
 * const filter = { kind: 'KIND_CONDITIONAL', condition: { expression: { operator: 'in', operands } } } as const;
 * const condition = renderSubjects(filter, users, { dialect: 'postgresql' });
 * if (condition.kind === 'refused') throw new Error(condition.problems.map(({ reason }) => reason).join('; '));
 * console.log(condition.text); // => users.id <> $1 AND users.role <> $2 AND users.role = $3
 */
export function renderSubjects(filter: Filter, users: SqlUsers, options: SubjectOptions): SqlCondition {
  const stored = storedRoles(users.roles);
  const scope = typeof users.scope === 'object' ? withoutNull(users.scope) : undefined;
  const { id, name, alias, columns } = users;
  const table = { id: withoutNull(id), name, columns, ...(alias !== undefined && { alias }) };
  const own = { roles: stored.roles, scope, where: users.where };
  if (filter.kind === 'KIND_ALWAYS_DENIED') return renderRows(filter, table, options, own);
  const read = (operand: Operand): Operand => readRoles(operand, stored);
  const guards = [
    expression('ne', { variable: 'request.principal.id' }, EMPTY),
    ...stored.guards,
    ...(scope === undefined ? [] : [hasScope(options.scope ?? '')]),
  ];
  const wanted = filter.kind === 'KIND_CONDITIONAL' ? [read(filter.condition)] : [];
  const condition = expression('and', ...guards, ...wanted);
  const { rules } = options;
  const readRules = (): readonly RuleFilter[] =>
    (rules?.() ?? []).map((rule) => {
      const { filter: own } = rule;
      return own.kind === 'KIND_CONDITIONAL' ? { ...rule, filter: { ...own, condition: read(own.condition) } } : rule;
    });
  return renderRows({ kind: 'KIND_CONDITIONAL', condition }, table, { ...options, rules: readRules }, own);
}

/** A statement, or the reasons why there is none. */
export type SqlStatement =
  | { readonly kind: 'sql'; readonly text: string; readonly parameters: readonly SqlParameter[] }
  | Extract<SqlCondition, { readonly kind: 'refused' }>;

/**
 * The statement that selects the ids of these rows, as `id`, in the order of the database.
 *
 * @example
 * import { renderSubjectQuery } from 'authz/residual';
 *
 * const text = { type: 'text', null: 'never' } as const;
 * const users = { name: 'users', id: { column: 'id', ...text }, roles: { column: 'role', ...text }, columns: {} };
 * const query = renderSubjectQuery({ kind: 'KIND_ALWAYS_ALLOWED' }, users, { dialect: 'sqlite' });
 * if (query.kind === 'refused') throw new Error(query.problems.map(({ reason }) => reason).join('; '));
 * console.log(query.text);
 * // => SELECT users.id AS id FROM users WHERE users.id <> ? AND users.role <> ? ORDER BY users.id
 */
export function renderSubjectQuery(
  filter: Filter,
  users: SqlUsers,
  options: Omit<SubjectOptions, 'offset'>,
): SqlStatement {
  const condition = renderSubjects(filter, users, options);
  if (condition.kind === 'refused') return condition;
  const { column, table } = userNames(users, options);
  return {
    kind: 'sql',
    text: `SELECT ${column} AS id FROM ${table} WHERE ${condition.text} ORDER BY ${column}`,
    parameters: condition.parameters,
  };
}

/** One statement of several queries that can be rendered: the position of each as `query`, and the ids as `id`. */
export function renderSubjectQueries(
  queries: readonly { readonly filter: Filter; readonly scope: string }[],
  users: SqlUsers,
  dialect: SqlDialect,
): Omit<Extract<SqlStatement, { readonly kind: 'sql' }>, 'kind'> {
  const { column, table } = userNames(users, { dialect });
  const parameters: SqlParameter[] = [];
  const selects = queries.map(({ filter, scope }, index) => {
    const condition = renderSubjects(filter, users, { dialect, scope, offset: parameters.length });
    if (condition.kind === 'refused') throw new TypeError(`a query that is refused: ${condition.problems[0]?.reason}`);
    parameters.push(...condition.parameters);
    return `SELECT ${index} AS query, ${column} AS id FROM ${table} WHERE ${condition.text}`;
  });
  return { text: selects.join(' UNION ALL '), parameters };
}

function userNames(
  users: SqlUsers,
  options: Pick<SqlOptions, 'dialect' | 'quoteNames'>,
): { readonly column: string; readonly table: string } {
  const dialect = selectDialect(options);
  const { name, alias, id } = users;
  const named = identifier(name, dialect);
  return {
    column: identifier(pathOfColumn(users, id.column), dialect),
    table: alias === undefined ? named : `${named} AS ${identifier(alias, dialect)}`,
  };
}

const EMPTY: Operand = { value: '' };

/** That a user has a scope; NULL and the empty one are none. */
function hasScope(scope: string): Operand {
  const own: Operand = { variable: 'request.principal.scope' };
  const isScope = expression('eq', own, { value: scope });
  return scope === '' ? expression('unless', expression('ne', own, EMPTY)) : isScope;
}

/** The roles of a principal, in filters of subjects. */
const ROLES: Operand = { variable: 'request.principal.roles' };

/** How a table has the roles of its users. */
interface StoredRoles {
  readonly roles: SqlColumn | SqlRelation;
  /** That a user has roles, and that each is one. */
  readonly guards: readonly Operand[];
  /** Whether a user has one role, which a column has as it is. */
  readonly isOne: boolean;
  /** The fields of an element that lead to the role; none if it is the role. */
  readonly path: readonly string[];
}

function storedRoles(roles: SqlColumn | SqlRelation): StoredRoles {
  const isRole = expression('ne', ROLE, EMPTY);
  if (isRelation(roles)) {
    const path = pathOfRole(roles);
    if (path === undefined)
      throw new TypeError('the roles of users are rows with a `value`, or with one column that leads to the role');
    const stored: StoredRoles = { roles: roleWithoutNull(roles), guards: [], isOne: false, path };
    const guards = [overRoles('exists', lambda(isRole), stored), overRoles('all', lambda(isRole), stored)];
    return { ...stored, guards };
  }
  const stored = withoutNull(roles);
  if (roles.type !== 'json' && roles.type !== 'list' && roles.type !== 'text[]')
    return { roles: stored, guards: [expression('ne', ROLES, EMPTY)], isOne: true, path: [] };
  // Only a text starts with the empty one.
  const isText = expression('and', expression('startsWith', ROLE, EMPTY), isRole);
  // An object has no roles.
  const list: SqlColumn = { ...stored, type: roles.type === 'json' ? 'list' : roles.type };
  const guards = (['exists', 'all'] as const).map((macro) => expression(macro, ROLES, lambda(isText)));
  return { roles: list, guards, isOne: false, path: [] };
}

/**
 * The fields that lead from a related row to the role: none to its value, or those of the only column below it, which
 * may be a column of `one` further row. Undefined if there is no such column.
 */
export function pathOfRole({ value, columns = {} }: SqlRelation): readonly string[] | undefined {
  if (value !== undefined) return [];
  const [only, ...others] = Object.entries(columns);
  if (only === undefined || others.length > 0 || only[0].includes('.')) return undefined;
  const [name, stored] = only;
  if (!isRelation(stored)) return [name];
  const further = stored.relation === 'one' ? pathOfRole(stored) : undefined;
  return further && [name, ...further];
}

function roleWithoutNull(roles: SqlRelation): SqlRelation {
  const { value, columns } = roles;
  if (value !== undefined) return { ...roles, value: withoutNull(value) };
  const stored = Object.entries(columns ?? {}).map(([name, one]) => [
    name,
    isRelation(one) ? roleWithoutNull(one) : withoutNull(one),
  ]);
  return { ...roles, columns: Object.fromEntries(stored) as SqlColumns };
}

const ROLE: Operand = { variable: 'role' };

function lambda(body: Operand, variable: Operand = ROLE): Operand {
  return expression('lambda', body, variable);
}

/** A column whose NULL is no id and no role, whatever it is among attributes. */
function withoutNull(column: SqlColumn): SqlColumn {
  return { ...column, null: column.null === 'never' ? 'never' : 'missing' };
}

/** A filter of subjects as one of the roles that a table has. */
function readRoles(operand: Operand, stored: StoredRoles): Operand {
  if ('value' in operand) return operand;
  if ('variable' in operand) return isRoles(operand) ? ORDERED : operand;
  const { operator, operands } = operand.expression;
  const [first, second] = operands as [Operand, Operand];
  if (operator === 'in' && isRoles(second)) {
    const sought = readRoles(first, stored);
    if (stored.path.length > 0) return overRoles('exists', lambda(expression('eq', sought, ELEMENT), ELEMENT), stored);
    return expression(stored.isOne ? 'eq' : 'in', sought, ROLES);
  }
  if ((operator === 'exists' || operator === 'all') && isRoles(first))
    return overRoles(operator, readRoles(second, stored), stored);
  return expression(operator, ...operands.map((part) => readRoles(part, stored)));
}

function isRoles(operand: Operand): boolean {
  return 'variable' in operand && operand.variable === 'request.principal.roles';
}

/** What no table has: roles with an order and a number. */
const ORDERED: Operand = { variable: 'the order or the number of request.principal.roles' };

/** A name that no policy has for a variable. */
const ELEMENT: Operand = { variable: '$role' };

function overRoles(operator: 'exists' | 'all', asked: Operand, { isOne, path }: StoredRoles): Operand {
  if (!('expression' in asked)) return expression(operator, ORDERED, asked);
  const [body, variable, ...others] = asked.expression.operands as [Operand, Operand];
  // The first of two variables is a position.
  if (others.length > 0 || !('variable' in variable)) return expression(operator, ORDERED, asked);
  if (isOne) return replaced(body, variable.variable, ROLES);
  if (path.length === 0) return expression(operator, ROLES, asked);
  // A row that leads to no role is none: as if the tables were joined.
  const fields = path.map((_, index) => ({ variable: [variable.variable, ...path.slice(0, index + 1)].join('.') }));
  const ofRole = replaced(body, variable.variable, fields.at(-1) as Operand);
  const isThere = fields.map((field) => expression('has', field));
  const each =
    operator === 'exists'
      ? expression('and', ...isThere, ofRole)
      : expression('or', expression('not', expression('and', ...isThere)), ofRole);
  return expression(operator, ROLES, lambda(each, variable));
}

/** The body of a macro in which a role is something else than its variable. */
function replaced(operand: Operand, variable: string, role: Operand): Operand {
  if ('value' in operand) return operand;
  if ('variable' in operand) return operand.variable === variable ? role : operand;
  return expression(
    operand.expression.operator,
    ...operand.expression.operands.map((part) => replaced(part, variable, role)),
  );
}
