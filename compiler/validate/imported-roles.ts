import type { LinkedDerivedRole, LinkedPolicy } from '../ast/policy-set.js';

/**
 * The derived roles that resource policies import, each once. Thousands of policies may share one list of them: it is
 * looked at once.
 */
export function importedRolesOf(policies: readonly LinkedPolicy[]): ReadonlySet<LinkedDerivedRole> {
  const lists = new Set(policies.flatMap((linked) => (linked.kind === 'resource' ? [linked.importedRoles] : [])));
  return new Set([...lists].flat());
}
