import type { PolicyBundle, ResourcePolicy } from '#runtime/policy';
import type { KindNames } from '../service/services.js';

/** A page has no use for more. */
const MOST_KINDS = 2000;
const MOST_NAMES = 500;

/**
 * What requests can name of the policies of a bundle, sorted: literal names only, and nothing of what the policies decide.
 */
export function policyNames({ resourcePolicies }: Pick<PolicyBundle, 'resourcePolicies'>): readonly KindNames[] {
  const byKind = new Map<string, ResourcePolicy[]>();
  for (const policy of resourcePolicies) {
    const known = byKind.get(policy.kind);
    if (known !== undefined) known.push(policy);
    else if (byKind.size < MOST_KINDS) byKind.set(policy.kind, [policy]);
  }
  return [...byKind].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, policies]) => kindNames(kind, policies));
}

function kindNames(kind: string, policies: readonly ResourcePolicy[]): KindNames {
  return {
    kind,
    actions: sorted(policies.flatMap(({ actions }) => [...actions.keys()])),
    roles: sorted(
      policies.flatMap(({ roles, derivedRoles }) => [
        ...roles.keys(),
        ...derivedRoles.flatMap(({ parentRoles }) => [...parentRoles].filter((role) => !role.includes('*'))),
      ]),
    ),
    policyVersions: sorted(policies.map(({ version }) => version)),
    scopes: sorted(policies.map(({ scope }) => scope)),
  };
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort().slice(0, MOST_NAMES);
}
