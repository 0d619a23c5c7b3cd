import { importPackage } from '../import-package.js';
import type { Decide, Grants, Question, Workload } from '../workload.js';

/** The part of the package that is used. */
interface AccessControlPackage {
  readonly AccessControl: new () => Grants & {
    readonly lock: () => void;
    readonly can: (
      roles: readonly string[],
      context: object,
    ) => { readonly do: (action: string, kind: string) => { readonly granted: boolean } };
  };
}

/** Decides with accesscontrol, whose grants are locked. */
export async function decideWithAccessControl(
  { accessControl }: Workload,
  questions: readonly Question[],
): Promise<Decide | undefined> {
  if (accessControl === undefined) return undefined;
  const { AccessControl } = await importPackage<AccessControlPackage>('accesscontrol');
  const access = new AccessControl();
  accessControl(access);
  // A role without grants is unknown, and asking about it throws.
  for (const { principal } of questions) for (const role of principal.roles) access.grant(role);
  access.lock();
  const contexts = questions.map(({ principal, resource }) => ({
    user: { id: principal.id, ...principal.attr },
    [resource.kind]: { id: resource.id, ...resource.attr },
  }));
  return (index) => {
    const { principal, resource, action } = questions[index] as Question;
    return access.can(principal.roles, contexts[index] as object).do(action, resource.kind).granted;
  };
}
