import type { Types } from '../../ast/checked.js';
import type { Grant, TenantRoles } from '../../ast/policy.js';
import type { PolicySet } from '../../ast/policy-set.js';
import { listRoles } from '../../ast/roles.js';
import { namesForStatements, type StatementNames } from '../../ast/statement-names.js';
import type { Diagnostics } from '../../diagnostics/diagnostic.js';
import { isKnown, suggest } from './known-names.js';

/**
 * Reports roles, kinds and actions of grants that no policy names, and roles of policies that look like those of
 * tenants (docs/spec/policy-language.md#tenantroles).
 */
export function checkTenantRoles({ documents }: PolicySet, report: Diagnostics): Types {
  const policies = documents.map(({ policy }) => policy);
  for (const policy of policies) {
    if (policy.kind !== 'tenant-roles') continue;
    const roles = policies.flatMap(listRoles);
    const names = policies.map(namesForStatements);
    for (const grant of policy.grants) {
      checkRole(grant, new Set(roles.map(({ value }) => value)), report);
      checkResources(grant, names, report);
    }
    checkPrefix(policy, roles, report);
  }
  return NO_TYPES;
}

const NO_TYPES: Types = new Map();

/** `*` is every role, so it names none. */
function checkRole({ role }: Grant, roles: Set<string>, report: Diagnostics): void {
  roles.delete('*');
  if (isKnown(role.value, roles)) return;
  report.add('tenant-roles/unknown-role', role.place, { role: role.value }, suggest(role, roles));
}

function checkResources({ resources }: Grant, names: readonly StatementNames[], report: Diagnostics): void {
  for (const { resource, actions } of resources) {
    const about = names.filter((policy) => isKnown(resource.value, new Set(policy.resources)));
    if (about.length === 0) {
      const kinds = new Set(names.flatMap((policy) => policy.resources));
      report.add('tenant-roles/unknown-kind', resource.place, { kind: resource.value }, suggest(resource, kinds));
      continue;
    }
    const known = new Set(about.flatMap((policy) => policy.actions));
    for (const action of actions) {
      if (isKnown(action.value, known)) continue;
      report.add('tenant-roles/unknown-action', action.place, { action: action.value }, suggest(action, known));
    }
  }
}

function checkPrefix(
  { rolePrefix: prefix }: TenantRoles,
  roles: ReturnType<typeof listRoles>,
  report: Diagnostics,
): void {
  for (const { value: role, place } of roles)
    if (role.startsWith(prefix)) report.add('tenant-roles/reserved-role', place, { role, prefix });
}
