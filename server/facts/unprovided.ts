import { sanitize } from '../../runtime/policy/index.js';

/** A source as far as it matters which facts it has. */
export interface Provider {
  /** The sanitised kind; undefined for principals. */
  readonly kind: string | undefined;
  readonly facts: ReadonlyMap<string, string>;
}

/** The facts of a kind that neither a source provides nor callers send. */
export interface Unprovided {
  readonly kind: string;
  readonly facts: readonly string[];
}

/**
 * The facts that policies read and nobody provides, by kind. Claims come from tokens.
 * @param sent the facts that callers send: `resource.attr.owner`, or `resource.attr.*` for all of the resource.
 */
export function listUnprovided(
  read: ReadonlyMap<string, ReadonlySet<string>>,
  providers: readonly Provider[],
  sent: readonly string[],
): readonly Unprovided[] {
  const isSent = (fact: string): boolean => sent.includes(fact) || sent.some((one) => isAllOf(one, fact));
  return [...read].flatMap(([kind, facts]) => {
    const provided = new Set(
      providers
        .filter((provider) => provider.kind === undefined || provider.kind === sanitize(kind))
        .flatMap((provider) => [...provider.facts.values()]),
    );
    const lacking = [...facts].filter(
      (fact) => !fact.startsWith('auxData') && !fact.startsWith('*') && !provided.has(fact) && !isSent(fact),
    );
    return lacking.length === 0 ? [] : [{ kind, facts: lacking.sort() }];
  });
}

/** Whether a name such as `resource.attr.*` covers a fact. */
function isAllOf(name: string, fact: string): boolean {
  return name.endsWith('.*') && (fact.startsWith(name.slice(0, -1)) || fact.startsWith(`${name.slice(0, -2)}[`));
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
