import { Grants } from '../../../runtime/engine/index.js';
import type { Program } from '../../../compiler/ir/program.js';
import type { TenantRoles } from '../../../compiler/ir/tenant-roles.js';
import type { GrantChange } from './report.js';

/**
 * What tenants may give by the new policies alone, and by the old ones alone; sorted. What is within another grant of the
 * same role is no change. Tenants whose scopes or roles are named otherwise are other tenants.
 */
export function grantChanges(old: Program, new_: Program): readonly GrantChange[] {
  return [
    ...listChanges('added', new_.tenantRoles, old.tenantRoles),
    ...listChanges('removed', old.tenantRoles, new_.tenantRoles),
  ].sort((a, b) => (identifyChange(a) < identifyChange(b) ? -1 : 1));
}

/** The grants of one set of policies that are not within those of the other one. */
function listChanges(
  change: GrantChange['change'],
  own: TenantRoles | undefined,
  other: TenantRoles | undefined,
): readonly GrantChange[] {
  if (own === undefined) return [];
  const { scope: above, rolePrefix, grants } = own;
  const scope = above === '' ? '*' : `${above}.*`;
  const known = other?.scope === above && other.rolePrefix === rolePrefix ? new Grants(other) : undefined;
  const found = new Map<string, { readonly role: string; readonly resource: string; readonly actions: Set<string> }>();
  for (const { role, resources } of grants) {
    const granted = known?.of(role);
    for (const { resource, actions } of resources) {
      const beyond = actions.filter((action) => granted?.contains(resource, action) !== true);
      if (beyond.length === 0) continue;
      const key = JSON.stringify([role, resource]);
      const entry = found.get(key) ?? { role, resource, actions: new Set() };
      found.set(key, entry);
      for (const action of beyond) entry.actions.add(action);
    }
  }
  return [...found.values()].map(({ role, resource, actions }) => ({
    change,
    scope,
    rolePrefix,
    role,
    resource,
    actions: [...actions].sort(),
  }));
}

function identifyChange({ scope, role, resource, change }: GrantChange): string {
  return JSON.stringify([scope, role, resource, change]);
}
