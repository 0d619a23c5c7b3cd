import type { Reference } from '../../ast/checked.js';
import type { Expr } from '../../ast/expr.js';
import type { CelFunction } from '../../cel/function.js';
import { type CelType, dyn, optionalOf } from '../../cel/types.js';
import type { Environment } from './environment.js';
import type { Inference, Reading } from './inference.js';
import { isDynamic, printOpenType } from './type-algebra.js';

/** A problem in an expression; offsets are of its text. */
export interface CelProblem {
  /** In the words of docs/spec/conditions.md#types to 6.5. */
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** What to do about it: ``did you mean `owner`?``. Finding it takes a search. */
  readonly hints?: () => readonly string[];
}

/** A range of the text, and the offset that a problem there is sorted by. */
export interface PlacedRange {
  readonly start: number;
  readonly end: number;
  readonly at: number;
}

/** A problem and the offset it is sorted by: where its operator, dot or bracket stands (6.1: in source order). */
export interface PlacedProblem extends CelProblem {
  readonly at: number;
}

/** One walk over one expression. */
export interface Checking {
  readonly environment: Environment;
  readonly reading: Reading;
  readonly inference: Inference;
  readonly types: Map<Expr, CelType>;
  readonly calls: Map<Expr, CelFunction>;
  readonly references: Map<Expr, Reference>;
  readonly problems: PlacedProblem[];
  /** The check of any node: given here so that macros and calls need not import it. */
  readonly check: (checking: Checking, expr: Expr, locals: Locals) => CelType;
}

/** The variables that macros have brought into sight, innermost first. */
export type Locals = { readonly name: string; readonly type: CelType; readonly outer: Locals } | undefined;

/** More problems than these in one expression are not listed. */
const MAX_PROBLEMS = 100;

/** Adds a problem, unless there are too many to be read. */
export function report(checking: Checking, problem: PlacedProblem): void {
  if (checking.problems.length < MAX_PROBLEMS) checking.problems.push(problem);
}

/** The innermost local of that name. */
export function localOf(locals: Locals, name: string): Locals {
  for (let local = locals; local !== undefined; local = local.outer) {
    if (local.name === name) return local;
  }
  return undefined;
}

/** Whether the type stands for the expected one; reports when it does not. */
export function expectType(checking: Checking, expected: CelType, found: CelType, expr: Expr): boolean {
  if (checking.inference.assignable(found, expected)) return true;
  const { start, end } = expr;
  const message = `expected type '${printOpenType(expected)}' but found '${printOpenType(checking.inference.substitute(found))}'`;
  report(checking, { message, start, end, at: start });
  return false;
}

/**
 * The type of an element, entry or field. `?x` puts in what the optional holds
 * (docs/spec/conditions.md#optional-values).
 */
export function entryType(checking: Checking, value: Expr, optional: boolean, locals: Locals): CelType {
  const type = checking.check(checking, value, locals);
  if (!optional) return type;
  const found = checking.inference.substitute(type);
  if (found.kind === 'optional') return found.value;
  if (isDynamic(found)) return dyn;
  expectType(checking, optionalOf(found), found, value);
  return found;
}
