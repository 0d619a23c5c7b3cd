import type { SearchPage, WantedPage } from '../../proto/gen/authzen-messages.js';
import type { PlanFilter, UnplannedRule } from '../../proto/gen/messages.js';
import type { SearchService } from './authzen-search.js';
import type { Population, Populations } from './population.js';
import { RpcError, refused } from './rpc-error.js';
import { type PagedSearch, printPage, readToken } from './search-page.js';

/** One page of a search. */
export interface PageSearch {
  readonly page: WantedPage | undefined;
  readonly search: PagedSearch;
  readonly filter: PlanFilter;
  /** Undefined: the configuration has none of this type. */
  readonly population: Population | undefined;
  /** What to say if some may be allowed and there is no population. */
  readonly missing: string;
}

/** The ids of a page, and where the next one begins. Rejects with an RpcError for a search that cannot be exact. */
export async function findPage(
  { populations }: SearchService,
  { page, search, filter, population, missing }: PageSearch,
): Promise<{ readonly ids: readonly string[]; readonly page: SearchPage | undefined }> {
  const after = readToken(page, search);
  // Whatever rows there are: none is selected.
  if (filter.kind === 'KIND_ALWAYS_DENIED') return { ids: [], page: printPage(page, search, undefined) };
  if (population === undefined) throw new RpcError('failed_precondition', missing);
  if (after !== undefined && !population.canHave(after)) throw refused('`page.token` does not belong to this request');
  const limit = limitPage(page, populations);
  // One more than the page has tells whether there is a next one.
  const found = await population.find({ filter, after, most: limit + 1 });
  if (found.kind === 'refused') throw cannotSearch(found.reasons);
  const ids = found.ids.slice(0, limit);
  return { ids, page: printPage(page, search, found.ids.length > limit ? ids.at(-1) : undefined) };
}

/** The most results of a page: what the request asks for, as far as the configuration allows it. */
export function limitPage(page: WantedPage | undefined, populations: Populations | undefined): number {
  const largest = populations?.maxPageSize ?? 0;
  return Math.min(page?.limit || largest, largest);
}

/** Refuses a search whose rules no filter can say: some results would be missing. */
export function refuseGaps(unplanned: readonly UnplannedRule[]): void {
  if (unplanned.length > 0)
    throw cannotSearch(unplanned.map(({ policy, rule, reason }) => `${reason} (rule \`${rule}\` of ${policy})`));
}

/** Refuses properties of what is searched that its rows have themselves. */
export function refuseKnown(entity: 'subject' | 'resource', names: readonly string[], population: Population): void {
  const known = names.find((name) => population.attributes.has(name));
  if (known !== undefined)
    throw refused(`${entity}.properties.${known}: comes from the rows that are searched: leave it out`);
}

const MOST_REASONS = 5;

function cannotSearch(reasons: readonly string[]): RpcError {
  const listed = [...new Set(reasons)];
  const more = listed.length > MOST_REASONS ? `; and ${listed.length - MOST_REASONS} more reasons` : '';
  return new RpcError(
    'failed_precondition',
    `the search cannot be exact: ${listed.slice(0, MOST_REASONS).join('; ')}${more}`,
  );
}
