import { importPackage } from '../import-package.js';
import type { Decide, Question, Workload } from '../workload.js';

/** The part of the package that is used. */
interface BetterAuth {
  readonly createAccessControl: (statements: object) => { readonly newRole: (statements: object) => Role };
}

interface Role {
  readonly authorize: (request: object) => { readonly success: boolean };
}

/** Decides with the roles of Better Auth's access control. */
export async function decideWithBetterAuth(
  { betterAuth }: Workload,
  questions: readonly Question[],
): Promise<Decide | undefined> {
  if (betterAuth === undefined) return undefined;
  const { createAccessControl } = await importPackage<BetterAuth>('better-auth/plugins/access');
  const kind = questions[0]?.resource.kind as string;
  const actions = [...new Set(Object.values(betterAuth).flat())];
  const access = createAccessControl({ [kind]: actions });
  const roles = new Map(
    Object.entries(betterAuth).map(([role, allowed]) => [role, access.newRole({ [kind]: allowed })]),
  );
  const requests = new Map(actions.map((action) => [action, { [kind]: [action] }]));
  return (index) => {
    const { principal, action } = questions[index] as Question;
    const request = requests.get(action) as object;
    return principal.roles.some((role) => (roles.get(role) as Role).authorize(request).success);
  };
}
