import { entriesOf, TextIndex } from '../globs/text-index.js';

/** The texts of a rule. */
interface Covering {
  readonly resource: string;
  readonly actions: readonly string[];
  readonly roles: readonly string[];
}

/** What is to be covered; of texts that are left out, nothing is asked. */
export interface Reached {
  readonly resource: string;
  readonly action: string | undefined;
  readonly role: string | undefined;
}

/** Finds the rules that may cover a resource, an action and a role, without a look at all of them. */
export class CoverIndex<R extends Covering> {
  private readonly resources: TextIndex;
  private readonly actions: TextIndex;
  private readonly roles: TextIndex;

  constructor(private readonly rules: readonly R[]) {
    this.resources = new TextIndex(rules.map(({ resource }) => [resource]));
    this.actions = new TextIndex(rules.map(({ actions }) => actions));
    this.roles = new TextIndex(rules.map(({ roles }) => roles));
  }

  /**
   * The first rule in the order of the file that is what is looked for. Only rules that may cover what is reached are
   * asked.
   */
  find({ resource, action, role }: Reached, isSought: (rule: R) => boolean): R | undefined {
    let fewest = this.resources.find(resource);
    for (const [index, text] of [
      [this.actions, action],
      [this.roles, role],
    ] as const) {
      const found = text === undefined ? fewest : index.find(text);
      if (found.count < fewest.count) fewest = found;
    }
    const entry = entriesOf(fewest).find((candidate) => isSought(this.rules[candidate] as R));
    return entry === undefined ? undefined : this.rules[entry];
  }
}
