import { setImmediate } from 'node:timers/promises';
import type {
  Action,
  Resource,
  SearchedSubjects,
  SubjectSearchRequest,
  SubjectSearchResponse,
} from '../../proto/gen/authzen-messages.js';
import { subjectSearchRequestViolations } from '../../proto/gen/validate/authorization.js';
import type { PlanFilter, Principal } from '../../proto/gen/messages.js';
import { EvaluationLimitError } from '../../runtime/engine/index.js';
import { contextForConditions, readRequestId, readTokens, toEntry, toPrincipal } from './authzen-mapping.js';
import type { SearchService } from './authzen-search.js';
import type { Call } from './call.js';
import { accept, type CheckQuestion, decide, withClaims } from './check-resources.js';
import type { DecidingBundle } from './decider.js';
import { areKnown, isSearched, type Population, type PopulationQuery } from './population.js';
import { prepare } from './prepare-call.js';
import { refused, RpcError } from './rpc-error.js';
import { limitPage, refuseKnown } from './search-population.js';
import { type PagedSearch, printPage, readToken } from './search-page.js';
import { tellChecked } from './watch.js';
import type { Checked } from './watcher.js';

/**
 * SubjectSearch: the subjects of a type that are allowed an action on a resource, by deciding about the rows of the configuration, in
 * the order of their ids (docs/spec/server.md#authzen). Throws, or rejects with, an RpcError.
 */
export function subjectSearch(
  service: SearchService,
  call: Call,
  request: SubjectSearchRequest,
): SubjectSearchResponse | Promise<SubjectSearchResponse> {
  accept(service, call, subjectSearchRequestViolations(request));
  if (!isSearched(service.populations?.subjects)) throw new RpcError('unimplemented', NO_SUBJECTS);
  const context = contextForConditions(request.context, service);
  // Validation has seen to it that subject, resource and action are there.
  const subject = request.subject as SearchedSubjects;
  const resource = request.resource as Resource;
  const action = request.action as Action;
  const search: PagedSearch = { of: 'subject', subject, resource, action, context };
  const entry = toEntry(resource, action, context, service);
  return withClaims(service, call, readTokens(service, call, request.context), (auxData) =>
    searched(service, call, {
      request,
      search,
      subject,
      asked: {
        requestId: readRequestId(request.context, service),
        resources: [entry],
        auxData,
        includeMeta: false,
        requestContext: undefined,
        isWhole: true,
      },
    }),
  );
}

const NO_SUBJECTS =
  'the server has no subjects to search: set `search` of a source of principals in its configuration, or evaluate the subjects that you know';

/** What is asked about each subject. */
type Asked = Omit<CheckQuestion, 'principal'>;

interface Search {
  readonly request: SubjectSearchRequest;
  readonly search: PagedSearch;
  readonly subject: SearchedSubjects;
  readonly asked: Asked;
}

async function searched(
  service: SearchService,
  call: Call,
  { request: { page }, search, subject, asked }: Search,
): Promise<SubjectSearchResponse> {
  const { populations } = service;
  const after = readToken(page, search);
  const population = populations?.subjects.get(subject.type);
  const isThere = await areKnown(populations, undefined, asked.resources[0]?.resource);
  const found =
    population === undefined || isThere === false
      ? NOTHING
      : await scan(service, call, { population, subject, asked, after, limit: limitPage(page, populations) });
  return {
    page: printPage(page, search, found.next),
    results: found.ids.map((id) => ({ type: subject.type, id, properties: {} })),
  };
}

interface Scan {
  readonly population: Population;
  readonly subject: SearchedSubjects;
  readonly asked: Asked;
  readonly after: string | undefined;
  readonly limit: number;
}

/** The subjects of a page, and the id after which the next one begins; undefined if there is none. */
interface Found {
  readonly ids: readonly string[];
  readonly next: string | undefined;
}

const NOTHING: Found = { ids: [], next: undefined };

/** How many rows are decided at once, and read unless a plan selects them; and how many of a plan are read. */
const BATCH = 100;
const MOST_PLANNED = 1000;

/**
 * Decides about one row after the other, until a page is full. A page may have fewer results than it could, or none, if many rows were
 * decided for it or that took long: its token says where to go on.
 */
async function scan(
  service: SearchService,
  call: Call,
  { population, subject, asked, after, limit }: Scan,
): Promise<Found> {
  if (after !== undefined && !population.canHave(after)) throw refused('`page.token` does not belong to this request');
  refuseKnown('subject', Object.keys(subject.properties), population);
  const { maxRows = 0, timeout = 0 } = service.populations ?? {};
  const until = performance.now() + timeout;
  const allowed: string[] = [];
  let narrowed = await narrow(service, call, population, subject, asked);
  let last = after;
  // At least one row, so that each page goes on.
  for (let rows = 0; rows === 0 || (rows < maxRows && performance.now() < until); ) {
    // Nearly all rows that a plan selects are results.
    const batch = narrowed === ALL ? BATCH : Math.min(limit + 1, MOST_PLANNED);
    const most = Math.min(batch, maxRows - rows);
    const read = await population.find({ ...narrowed, after: last, most });
    if (read.kind === 'refused') {
      if (narrowed === ALL) throw new RpcError('internal', 'rows cannot be listed');
      // What the database cannot evaluate is decided row by row.
      narrowed = ALL;
      continue;
    }
    const principals = read.ids.map((id) => toPrincipal({ ...subject, id }, service.propertyNames));
    for (let start = 0; start < principals.length; start += BATCH) {
      allowed.push(...(await decideEach(service, call, principals.slice(start, start + BATCH), asked)));
      // Other calls take their turns.
      await setImmediate();
    }
    // One more than the page has tells whether there is a next one.
    if (allowed.length > limit) return { ids: allowed.slice(0, limit), next: allowed[limit - 1] };
    if (read.ids.length < most) return { ids: allowed, next: undefined };
    last = read.ids.at(-1);
    rows += read.ids.length;
  }
  return { ids: allowed, next: last };
}

type Narrowed = Pick<PopulationQuery, 'filter' | 'roles'>;

const ALL: Narrowed = { filter: { kind: 'KIND_ALWAYS_ALLOWED' } };

/**
 * The filter of the subjects that are worth deciding about: those of a plan, if the bundle plans subjects and all of them are decided by
 * it in the same way. Each is decided nevertheless.
 */
async function narrow(
  service: SearchService,
  call: Call,
  { hasRoles = false }: Population,
  { type, properties }: SearchedSubjects,
  { resources: [entry], auxData }: Asked,
): Promise<Narrowed> {
  if (entry === undefined || service.bundles === undefined || service.bundles.isSplit()) return ALL;
  // The resource is decided in a scope, or each subject with roles, that neither the request nor the rows say.
  const { facts } = service;
  if (facts !== undefined && facts.listSelectors(entry.resource.kind).size > 0) return ALL;
  if ([...(facts?.listSelectors(undefined) ?? [])].some((selector) => !hasRoles || selector !== 'roles')) return ALL;
  const { roles, scope, policyVersion } = toPrincipal({ type, id: '-', properties }, service.propertyNames);
  const anyone = { id: '-', roles, scope, policyVersion, attr: properties, actors: [] };
  await prepare(service.steps, call, [anyone], () => ({}));
  const planSubjects = call.bundle?.planSubjects;
  // Tenants change what roles mean.
  if (planSubjects === undefined || (call.tenants?.size ?? 0) > 0) return ALL;
  const { resource, actions } = entry;
  const attr = facts === undefined ? resource.attr : await facts.fetchResource(call, resource);
  if (attr === undefined) return ALL;
  try {
    const plan = planSubjects({
      resource: { ...resource, attr },
      action: actions[0] as string,
      auxData,
      principal: { scope, policyVersion },
    });
    return plan.kind === 'planned' ? { filter: plan.filter as PlanFilter, roles: hasRoles ? undefined : roles } : ALL;
  } catch (error) {
    // The same limits hold for each decision.
    if (error instanceof EvaluationLimitError) return ALL;
    throw error;
  }
}

/** The ids of the principals that are allowed, in order; each is decided by its own bundle, as if it were asked about alone. */
async function decideEach(
  service: SearchService,
  call: Call,
  principals: readonly Principal[],
  asked: Asked,
): Promise<readonly string[]> {
  const byBundle = new Map<DecidingBundle | undefined, Principal[]>();
  for (const principal of principals) {
    const bundle = service.bundles?.choose([principal]);
    const group = byBundle.get(bundle) ?? [];
    byBundle.set(bundle, group);
    group.push(principal);
  }
  const allowed = new Set<string>();
  // Watchers are told of the results alone.
  let told: Checked[] = [];
  const isWatched = service.watchers.length > 0;
  const deciding = {
    ...service,
    watchers: isWatched ? [{ checked: (_: Call, check: Checked) => told.push(check) }] : [],
  };
  for (const group of byBundle.values()) {
    const questions = group.map((principal) => ({ ...asked, principal }));
    await prepare(service.steps, call, group, () => ({ checks: questions }));
    for (const question of questions) {
      told = [];
      if (decide(deciding, call, question)[0]?.actions[0]?.effect !== 1) continue;
      allowed.add(question.principal.id);
      for (const check of told) tellChecked(service.watchers, call, check);
    }
  }
  return principals.flatMap(({ id }) => (allowed.has(id) ? [id] : []));
}
