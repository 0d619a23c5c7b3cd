import { importPackage } from '../import-package.js';
import type { Decide, EasyRbacParameters, Question, Workload } from '../workload.js';

/** The part of the package that is used. */
interface EasyRbac {
  readonly create: (roles: object) => {
    readonly can: (roles: readonly string[], operation: string, parameters: EasyRbacParameters) => Promise<boolean>;
  };
}

/** Decides with easy-rbac. */
export async function decideWithEasyRbac(
  { easyRbac }: Workload,
  questions: readonly Question[],
): Promise<Decide | undefined> {
  if (easyRbac === undefined) return undefined;
  const { default: rbac } = await importPackage<{ readonly default: EasyRbac & { readonly default?: EasyRbac } }>(
    'easy-rbac',
  );
  const { create } = rbac.default ?? rbac;
  const instance = create(easyRbac);
  const operations = questions.map(({ resource, action }) => `${resource.kind}:${action}`);
  return (index) => {
    const question = questions[index] as Question;
    return instance.can(question.principal.roles, operations[index] as string, question);
  };
}
