import { importPackage } from '../import-package.js';
import type { Decide, Principal, Question, Resource, Workload } from '../workload.js';

/** The part of the package that is used. */
interface Casbin {
  readonly newModelFromString: (text: string) => object;
  readonly newEnforcer: (model: object) => Promise<Enforcer>;
}

interface Enforcer {
  readonly addFunction: (name: string, of: (roles: readonly string[], role: string) => boolean) => Promise<void>;
  readonly addPolicies: (lines: string[][]) => Promise<boolean>;
  readonly enforceSync: (principal: Principal, resource: Resource, action: string) => boolean;
}

/** Decides with `enforceSync` of casbin. */
export async function decideWithCasbin(
  { casbin }: Workload,
  questions: readonly Question[],
): Promise<Decide | undefined> {
  if (casbin === undefined) return undefined;
  const { newModelFromString, newEnforcer } = await importPackage<Casbin>('casbin');
  const hasConditions = casbin.some((line) => line.length === 4);
  const enforcer = await newEnforcer(
    newModelFromString(`
[request_definition]
r = sub, obj, act
[policy_definition]
p = role, kind, act${hasConditions ? ', condition' : ''}
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.act == p.act && r.obj.kind == p.kind && hasRole(r.sub.roles, p.role)${hasConditions ? ' && eval(p.condition)' : ''}
`),
  );
  await enforcer.addFunction('hasRole', (roles, role) => roles.includes(role));
  await enforcer.addPolicies(casbin.map((line) => line.map(String)));
  return (index) => {
    const { principal, resource, action } = questions[index] as Question;
    return enforcer.enforceSync(principal, resource, action);
  };
}
