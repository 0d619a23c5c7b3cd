import type { PolicySet } from '../ast/policy-set.js';
import type { TenantRoles } from '../ir/tenant-roles.js';

/** Which roles tenants may give; undefined if the policies do not say so. The set has at most one such document. */
export function lowerTenantRoles({ documents }: PolicySet): TenantRoles | undefined {
  for (const { policy, source } of documents) {
    if (policy.kind !== 'tenant-roles') continue;
    const { tenantScope, rolePrefix, grants } = policy;
    return {
      sourcePath: source.path,
      scope: tenantScope.value.replace(/\.?\*$/, ''),
      rolePrefix,
      grants: grants.map(({ role, resources }) => ({
        role: role.value,
        resources: resources.map(({ resource, actions }) => ({
          resource: resource.value,
          actions: actions.map(({ value }) => value),
        })),
      })),
    };
  }
  return undefined;
}
