import type { Types } from '../../ast/checked.js';
import { placeOfNode } from '../../ast/places.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import { argumentProblem } from '../../../packages/cel/check/literals.js';
import { findDefinition } from './definitions.js';
import { listUses } from '../expressions-of.js';

/**
 * Warns about texts that a function cannot read: `R.attr.ip.inIPAddrRange("10.0.0.0/40")`, `duration(C.max_age)` with the
 * constant `1d`. The call fails in every request, so that a DENY never applies. Literals that are errors are not
 * reported again.
 */
export function warnOfArguments(policies: PolicySet, types: Types, report: Problems): void {
  for (const { expression, bindings } of listUses(policies)) {
    const checked = types.get(expression);
    if (checked === undefined) continue;
    for (const [call, { name, runtime }] of checked.calls) {
      const argument = call.kind === 'call' ? call.args.at(-1) : undefined;
      if (argument === undefined) continue;
      const isText = argument.kind === 'literal' && argument.type === 'string';
      const definition = isText
        ? {
            name: JSON.stringify(shorten(argument.value)),
            text: argument.value,
            place: placeOfNode(expression, argument),
          }
        : findDefinition(argument, checked, bindings, types);
      const problem = definition && argumentProblem(runtime, definition.text);
      if (definition === undefined || problem === undefined) continue;
      const { wanted, advice } = problem;
      report.add(
        'expression/unusable-argument',
        definition.place,
        { name, argument: definition.name, wanted },
        { notes: advice },
      );
    }
  }
}

/** A text as messages show it. */
function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const LONGEST = 60;
