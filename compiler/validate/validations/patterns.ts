import type { CheckedExpression } from '../../../packages/cel/ast/checked-expression.js';
import type { Types } from '../../ast/checked.js';
import type { Expr } from '../../../packages/cel/ast/expr.js';
import type { Bindings, PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import type { Place } from '../../diagnostics/span.js';
import { findPattern, patternProblem } from '../../../packages/cel/check/literals.js';
import { listUses } from '../expressions-of.js';

/**
 * Warns about constants and variables that are the pattern of a function and that no function can use: `matches(R.attr.x,
 * C.pattern)`. Patterns in the expression itself are judged with it.
 */
export function warnOfPatterns(policies: PolicySet, types: Types, report: Problems): void {
  const judged = new Map<string, ReturnType<typeof patternProblem>>();
  for (const { expression, bindings } of listUses(policies)) {
    const checked = types.get(expression);
    if (checked === undefined) continue;
    for (const [call, { runtime }] of checked.calls) {
      const pattern = call.kind === 'call' ? findPattern(call, runtime) : undefined;
      const definition = pattern && findDefinition(pattern, checked, bindings, types);
      if (definition === undefined) continue;
      const { name, text, place } = definition;
      if (!judged.has(text)) judged.set(text, patternProblem(text));
      const problem = judged.get(text);
      if (problem === undefined) continue;
      report.add('expression/unusable-pattern', place, { name, reason: problem.reason }, { notes: problem.advice });
    }
  }
}

/** The text that a name stands for, and where it is defined. */
interface Definition {
  readonly name: string;
  readonly text: string;
  readonly place: Place;
}

function findDefinition(
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
  return own && findDefinition(ast, own, bindings, types);
}
