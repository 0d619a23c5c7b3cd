import { literalOrGlob } from '#runtime/policy';
import type { Types } from '../../ast/checked.js';
import { sanitize } from '../../ast/names.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Note } from '../../diagnostics/diagnostic.js';
import { didYouMean } from '../../diagnostics/did-you-mean.js';
import type { Problems } from '../../diagnostics/problems.js';
import { needsSeparator, resourceKindsOf, withoutSeparators } from '../resource-kinds.js';

/**
 * Warns of resources of role policies that no request matches: they are compared as they are written with kinds whose separators have become `_`
 * (policy-language.md 4.1); and of those that no resource policy is about, for a role policy only narrows (8.6).
 */
export function warnOfRoleResources(policies: PolicySet, _types: Types, report: Problems): void {
  const kinds = resourceKindsOf(policies);
  for (const linked of policies.policies) {
    if (linked.kind !== 'role') continue;
    for (const { resource } of linked.policy.rules) {
      const verdict = verdictOn(resource.value, kinds);
      if (verdict === undefined) continue;
      const { reason, notes } = verdict;
      report.add('role-policy/never-matches', resource.place, { resource: resource.value, reason }, { notes });
    }
  }
}

interface Verdict {
  readonly reason: string;
  readonly notes: readonly Note[];
}

function verdictOn(resource: string, kinds: readonly string[]): Verdict | undefined {
  const matches = literalOrGlob(resource);
  if (kinds.some(matches)) return undefined;
  if (resource.includes('*') ? needsSeparator(resource) : sanitize(resource) !== resource) {
    return {
      reason: 'kinds are looked up with `_` for `:`, `@`, `-` and `/`',
      notes: [{ message: `write \`${withoutSeparators(resource)}\`` }],
    };
  }
  if (resource.includes('*')) return undefined;
  const guess = didYouMean(resource, kinds);
  const wayOut = { message: 'correct the name, or add the resource policy: a role policy only narrows what resource policies allow' };
  return { reason: 'no resource policy is about it', notes: guess.length > 0 ? guess : [wayOut] };
}
