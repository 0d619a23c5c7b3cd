import { sanitize } from '../../runtime/policy/index.js';
import type {
  Action,
  ResourceSearchRequest,
  ResourceSearchResponse,
  SearchedResources,
  Subject,
} from '../../proto/gen/authzen-messages.js';
import { resourceSearchRequestViolations } from '../../proto/gen/validate/authorization.js';
import type { PlanResourcesRequest, Principal } from '../../proto/gen/messages.js';
import { contextForConditions, principalFor, readRequestId, readTokens, toEntry } from './authzen-mapping.js';
import type { SearchService } from './authzen-search.js';
import type { Call } from './call.js';
import { accept, decide, withClaims } from './check-resources.js';
import type { CheckEntry, VerifiedAuxData } from './decider.js';
import { planFor, toPlanCall } from './plan-resources.js';
import { areKnown, isSearched } from './population.js';
import { prepared } from './prepare-call.js';
import { RpcError } from './rpc-error.js';
import { findPage, refuseGaps, refuseKnown } from './search-population.js';
import { type PagedSearch, printPage } from './search-page.js';

/**
 * ResourceSearch: the resources of a kind on which a subject is allowed an action: those that the filter of a plan selects among the rows
 * of the configuration, and that are allowed with their facts (docs/spec/server.md#authzen). Throws, or rejects with, an RpcError.
 */
export function resourceSearch(
  service: SearchService,
  call: Call,
  request: ResourceSearchRequest,
): ResourceSearchResponse | Promise<ResourceSearchResponse> {
  accept(service, call, resourceSearchRequestViolations(request));
  if (!isSearched(service.populations?.resources)) throw new RpcError('unimplemented', NO_RESOURCES);
  const context = contextForConditions(request.context, service);
  // Validation has seen to it that subject, resource and action are there.
  const subject = request.subject as Subject;
  const action = request.action as Action;
  const resource = request.resource as SearchedResources;
  const { resource: known } = toEntry({ ...resource, id: '' }, action, context, service);
  const search: PagedSearch = { of: 'resource', subject, resource, action, context };
  return withClaims(service, call, readTokens(service, call, request.context), async (auxData) => {
    const principal = principalFor(service, subject, auxData);
    const { kind, attr, policyVersion, scope } = known;
    const plan: PlanResourcesRequest = {
      requestId: readRequestId(request.context, service),
      action: action.name,
      actions: [],
      principal,
      resource: { kind, attr, policyVersion, scope },
      auxData: undefined,
      includeMeta: false,
      requestContext: undefined,
    };
    const isThere = await areKnown(service.populations, subject, undefined);
    if (isThere === false) return { page: printPage(request.page, search, undefined), results: [] };
    return await prepared(
      service,
      call,
      [principal],
      () => ({ plans: [toPlanCall(plan, auxData)] }),
      () => searched(service, call, { request, search, auxData, plan, known }),
    );
  });
}

const NO_RESOURCES =
  'the server has no resources to search: set `search` of a source in its configuration, or ask for a plan and filter your own data';

interface Search {
  readonly request: ResourceSearchRequest;
  readonly search: PagedSearch;
  readonly auxData: VerifiedAuxData;
  readonly plan: PlanResourcesRequest;
  /** What all resources have. */
  readonly known: CheckEntry['resource'];
}

async function searched(service: SearchService, call: Call, asked: Search): Promise<ResourceSearchResponse> {
  const { request, search, auxData, plan } = asked;
  const { kind: type = '' } = plan.resource ?? {};
  const population = service.populations?.resources.get(sanitize(type));
  // What the caller says of all rows would otherwise count in place of what is stored.
  if (population !== undefined) refuseKnown('resource', Object.keys(request.resource?.properties ?? {}), population);
  let deniedBefore = new Set<string>();
  for (let attempt = 1; ; attempt += 1) {
    // Watchers are told of one plan alone.
    const planned = planFor(attempt === 1 ? service : { ...service, watchers: [] }, call, plan, auxData);
    refuseGaps(planned.unplanned);
    const { ids, page } = await findPage(service, {
      page: request.page,
      search,
      filter: planned.filter,
      population,
      missing: `no source of \`${type}\` may be searched: set \`search\` of one in the configuration`,
    });
    const allowed = await confirm(service, call, asked, ids);
    const denied = ids.filter((id) => !allowed.has(id));
    const found = { page, results: [...allowed].map((id) => ({ type, id, properties: {} })) };
    if (denied.length === 0 || population?.mayLag === true) return found;
    // A row that was written in between is not found again, or allowed.
    const disagreed = denied.filter((id) => deniedBefore.has(id));
    if (disagreed.length > 0) {
      service.populations?.disagreed?.(type, disagreed);
      throw new RpcError('internal', 'the search failed: the database selects rows that a check denies');
    }
    if (attempt === MOST_ATTEMPTS) return found;
    deniedBefore = new Set(denied);
    await service.facts?.fetch(call, { plans: [toPlanCall(plan, auxData)] });
  }
}

/** How often a page is searched while others write its rows. */
const MOST_ATTEMPTS = 3;

/**
 * The resources of some that an evaluation allows, in their order. Columns hold what no source returns, such as an infinite number: a
 * filter selects the row nevertheless, and a decision lacks the fact.
 */
async function confirm(
  service: SearchService,
  call: Call,
  { auxData, plan, known }: Search,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { facts } = service;
  if (facts === undefined || ids.length === 0) return new Set(ids);
  const allowed = new Set<string>();
  const atATime = service.limits.maxResourcesPerRequest;
  for (let start = 0; start < ids.length; start += atATime) {
    const some = ids.slice(start, start + atATime);
    const question = {
      requestId: plan.requestId,
      // The request has one: it was planned.
      principal: plan.principal as Principal,
      resources: some.map((id) => ({ resource: { ...known, id }, actions: [plan.action] })),
      auxData,
      includeMeta: false,
      requestContext: undefined,
      isWhole: true,
    };
    await facts.fetch(call, { checks: [question] });
    // Watchers are told of the plan alone.
    const decisions = decide({ ...service, watchers: [] }, call, question);
    for (const [index, id] of some.entries()) if (decisions[index]?.actions[0]?.effect === 1) allowed.add(id);
  }
  return allowed;
}
