import type { Types } from '../../ast/checked.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import { findPattern, patternProblem } from '../../../packages/cel/check/literals.js';
import { listUses } from '../expressions-of.js';
import { findDefinition } from './definitions.js';

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
