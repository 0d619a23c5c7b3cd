import { operandText } from '../debug.js';
import type { Filter } from '../filter.js';
import { expression, type Operand } from '../operand.js';
import type { RuleFilter, SqlCondition, SqlOptions, SqlParameter, SqlProblem } from './condition-result.js';
import { truth } from './condition.js';
import type { Dialect } from './dialect.js';
import { ALWAYS, NEVER, sql, type Sql } from './fragment.js';
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
    const parameters = condition.parts.filter((part) => typeof part !== 'string').length;
    const length = condition.parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 8), 0);
    return parameters > MOST_PARAMETERS || length > LONGEST
      ? new Refusal('filter', 'the condition is too long for a statement')
      : condition;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function statementOf(condition: Sql, dialect: Dialect, offset: number): SqlCondition {
  const parameters: SqlParameter[] = [];
  // It must keep its meaning after an AND.
  const { parts } = condition.top === 'or' ? sql`(${condition})` : condition;
  const around: [string, ...string[]] = [''];
  for (const part of parts) {
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

/** Renders a filter, or returns why it cannot be rendered. */
type Attempt = (filter: Filter) => Sql | Refusal;

/**
 * Every part of a filter that cannot be translated, with its rules: those that cannot be translated on their own for
 * the same reason.
 */
function problemsOf(filter: Filter, rules: readonly RuleFilter[], attempt: Attempt): readonly SqlProblem[] {
  const problems = new Map<string, SqlProblem>();
  const add = (problem: SqlProblem): void => {
    problems.set(JSON.stringify(problem), problem);
  };
  const inRules = rules.flatMap(({ policy, rule, place, filter: alone }) =>
    refusedParts(alone, attempt).map((problem) => ({
      ...problem,
      policy,
      rule,
      ...(place === undefined ? {} : { place }),
    })),
  );
  for (const problem of refusedParts(filter, attempt)) {
    const same = inRules.filter(
      (one) =>
        one.operator === problem.operator &&
        one.reason === problem.reason &&
        (one.part === problem.part || !inRules.some(({ part }) => part === problem.part)),
    );
    if (same.length === 0) add(problem);
    for (const one of same) add(one);
  }
  return [...problems.values()];
}

/** The smallest conditions that are refused, in their positions. */
function refusedParts(filter: Filter, attempt: Attempt): readonly SqlProblem[] {
  if (filter.kind !== 'KIND_CONDITIONAL') return [];
  return refusedIn(filter.condition, attempt);
}

function refusedIn(operand: Operand, attempt: Attempt): readonly SqlProblem[] {
  const refusal = refusalOf(operand, attempt);
  if (refusal === undefined) return [];
  const inner =
    'expression' in operand && LOGIC.has(operand.expression.operator)
      ? operand.expression.operands.flatMap((part) => refusedIn(part, attempt))
      : [];
  return inner.length > 0
    ? inner
    : [{ operator: refusal.operator, reason: refusal.reason, part: operandText(operand) }];
}

/** Why an operand or its negation cannot be translated; undefined if both can. */
function refusalOf(operand: Operand, attempt: Attempt): Refusal | undefined {
  for (const condition of [operand, expression('not', operand)]) {
    const outcome = attempt({ kind: 'KIND_CONDITIONAL', condition });
    if (outcome instanceof Refusal) return outcome;
  }
  return undefined;
}

const LOGIC: ReadonlySet<string> = new Set(['and', 'or', 'not', 'unless', 'if']);
