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
export function findProblems(filter: Filter, rules: readonly RuleFilter[], attempt: Attempt): readonly SqlProblem[] {
  const problems = new Map<string, SqlProblem>();
  const add = (problem: SqlProblem): void => {
    problems.set(JSON.stringify(problem), problem);
  };
  const search = new Search(attempt);
  const inRules = rules.flatMap(({ policy, rule, place, filter: alone }) =>
    search.refusedParts(alone).map((problem) => ({
      ...problem,
      policy,
      rule,
      ...(place === undefined ? {} : { place }),
    })),
  );
  for (const problem of search.refusedParts(filter)) {
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

/** Filters share operands, such as the condition of `? :`, with themselves and with rules: each is tried once. */
class Search {
  private readonly found = new Map<Operand, readonly SqlProblem[]>();

  constructor(private readonly attempt: Attempt) {}

  /** The smallest conditions that are refused, in their positions. */
  refusedParts(filter: Filter): readonly SqlProblem[] {
    return filter.kind === 'KIND_CONDITIONAL' ? this.refusedIn(filter.condition) : [];
  }

  private refusedIn(operand: Operand): readonly SqlProblem[] {
    const known = this.found.get(operand);
    if (known !== undefined) return known;
    const parts = this.searched(operand);
    this.found.set(operand, parts);
    return parts;
  }

  private searched(operand: Operand): readonly SqlProblem[] {
    const refusal = this.refusalOf(operand);
    if (refusal === undefined) return [];
    const inner =
      'expression' in operand && LOGIC.has(operand.expression.operator)
        ? operand.expression.operands.flatMap((part) => this.refusedIn(part))
        : [];
    const parts = [...new Set(inner)];
    return parts.length > 0
      ? parts
      : [{ operator: refusal.operator, reason: refusal.reason, part: operandText(operand) }];
  }

  /** Why an operand or its negation cannot be translated; undefined if both can. */
  private refusalOf(operand: Operand): Refusal | undefined {
    for (const condition of [operand, expression('not', operand)]) {
      const outcome = this.attempt({ kind: 'KIND_CONDITIONAL', condition });
      if (outcome instanceof Refusal) return outcome;
    }
    return undefined;
  }
}

const LOGIC: ReadonlySet<string> = new Set(['and', 'or', 'not', 'unless', 'if']);
