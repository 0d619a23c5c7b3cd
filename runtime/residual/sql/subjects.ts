import type { Filter } from '../filter.js';
import { expression, type Operand } from '../operand.js';
import type { RuleFilter, SqlCondition, SqlOptions, SqlParameter } from './condition-result.js';
import { DIALECTS, renderRows } from './render.js';
import { identifier } from './scope.js';
import { isRelation, type SqlColumn, type SqlRelation, type SqlUsers } from './table.js';

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
  const own = { roles: stored.roles, scope };
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
  const { quote } = DIALECTS[options.dialect];
  const { name, alias, id } = users;
  const column = identifier(id.column.includes('.') ? id.column : `${alias ?? name}.${id.column}`, quote);
  const table =
    alias === undefined ? identifier(name, quote) : `${identifier(name, quote)} AS ${identifier(alias, quote)}`;
  return {
    kind: 'sql',
    text: `SELECT ${column} AS id FROM ${table} WHERE ${condition.text} ORDER BY ${column}`,
    parameters: condition.parameters,
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
}

function storedRoles(roles: SqlColumn | SqlRelation): StoredRoles {
  const isRole = expression('ne', ROLE, EMPTY);
  if (isRelation(roles)) {
    const { value } = roles;
    const stored = value === undefined ? roles : { ...roles, value: withoutNull(value) };
    return { roles: stored, guards: [some(isRole), all(isRole)], isOne: false };
  }
  const stored = withoutNull(roles);
  if (roles.type !== 'json' && roles.type !== 'list' && roles.type !== 'text[]')
    return { roles: stored, guards: [expression('ne', ROLES, EMPTY)], isOne: true };
  // Only a text starts with the empty one.
  const isText = expression('and', expression('startsWith', ROLE, EMPTY), isRole);
  // An object has no roles.
  const list: SqlColumn = { ...stored, type: roles.type === 'json' ? 'list' : roles.type };
  return { roles: list, guards: [some(isText), all(isText)], isOne: false };
}

const ROLE: Operand = { variable: 'role' };

function some(body: Operand): Operand {
  return expression('exists', ROLES, expression('lambda', body, ROLE));
}

function all(body: Operand): Operand {
  return expression('all', ROLES, expression('lambda', body, ROLE));
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
  if (operator === 'in' && isRoles(second))
    return expression(stored.isOne ? 'eq' : 'in', readRoles(first, stored), ROLES);
  if ((operator === 'exists' || operator === 'all') && isRoles(first))
    return overRoles(operator, readRoles(second, stored), stored);
  return expression(operator, ...operands.map((part) => readRoles(part, stored)));
}

function isRoles(operand: Operand): boolean {
  return 'variable' in operand && operand.variable === 'request.principal.roles';
}

/** What no table has: roles with an order and a number. */
const ORDERED: Operand = { variable: 'the order or the number of request.principal.roles' };

function overRoles(operator: 'exists' | 'all', lambda: Operand, { isOne }: StoredRoles): Operand {
  if (!('expression' in lambda)) return expression(operator, ORDERED, lambda);
  const [body, variable, ...others] = lambda.expression.operands as [Operand, Operand];
  // The first of two variables is a position.
  if (others.length > 0 || !('variable' in variable)) return expression(operator, ORDERED, lambda);
  return isOne ? replaced(body, variable.variable) : expression(operator, ROLES, lambda);
}

/** The body of a macro for the one role of a user. */
function replaced(operand: Operand, variable: string): Operand {
  if ('value' in operand) return operand;
  if ('variable' in operand) return operand.variable === variable ? ROLES : operand;
  return expression(
    operand.expression.operator,
    ...operand.expression.operands.map((part) => replaced(part, variable)),
  );
}
