import { literalOrGlob } from '../../../runtime/policy/index.js';
import type { TenantRolesView } from '../../../runtime/engine/index.js';
import type { Program } from '../../../compiler/ir/program.js';
import type { Population } from './population.js';

/** What a reviewer should know besides who may do what. */
export interface ReviewFinding {
  readonly kind:
    | 'not a principal'
    | 'duplicate id'
    | 'unknown role'
    | 'undefined tenant role'
    | 'policy of a person'
    | 'policy without a user';
  /** The user; empty for a row without an id. */
  readonly user: string;
  readonly text: string;
}

/** What is wrong with users, or special about them. */
export function findIrregular(
  { users }: Pick<Population, 'users'>,
  { modules, tenantRoles }: Program,
  tenants: TenantRolesView | undefined,
): readonly ReviewFinding[] {
  const findings: ReviewFinding[] = [];
  const knows = roleMatcher(modules);
  const counts = new Map<string, number>();
  for (const { id, principal, problem } of users) {
    const user = id ?? '';
    if (user !== '') counts.set(user, (counts.get(user) ?? 0) + 1);
    if (problem !== undefined) findings.push({ kind: 'not a principal', user, text: problem });
    if (principal === undefined) continue;
    const defined = tenants?.definedRoles(principal).roles ?? [];
    for (const role of principal.roles) {
      const isOfTenant = tenantRoles !== undefined && role.startsWith(tenantRoles.rolePrefix);
      if (isOfTenant && !defined.includes(role))
        findings.push({ kind: 'undefined tenant role', user, text: `its tenant does not define \`${role}\`` });
      if (!isOfTenant && !knows(role))
        findings.push({ kind: 'unknown role', user, text: `no policy names \`${role}\`` });
    }
  }
  for (const [user, count] of counts)
    if (count > 1) findings.push({ kind: 'duplicate id', user, text: `${count} rows have this id` });
  for (const module of modules) {
    if (module.kind !== 'principal') continue;
    const user = module.principal;
    for (const { name, effect, actions, resource = '*' } of module.rules) {
      const text = `\`${name}\` of ${module.key}: ${effect === 'deny' ? 'DENY' : 'ALLOW'} ${actions.join(', ')} of ${resource}`;
      findings.push({ kind: counts.has(user) ? 'policy of a person' : 'policy without a user', user, text });
    }
    if (module.rules.length === 0 && !counts.has(user))
      findings.push({ kind: 'policy without a user', user, text: module.key });
  }
  return findings.sort((a, b) => compare([a.kind, a.user, a.text], [b.kind, b.user, b.text]));
}

/** Whether policies name a role, or match it by more than `*`. */
function roleMatcher(modules: Program['modules']): (role: string) => boolean {
  const patterns = modules.flatMap((module): readonly string[] => {
    switch (module.kind) {
      case 'resource':
        return module.rules.flatMap(({ roles }) => roles);
      case 'derived-roles':
        return module.definitions.flatMap(({ parentRoles }) => parentRoles);
      case 'role':
        return [module.role, ...module.parentRoles];
      default:
        return [];
    }
  });
  const matchers = [...new Set(patterns)].filter((pattern) => pattern !== '*').map(literalOrGlob);
  return (role) => matchers.some((matches) => matches(role));
}

function compare(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [a.join('\0'), b.join('\0')];
  return one < other ? -1 : one > other ? 1 : 0;
}
