import { importPackage } from '../import-package.js';
import type { Attributes, Decide, Question, Workload } from '../workload.js';

/** The part of the package that is used. */
interface OsoPackage {
  readonly default: {
    readonly Oso: new () => {
      readonly registerClass: (of: new (...parameters: never[]) => object, settings: { readonly name: string }) => void;
      readonly loadStr: (text: string) => Promise<void>;
      readonly isAllowed: (principal: object, action: string, resource: object) => Promise<boolean>;
    };
  };
}

/** Decides with `isAllowed` of Oso. */
export async function decideWithOso({ oso }: Workload, questions: readonly Question[]): Promise<Decide | undefined> {
  if (oso === undefined) return undefined;
  const { Oso } = (await importPackage<OsoPackage>('oso')).default;
  const instance = new Oso();
  instance.registerClass(User, { name: 'User' });
  instance.registerClass(Document, { name: 'Document' });
  await instance.loadStr(oso);
  const users = questions.map(({ principal: { id, roles, attr } }) => new User({ id, roles, ...attr }));
  const resources = questions.map(({ resource: { id, attr } }) => new Document({ id, ...attr }));
  return (index) =>
    instance.isAllowed(users[index] as User, (questions[index] as Question).action, resources[index] as Document);
}

/** Policies of Oso are about classes. */
class User {
  constructor(attributes: Attributes) {
    Object.assign(this, attributes);
  }
}

class Document {
  constructor(attributes: Attributes) {
    Object.assign(this, attributes);
  }
}
