import type { Filter } from '../filter.js';
import type { Operand } from '../operand.js';
import { findProblems } from '../problems.js';
import type { SqlCondition, SqlOptions, SqlParameter } from './condition-result.js';
import { truth } from './condition.js';
import type { Dialect } from './dialect.js';
import { ALWAYS, allOf, flatParts, NEVER, sql, type Sql, visitParts } from './fragment.js';
import { withoutJsonTexts } from './json-texts.js';
import { MYSQL } from './mysql.js';
import { POSTGRESQL } from './postgresql.js';
import { Refusal } from './refusal.js';
import { counting } from './related-table.js';
import { Statement, type StoredUsers } from './scope.js';
import { SQLITE } from './sqlite.js';
import type { SqlDialect, SqlRowFilter, SqlTable } from './table.js';

/**
 * The condition that is TRUE exactly for the rows of a table that check allows: where `selects` selects the row. For
 * all others it is FALSE or NULL, so it can be used in `WHERE`, also with `AND`, but not with `NOT`. Attributes that
 * the plan's request listed must be those of the rows.
 *
 * @example
 * import { renderSql } from 'authz/residual';
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * const columns = { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } } as const;
 * const albums = { name: 'albums', columns };
 * const { filter } = createEngine(policies).plan({
 *   principal: { id: 'ann', roles: ['user'] },
 *   resource: { kind: 'album' },
 *   actions: ['edit'],
 * });
 * const condition = renderSql(filter, albums, { dialect: 'postgresql' });
 * if (condition.kind === 'refused') throw new Error(condition.problems.map(({ reason }) => reason).join('; '));
 * console.log(condition.text); // => (albums.status <> $1 OR albums.status IS NULL) AND albums.owner_id = $2
 * console.log(condition.parameters); // => [ 'LOCKED', 'ann' ]
 *
 * @throws for an invalid table: a name that is empty or contains a NUL.
 */
export function renderSql(filter: Filter, table: SqlTable, options: SqlOptions): SqlCondition {
  return renderRows(filter, table, options, undefined);
}

/** Renders the condition of a table whose rows are resources or, with roles, principals. */
export function renderRows(
  filter: Filter,
  table: SqlTable,
  options: SqlOptions,
  users: StoredUsers | undefined,
): SqlCondition {
  const { closures } = options;
  const dialect = selectDialect(options);
  const perRow = new Set<string>();
  const outcome = attempt(filter, table, dialect, { closures, perRow, users });
  if (outcome instanceof Refusal)
    return {
      kind: 'refused',
      problems: findProblems(filter, options.rules?.() ?? [], (part) =>
        attempt(part, table, dialect, { closures, users }),
      ),
    };
  const statement = writeStatement(outcome, dialect, options.offset ?? 0);
  return perRow.size > 0 && closures !== 'row' ? { ...statement, closuresPerRow: [...perRow] } : statement;
}

/** Which rows of a table count, as a condition; undefined if all of them do. */
export function renderRowFilter(
  table: SqlTable,
  where: SqlRowFilter | undefined,
  dialectName: SqlDialect,
  offset = 0,
): (SqlCondition & { readonly kind: 'sql' }) | undefined {
  if (where === undefined) return undefined;
  const dialect = DIALECTS[dialectName];
  const scope = { dialect, table, bound: new Map(), statement: new Statement(table, dialect) };
  return writeStatement(counting(scope, { where }, undefined), dialect, offset);
}

/** How closures are found, which of them are found for each row, and where a table of users has roles. */
interface RenderSettings {
  readonly closures?: SqlOptions['closures'];
  readonly perRow?: Set<string>;
  readonly users?: StoredUsers | undefined;
}

/** The dialect of a statement. */
export function selectDialect({ dialect, quoteNames = false }: Pick<SqlOptions, 'dialect' | 'quoteNames'>): Dialect {
  return quoteNames ? { ...DIALECTS[dialect], quotesAll: true } : DIALECTS[dialect];
}

const DIALECTS: { readonly [name in SqlDialect]: Dialect } = {
  sqlite: SQLITE,
  postgresql: POSTGRESQL,
  mysql: MYSQL,
};

/** PostgreSQL's limit; SQLite's is half of it. */
export const MOST_PARAMETERS = 30_000;
/** SQLite's limit is a million bytes. */
export const LONGEST = 500_000;

/** A filter as SQL, or why it has none. */
export function attempt(
  filter: Filter,
  table: SqlTable,
  dialect: Dialect,
  settings: RenderSettings = {},
): Sql | Refusal {
  switch (filter.kind) {
    case 'KIND_ALWAYS_ALLOWED':
      return ALWAYS;
    case 'KIND_ALWAYS_DENIED':
      return NEVER;
    case 'KIND_CONDITIONAL':
      return attemptOperand(filter.condition, table, dialect, settings);
  }
}

function attemptOperand(
  operand: Operand,
  table: SqlTable,
  dialect: Dialect,
  { closures, perRow, users }: RenderSettings,
): Sql | Refusal {
  try {
    // Its aliases are not among the names of a table with roles either.
    const named = users === undefined ? table : withUsers(table, users);
    const statement = new Statement(named, dialect, perRow);
    const scope = { dialect, table, bound: new Map(), statement, closures, users };
    const condition = allOf(
      counting(scope, { where: users?.where }, undefined),
      truth(operand, true, scope),
      withoutJsonTexts(operand, scope),
    );
    requireLength(condition);
    return condition;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function withUsers(table: SqlTable, { roles, scope }: StoredUsers): SqlTable {
  return { ...table, columns: { ...table.columns, roles, ...(scope !== undefined && { scope }) } };
}

/** @throws Refusal for a condition that is longer than a database accepts. */
function requireLength(condition: Sql): void {
  let parameters = 0;
  let length = 0;
  visitParts(condition.parts, (part) => {
    if (typeof part !== 'string') parameters += 1;
    length += typeof part === 'string' ? part.length : 8;
    if (parameters > MOST_PARAMETERS || length > LONGEST)
      throw new Refusal('filter', 'the condition is too long for a statement');
  });
}

/** A condition with its placeholders. */
export function writeStatement(
  condition: Sql,
  dialect: Dialect,
  offset: number,
): SqlCondition & { readonly kind: 'sql' } {
  const parameters: SqlParameter[] = [];
  // It must keep its meaning after an AND.
  const { parts } = condition.top === 'or' ? sql`(${condition})` : condition;
  const around: [string, ...string[]] = [''];
  for (const part of flatParts(parts)) {
    if (typeof part === 'string') {
      around[around.length - 1] += part;
      continue;
    }
    parameters.push(part.value);
    around.push(part.cast);
  }
  const text = around
    .slice(1)
    .reduce((before, part, index) => before + dialect.placeholder(offset + index + 1) + part, around[0]);
  return { kind: 'sql', text, parts: createTemplate(around), parameters };
}

/** The strings of a tagged template. As in JavaScript's own, `raw` is not enumerable, and both lists are frozen. */
export function createTemplate(strings: string[]): TemplateStringsArray {
  return Object.freeze(
    Object.defineProperty([...strings], 'raw', { value: Object.freeze(strings) }),
  ) as readonly string[] as TemplateStringsArray;
}
