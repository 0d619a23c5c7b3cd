import { importPackage } from '../import-package.js';
import type { Attributes, Decide, PermixRules, Question, Workload } from '../workload.js';

/** The part of the package that is used. */
interface Permix {
  readonly createPermix: () => {
    readonly setup: (rules: PermixRules) => void;
    readonly check: (path: string, attributes: Attributes) => boolean;
  };
}

/** Decides with Permix, which is set up for each principal beforehand. */
export async function decideWithPermix(
  { permix }: Workload,
  questions: readonly Question[],
): Promise<Decide | undefined> {
  if (permix === undefined) return undefined;
  const { createPermix } = await importPackage<Permix>('permix');
  const known = new Map<string, ReturnType<Permix['createPermix']>>();
  const instances = questions.map(({ principal }) => {
    const key = JSON.stringify(principal);
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = createPermix();
    made.setup(permix(principal));
    known.set(key, made);
    return made;
  });
  const paths = questions.map(({ resource, action }) => `${resource.kind}.${action}`);
  return (index) =>
    (instances[index] as (typeof instances)[number]).check(
      paths[index] as string,
      (questions[index] as Question).resource.attr,
    );
}
