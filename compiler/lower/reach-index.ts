import { literalOrGlob } from '../../runtime/policy/index.js';
import type { ActionTable } from '../ir/program.js';

/** A glob of an entry. */
interface IndexedGlob {
  readonly entry: number;
  readonly matches: (name: string) => boolean;
}

/**
 * Finds the entries of a list with a pattern that matches a name. Literals are looked up; a glob is only tried with
 * names that begin with its literal prefix: a policy may have thousands of rules, each with a different action.
 */
export class ReachIndex {
  private readonly byLiteral = new Map<string, number[]>();
  private readonly byPrefix = new Map<string, IndexedGlob[]>();
  /** The lengths of those prefixes, ascending. */
  private readonly lengths: readonly number[];
  /** The number of glob matches that were attempted. */
  tried = 0;

  /** @param entries the patterns of each entry, by its number. */
  constructor(entries: Iterable<readonly [entry: number, texts: readonly string[]]>) {
    const matchers = new Map<string, (name: string) => boolean>();
    for (const [entry, texts] of entries) {
      for (const text of texts) {
        if (!text.includes('*')) {
          addTo(this.byLiteral, text, entry);
          continue;
        }
        const matches = matchers.get(text) ?? literalOrGlob(text);
        matchers.set(text, matches);
        addTo(this.byPrefix, findPrefix(text), { entry, matches });
      }
    }
    this.lengths = [...new Set([...this.byPrefix.keys()].map((prefix) => prefix.length))].sort((a, b) => a - b);
  }

  /** The entries that match a name, ascending. */
  reaching(name: string): readonly number[] {
    const found = new Set(this.byLiteral.get(name) ?? []);
    for (const length of this.lengths) {
      if (length > name.length) break;
      for (const { entry, matches } of this.byPrefix.get(name.slice(0, length)) ?? []) {
        if (found.has(entry)) continue;
        this.tried += 1;
        if (matches(name)) found.add(entry);
      }
    }
    return [...found].sort((a, b) => a - b);
  }
}

/** The common prefix of all names that a glob matches. The `*` after it may match the empty string. */
function findPrefix(glob: string): string {
  return glob.slice(0, glob.search(/[*?[\]{}\\,!]/));
}

function addTo<T>(groups: Map<string, T[]>, key: string, value: T): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}

/** The parts of a rule that determine which actions it matches. */
interface Reaching {
  readonly actions: readonly string[];
}

/**
 * Determines at compile time which rules match each action that some rule names: the list of a literal action already
 * contains the rules that match it by glob. Any other action can only be matched by a glob.
 *
 * @param among indexes of the rules to consider, in the order of the policy.
 */
export function actionTable(rules: readonly Reaching[], among: readonly number[]): ActionTable {
  const listActions = (index: number): readonly string[] => rules[index]?.actions ?? [];
  const index = new ReachIndex(among.map((rule) => [rule, listActions(rule)]));
  const texts = new Set(among.flatMap(listActions));
  return {
    actions: [...texts]
      .filter((text) => !text.includes('*'))
      .map((action) => ({ action, rules: index.reaching(action) })),
    otherActions: among.filter((rule) => listActions(rule).some((text) => text.includes('*'))),
  };
}
