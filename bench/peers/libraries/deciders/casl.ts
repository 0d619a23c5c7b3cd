import { importPackage } from '../import-package.js';
import type { Decide, Question, Workload } from '../workload.js';

/** The part of the package that is used. */
interface Casl {
  readonly createMongoAbility: (rules: object) => { readonly can: (action: string, resource: object) => boolean };
  readonly subject: (kind: string, attributes: object) => object;
}

/** Decides with CASL: the ability of each principal and the typed resources exist beforehand. */
export async function decideWithCasl({ casl }: Workload, questions: readonly Question[]): Promise<Decide | undefined> {
  if (casl === undefined) return undefined;
  const { createMongoAbility, subject } = await importPackage<Casl>('@casl/ability');
  const known = new Map<string, ReturnType<Casl['createMongoAbility']>>();
  const abilities = questions.map(({ principal }) => {
    const key = JSON.stringify(principal);
    const ability = known.get(key) ?? createMongoAbility(casl(principal));
    known.set(key, ability);
    return ability;
  });
  const resources = questions.map(({ resource: { kind, id, attr } }) => subject(kind, { id, ...attr }));
  return (index) =>
    (abilities[index] as (typeof abilities)[number]).can(
      (questions[index] as Question).action,
      resources[index] as object,
    );
}
