import { literalOrGlob } from '#runtime/policy';
import type { Types } from '../../ast/checked.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import { needsSeparator, resourceKindsOf, withoutSeparators } from '../resource-kinds.js';

/**
 * Warns of resource globs of principal policies with a separator that kinds lose when they are looked up
 * (docs/spec/policy-language.md#sanitized-names).
 */
export function warnOfPrincipalResources(policies: PolicySet, _types: Types, report: Problems): void {
  const kinds = resourceKindsOf(policies);
  for (const linked of policies.policies) {
    if (linked.kind !== 'principal') continue;
    for (const { resource } of linked.policy.rules) {
      const glob = resource.value;
      if (!glob.includes('*') || !needsSeparator(glob) || kinds.some(literalOrGlob(glob))) continue;
      report.add(
        'principal-policy/never-matches',
        resource.place,
        { resource: glob, reason: 'kinds are looked up with `_` for `:`, `@`, `-` and `/`' },
        { notes: [{ message: `write \`${withoutSeparators(glob)}\`` }] },
      );
    }
  }
}
