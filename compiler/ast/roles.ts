import type { Policy } from './policy.js';
import type { Located } from '../diagnostics/span.js';

/** The roles, and globs of roles, that a policy names of principals. */
export function listRoles(policy: Policy): readonly Located<string>[] {
  switch (policy.kind) {
    case 'resource':
      return policy.rules.flatMap(({ roles }) => roles);
    case 'role':
      return [policy.role, ...policy.parentRoles];
    case 'derived-roles':
      return policy.definitions.flatMap(({ parentRoles }) => parentRoles);
    case 'principal':
    case 'export-variables':
    case 'export-constants':
    case 'invariants':
    case 'tenant-roles':
      return [];
  }
}
