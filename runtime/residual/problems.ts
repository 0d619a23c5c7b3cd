import { operandText } from './debug.js';
import type { Filter } from './filter.js';
import { expression, type Operand } from './operand.js';
import type { RuleFilter, SqlProblem } from './sql/condition-result.js';
import { Refusal } from './sql/refusal.js';

/** Translates a filter, or returns why it cannot be translated. */
type Attempt = (filter: Filter) => unknown;

/**
 * Every part of a filter that cannot be translated, with its rules: those that cannot be translated on their own for
 * the same reason.
 */
export function problemsOf(filter: Filter, rules: readonly RuleFilter[], attempt: Attempt): readonly SqlProblem[] {
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
