import type { Types } from '../../ast/checked.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import { judgedRulesOf } from '../judged-rules.js';
import { repeats } from '../rule-cover.js';

/** Warns of rules that say what another rule of their policy says: the same effect and condition, no action and no role more. */
export function warnOfRepeatedRules({ policies }: PolicySet, _types: Types, report: Problems): void {
  for (const policy of policies) {
    const rules = judgedRulesOf(policy);
    for (const rule of rules) {
      const other = rules.find((candidate) => repeats(rule, candidate, rules));
      if (other === undefined) continue;
      const notes = [
        { message: `\`${other.name}\` is here`, span: other.place.span },
        { message: 'remove this rule, or correct what was meant to differ' },
      ];
      report.add('rule/repeated', rule.place, { rule: rule.name, other: other.name }, { notes });
    }
  }
}
