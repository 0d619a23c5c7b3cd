import type { CheckedExpression } from '../ast/checked-expression.js';
import type { Expr } from '../ast/expr.js';
import { type CelType, dyn } from '../library/types.js';
import { checkNode } from './check-node.js';
import type { CelProblem, Checking, PlacedProblem } from './checking.js';
import type { Environment } from './environment.js';
import { Inference, type Reading } from './inference.js';
import { literalProblems } from './literals.js';
import { mapParts } from '../library/type-parts.js';

/** The side tables of an expression, or its problems in source order (docs/spec/conditions.md#invalid-expressions). */
export interface CheckResult extends CheckedExpression {
  /** The type of the whole expression, as CEL's checker infers it (docs/spec/conditions.md#types). */
  readonly type: CelType;
  readonly problems: readonly CelProblem[];
}

/**
 * Type-checks an expression in two passes: one follows CEL's rules, which decide what compiles and how messages read;
 * the other runs only if the first finds no problems and infers what is certain of each value
 * (`CheckedExpression.types`).
 */
export function checkExpression(ast: Expr, environment: Environment): CheckResult {
  const judged = walk(ast, environment, 'static');
  const type = close(judged, judged.types.get(ast) ?? dyn);
  const problems = judged.problems.length > 0 ? judged.problems : literalProblems(judged);
  if (problems.length > 0) return { ...createTables(judged), type, problems: inSourceOrder(problems) };
  return { ...createTables(walk(ast, environment, 'certain')), type, problems: [] };
}

function walk(ast: Expr, environment: Environment, reading: Reading): Checking {
  const checking: Checking = {
    environment,
    reading,
    inference: new Inference(reading),
    types: new Map(),
    calls: new Map(),
    references: new Map(),
    problems: [],
    macroVariables: new Set(),
    check: checkNode,
  };
  checkNode(checking, ast, undefined);
  return checking;
}

function createTables(checking: Checking): CheckedExpression {
  const types = new Map([...checking.types].map(([expr, type]) => [expr, close(checking, type)]));
  return { types, calls: checking.calls, references: checking.references };
}

function close(checking: Checking, type: CelType): CelType {
  return openToDyn(checking.inference.substitute(type));
}

// The elements of an empty list never get a type.
function openToDyn(type: CelType): CelType {
  return type.kind === 'parameter' || type.kind === 'error' ? dyn : mapParts(type, openToDyn);
}

function inSourceOrder(problems: readonly PlacedProblem[]): readonly CelProblem[] {
  return [...problems].sort((a, b) => a.at - b.at).map(({ at: _, ...problem }) => problem);
}
