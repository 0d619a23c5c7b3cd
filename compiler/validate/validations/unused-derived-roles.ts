import type { Types } from '../../ast/checked.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import { importedRolesOf } from '../imported-roles.js';

/**
 * Warns of derived roles that no rule names, in sets of which others are used; a set of which nothing is used is an
 * unused import.
 */
export function warnOfUnusedDerivedRoles({ policies }: PolicySet, _types: Types, report: Problems): void {
  const resourcePolicies = policies.filter((linked) => linked.kind === 'resource');
  const imported = importedRolesOf(policies);
  const used = new Set(resourcePolicies.flatMap(({ derivedRoles }) => [...derivedRoles.values()]));
  const usedSets = new Set([...used].map(({ file }) => file));
  for (const role of imported) {
    if (used.has(role) || !usedSets.has(role.file)) continue;
    const { name } = role.definition;
    report.add(
      'derived-role/never-used',
      name.place,
      { name: name.value },
      { notes: [{ message: 'remove it, or name it under `derivedRoles` of a rule' }] },
    );
  }
}
