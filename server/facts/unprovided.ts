import { type FactProvider, isProvided } from '../../runtime/facts/unprovided.js';

/** The facts of a kind that neither a source provides nor callers send. */
export interface Unprovided {
  readonly kind: string;
  readonly facts: readonly string[];
}

/** The facts that policies read and nobody provides, by kind. Claims come from tokens, and a whole request from its caller. */
export function listUnprovided(
  read: ReadonlyMap<string, ReadonlySet<string>>,
  providers: readonly FactProvider[],
): readonly Unprovided[] {
  return [...read].flatMap(([kind, facts]) => {
    const lacking = [...facts].filter(
      (fact) => !fact.startsWith('auxData') && !fact.startsWith('*') && !isProvided(kind, fact, providers),
    );
    return lacking.length === 0 ? [] : [{ kind, facts: lacking.sort() }];
  });
}

/** How many facts a message names. */
const MOST_NAMED = 20;

/** The facts in a sentence: `album: resource.attr.owner, resource.attr.status`. */
export function describeUnprovided(all: readonly Unprovided[]): string {
  const named = all.flatMap(({ kind, facts }) => facts.map((fact) => ({ kind, fact })));
  const kinds = new Map<string, string[]>();
  for (const { kind, fact } of named.slice(0, MOST_NAMED)) kinds.set(kind, [...(kinds.get(kind) ?? []), fact]);
  const listed = [...kinds].map(([kind, facts]) => `${kind}: ${facts.join(', ')}`).join('; ');
  return named.length > MOST_NAMED ? `${listed}; and ${named.length - MOST_NAMED} more` : listed;
}
