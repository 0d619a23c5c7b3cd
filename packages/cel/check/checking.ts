import type { Reference } from '../ast/checked-expression.js';
import type { Expr } from '../ast/expr.js';
import type { CelFunction } from '../library/function.js';
import { type CelType, dyn, optionalType } from '../library/types.js';
import type { Hint } from './did-you-mean.js';
import { adviseCondition } from './advice.js';
import type { Environment } from './environment.js';
import type { Inference, Reading } from './inference.js';
import { isDynamic, printOpenType } from './type-algebra.js';

/** A problem in an expression; offsets are relative to the expression. */
export interface CelProblem {
  /**
   * Worded as in docs/spec/conditions.md#types, docs/spec/conditions.md#overload-resolution,
   * docs/spec/conditions.md#compile-time-messages and docs/spec/conditions.md#literal-arguments.
   */
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** Suggested fixes: ``did you mean `owner`?``. Lazy, because finding one takes a search. */
  readonly hints?: () => readonly Hint[];
}

/** A range of the expression, and the offset by which a problem there is sorted. */
export interface PlacedRange {
  readonly start: number;
  readonly end: number;
  readonly at: number;
}

/**
 * A problem and the offset by which it is sorted, in source order: that of its operator, dot or bracket
 * (docs/spec/conditions.md#invalid-expressions).
 */
export interface PlacedProblem extends CelProblem {
  readonly at: number;
}

/** The state of one walk over one expression. */
export interface Checking {
  readonly environment: Environment;
  readonly reading: Reading;
  readonly inference: Inference;
  readonly types: Map<Expr, CelType>;
  readonly calls: Map<Expr, CelFunction>;
  readonly references: Map<Expr, Reference>;
  readonly problems: PlacedProblem[];
  /** Names in the place of a variable of an unknown method, which was probably meant as a macro. */
  readonly macroVariables: Set<string>;
  /** Checks any node: a property, so that macros and calls need not import it. */
  readonly check: (checking: Checking, expr: Expr, locals: Locals) => CelType;
}

/** The variables that enclosing macros declare, innermost first. */
export type Locals = { readonly name: string; readonly type: CelType; readonly outer: Locals } | undefined;

/** The maximum number of problems reported for one expression. */
const MAX_PROBLEMS = 100;

/** Adds a problem, up to `MAX_PROBLEMS`. */
export function report(checking: Checking, problem: PlacedProblem): void {
  if (checking.problems.length < MAX_PROBLEMS) checking.problems.push(problem);
}

/** Returns the innermost local with this name. */
export function findLocal(locals: Locals, name: string): Locals {
  for (let local = locals; local !== undefined; local = local.outer) {
    if (local.name === name) return local;
  }
  return undefined;
}

/** Returns whether the type is assignable to the expected one; reports a problem if not. */
export function expectType(checking: Checking, expected: CelType, found: CelType, expr: Expr): boolean {
  if (checking.inference.assignable(found, expected)) return true;
  const { start, end } = expr;
  const message = `expected type '${printOpenType(expected)}' but found '${printOpenType(checking.inference.substitute(found))}'`;
  report(checking, {
    message,
    start,
    end,
    at: start,
    hints: () => (expected.kind === 'bool' ? adviseCondition(found) : []),
  });
  return false;
}

/**
 * The type of an element, entry or field. `?x` inserts the value of the optional if it has one
 * (docs/spec/conditions.md#optional-values).
 */
export function entryType(checking: Checking, value: Expr, optional: boolean, locals: Locals): CelType {
  const type = checking.check(checking, value, locals);
  if (!optional) return type;
  const found = checking.inference.substitute(type);
  if (found.kind === 'optional') return found.value;
  if (isDynamic(found)) return dyn;
  expectType(checking, optionalType(found), found, value);
  return found;
}
