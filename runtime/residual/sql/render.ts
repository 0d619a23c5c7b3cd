import type { Filter } from '../filter.js';
import type { Operand } from '../operand.js';
import { problemsOf } from '../problems.js';
import type { SqlCondition, SqlOptions, SqlParameter } from './condition-result.js';
import { truth } from './condition.js';
import type { Dialect } from './dialect.js';
import { ALWAYS, flatParts, NEVER, sql, type Sql, visitParts } from './fragment.js';
import { MYSQL } from './mysql.js';
import { POSTGRESQL } from './postgresql.js';
import { Refusal } from './refusal.js';
import { Statement } from './scope.js';
import { SQLITE } from './sqlite.js';
import type { SqlDialect, SqlTable } from './table.js';

/**
 * The condition that is TRUE exactly for the rows of a table that check allows: where `selects` selects the row. For
 * all others it is FALSE or NULL, so it can be used in `WHERE`, also with `AND`, but not with `NOT`. Attributes that
 * the plan's request listed must be those of the rows.
 * @throws for an invalid table: a name that is empty or contains a NUL.
 */
export function renderSql(filter: Filter, table: SqlTable, options: SqlOptions): SqlCondition {
  const dialect = DIALECTS[options.dialect];
  const outcome = attempt(filter, table, dialect);
  if (outcome instanceof Refusal)
    return {
      kind: 'refused',
      problems: problemsOf(filter, options.rules?.() ?? [], (part) => attempt(part, table, dialect)),
    };
  return statementOf(outcome, dialect, options.offset ?? 0);
}

const DIALECTS: { readonly [name in SqlDialect]: Dialect } = { sqlite: SQLITE, postgresql: POSTGRESQL, mysql: MYSQL };

/** PostgreSQL's limit; SQLite's is half of it. */
const MOST_PARAMETERS = 30_000;
/** SQLite's limit is a million bytes. */
const LONGEST = 500_000;

function attempt(filter: Filter, table: SqlTable, dialect: Dialect): Sql | Refusal {
  switch (filter.kind) {
    case 'KIND_ALWAYS_ALLOWED':
      return ALWAYS;
    case 'KIND_ALWAYS_DENIED':
      return NEVER;
    case 'KIND_CONDITIONAL':
      return attemptOperand(filter.condition, table, dialect);
  }
}

function attemptOperand(operand: Operand, table: SqlTable, dialect: Dialect): Sql | Refusal {
  try {
    const condition = truth(operand, true, { dialect, table, bound: new Map(), statement: new Statement(table) });
    requireLength(condition);
    return condition;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
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

function statementOf(condition: Sql, dialect: Dialect, offset: number): SqlCondition {
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
  return { kind: 'sql', text, parts: templateOf(around), parameters };
}

/** The strings of a tagged template. As in JavaScript's own, `raw` is not enumerable, and both lists are frozen. */
function templateOf(strings: string[]): TemplateStringsArray {
  return Object.freeze(
    Object.defineProperty([...strings], 'raw', { value: Object.freeze(strings) }),
  ) as readonly string[] as TemplateStringsArray;
}
