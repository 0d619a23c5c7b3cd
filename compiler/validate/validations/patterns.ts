import type { CheckedExpression, Types } from '../../ast/checked.js';
import type { Expr } from '../../ast/expr.js';
import { premisesOf } from '../../ast/premises.js';
import type { Bindings, PolicySet } from '../../ast/policy-set.js';
import type { Expression } from '../../ast/policy.js';
import { visit } from '../../ast/visit.js';
import type { Problems } from '../../diagnostics/problems.js';
import type { Place } from '../../diagnostics/span.js';
import { patternOf, patternProblem } from '../cel/literals.js';
import { expressionsOfCondition, expressionsOfRules, importedRolesOf } from '../expressions-of.js';

/**
 * Warns about constants and variables that are the pattern of a function and that no function can use: `matches(R.attr.x,
 * C.pattern)`. Patterns in the expression itself are judged with it.
 */
export function warnOfPatterns(policies: PolicySet, types: Types, report: Problems): void {
  const reported = new Set<string>();
  for (const { expression, bindings } of usesOf(policies)) {
    const checked = types.get(expression);
    if (checked === undefined || expression.ast === undefined) continue;
    for (const pattern of patternsIn(expression.ast, checked)) {
      const definition = definitionOf(pattern, checked, bindings, types);
      const problem = definition && patternProblem(definition.text);
      if (definition === undefined || problem === undefined) continue;
      const { span, anchor } = definition.place;
      const key = JSON.stringify([span.source.path, anchor, span.start]);
      if (reported.has(key)) continue;
      reported.add(key);
      const { name, place } = definition;
      report.add('expression/unusable-pattern', place, { name, reason: problem.reason }, { notes: problem.advice });
    }
  }
}

/** An expression, and the names that it can use. */
interface Use {
  readonly expression: Expression;
  readonly bindings: Bindings;
}

function usesOf({ policies, invariants }: PolicySet): readonly Use[] {
  const withNames = (expressions: Iterable<Expression>, bindings: Bindings): readonly Use[] =>
    [...expressions].map((expression) => ({ expression, bindings }));
  const shared = new Set([
    ...policies.map(({ bindings }) => bindings),
    ...[...importedRolesOf(policies)].map(({ bindings }) => bindings),
    ...invariants.map(({ bindings }) => bindings),
  ]);
  return [
    ...[...shared].flatMap((bindings) =>
      withNames(
        [...bindings.variables.values()].map(({ expression }) => expression),
        bindings,
      ),
    ),
    ...policies.flatMap((linked) => withNames(expressionsOfRules(linked), linked.bindings)),
    ...[...importedRolesOf(policies)].flatMap(({ definition, bindings }) =>
      withNames(expressionsOfCondition(definition.condition), bindings),
    ),
    ...invariants.flatMap(({ policy, bindings }) =>
      withNames(premisesOf(policy).flatMap(expressionsOfCondition), bindings),
    ),
  ];
}

function patternsIn(ast: Expr, { calls }: CheckedExpression): readonly Expr[] {
  const found: Expr[] = [];
  visit(ast, (node) => {
    const row = node.kind === 'call' ? calls.get(node) : undefined;
    const pattern = node.kind === 'call' && row !== undefined ? patternOf(node, row.runtime) : undefined;
    if (pattern !== undefined) found.push(pattern);
  });
  return found;
}

/** The text that a name stands for, and where it is defined. */
interface Definition {
  readonly name: string;
  readonly text: string;
  readonly place: Place;
}

function definitionOf(
  pattern: Expr,
  checked: CheckedExpression,
  bindings: Bindings,
  types: Types,
): Definition | undefined {
  const reference = checked.references.get(pattern);
  if (reference?.kind === 'constant') {
    const constant = bindings.constants.get(reference.name);
    return typeof constant?.value === 'string'
      ? { name: `C.${reference.name}`, text: constant.value, place: constant.place }
      : undefined;
  }
  if (reference?.kind !== 'variable') return undefined;
  const { expression } = bindings.variables.get(reference.name) ?? {};
  if (expression?.ast === undefined) return undefined;
  const { ast, place } = expression;
  if (ast.kind === 'literal' && ast.type === 'string') return { name: `V.${reference.name}`, text: ast.value, place };
  // A variable that is another name for a constant or variable. Cycles were refused.
  const own = types.get(expression);
  return own && definitionOf(ast, own, bindings, types);
}
