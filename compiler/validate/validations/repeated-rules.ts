import type { Types } from '../../ast/checked.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import { judgedPolicyOf } from '../judged-rules.js';
import { repeatedBy } from '../rule-cover.js';

/**
 * Warns of rules that say what another rule of their policy says: the same effect and condition, no action and no role
 * more.
 */
export function warnOfRepeatedRules({ policies }: PolicySet, _types: Types, report: Problems): void {
  for (const linked of policies) {
    const policy = judgedPolicyOf(linked);
    for (const rule of policy.rules) {
      const other = repeatedBy(rule, policy);
      if (other === undefined) continue;
      const notes = [
        { message: `\`${other.name}\` is here`, span: other.place.span },
        { message: 'remove this rule, or correct what was meant to differ' },
      ];
      report.add('rule/repeated', rule.place, { rule: rule.name, other: other.name }, { notes });
    }
  }
}
