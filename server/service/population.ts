import type { Subject } from '../../proto/gen/authzen-messages.js';
import type { PlanFilter, Resource } from '../../proto/gen/messages.js';
import { sanitize } from '../../runtime/policy/index.js';

/** The rows of one kind that a search finds by a filter: those of a table, say. */
export interface Population {
  /** The attributes that its rows have. A caller may not say what they are. */
  readonly attributes: ReadonlySet<string>;
  /** Whether the rows of subjects say their roles, in place of the request. */
  readonly hasRoles?: boolean | undefined;
  /** Whether checks may use facts that were read before the rows are searched. */
  readonly mayLag?: boolean | undefined;
  /** Whether a row may have such an id: any other is not looked for. */
  readonly canHave: (id: string) => boolean;
  /** Whether there is a row with this id. Rejects with an RpcError when that cannot be read. */
  readonly has: (id: string) => Promise<boolean>;
  /**
   * Finds the ids of the rows for which a filter is true, in an order that never changes. Never resolves with some of them in place
   * of all. Rejects with an RpcError when the rows cannot be read, or not in time.
   */
  readonly find: (query: PopulationQuery) => Promise<FoundIds>;
}

/** What is searched for in a population. */
export interface PopulationQuery {
  readonly filter: PlanFilter;
  /** The roles that all rows have, for a filter of a plan of subjects; absent: their own ones, or the filter is about resources. */
  readonly roles?: readonly string[] | undefined;
  /** The id after which to begin; undefined: at the first one. */
  readonly after: string | undefined;
  readonly most: number;
}

/** The first ids after the given one, or why the filter cannot be asked of this population. */
export type FoundIds =
  | { readonly kind: 'found'; readonly ids: readonly string[] }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

/** The populations that may be searched. */
export interface Populations {
  /** The rows of each kind, as `sanitize` writes it. */
  readonly resources: ReadonlyMap<string, Population>;
  /** The rows of each type of subject. */
  readonly subjects: ReadonlyMap<string, Population>;
  /** The most results of a page. */
  readonly maxPageSize: number;
  /** The most rows that are decided one by one for a page. */
  readonly maxRows: number;
  /** How long such rows may be read and decided for a page, in milliseconds. */
  readonly timeout: number;
  /** Told of rows that a filter selects and a check denies, which were not written in between. */
  readonly disagreed?: ((of: string, ids: readonly string[]) => void) | undefined;
}

/** Whether there is anything to search. */
export function isSearched(populations: ReadonlyMap<string, Population> | undefined): boolean {
  return populations !== undefined && populations.size > 0;
}

/**
 * Whether the populations have a subject and a resource that a request names. Those that are not searched are taken to be there.
 * Undefined: there is nothing to look for.
 */
export function areKnown(
  populations: Populations | undefined,
  subject: Pick<Subject, 'type' | 'id'> | undefined,
  resource: Pick<Resource, 'kind' | 'id'> | undefined,
): Promise<boolean> | undefined {
  if (populations === undefined) return undefined;
  const { subjects, resources } = populations;
  const asked = [
    subject && subjects.get(subject.type)?.has(subject.id),
    resource && resources.get(sanitize(resource.kind))?.has(resource.id),
  ].filter((one) => one !== undefined);
  return asked.length === 0 ? undefined : Promise.all(asked).then((all) => all.every((isThere) => isThere));
}
