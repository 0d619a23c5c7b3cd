import type { ActionSearchRequest, ActionSearchResponse, Resource, Subject } from '../../proto/gen/authzen-messages.js';
import { actionSearchRequestViolations } from '../../proto/gen/validate/authorization.js';
import { prepared } from './prepare-call.js';
import { contextForConditions, toEntry, principalFor, readRequestId, readTokens } from './authzen-mapping.js';
import { type BundleChoice, chooseDecider } from './bundle-choice.js';
import type { Call } from './call.js';
import type { CheckEntry } from './decider.js';
import type { Asked } from './facts.js';
import { accept, type CheckQuestion, type CheckService, decide, withClaims } from './check-resources.js';
import { areKnown, type Populations } from './population.js';
import { type PagedSearch, printPage, readToken } from './search-page.js';

/** What searches need beside a check. */
export interface SearchService extends CheckService {
  /** The subjects and resources that may be searched; absent: there are none. */
  readonly populations?: Populations | undefined;
  /** The bundles of principals; absent: there is one for all. */
  readonly bundles?: Pick<BundleChoice, 'choose' | 'isSplit'> | undefined;
  /** The actions that the policies in use name for a principal and a kind, sorted. */
  readonly actionNames: (principalId: string, kind: string) => readonly string[];
}

/**
 * ActionSearch: the actions that a subject is allowed on a resource, by deciding each action that the policies name
 * (docs/spec/server.md#authzen). Throws, or rejects with, an RpcError.
 */
export function actionSearch(
  service: SearchService,
  call: Call,
  request: ActionSearchRequest,
): ActionSearchResponse | Promise<ActionSearchResponse> {
  accept(service, call, actionSearchRequestViolations(request));
  const { page } = request;
  const context = contextForConditions(request.context, service);
  // Validation has seen to it that subject and resource are there.
  const subject = request.subject as Subject;
  const { resource } = toEntry(request.resource as Resource, NO_ACTION, context, service);
  const search: PagedSearch = { of: 'action', subject, resource: request.resource as Resource, context };
  const after = readToken(page, search);
  const limit = page?.limit || Number.POSITIVE_INFINITY;
  return withClaims(service, call, readTokens(service, call, request.context), (auxData) => {
    const principal = principalFor(service, subject, auxData);
    const answer = (names: readonly string[]): ActionSearchResponse => {
      const results = names.slice(0, limit).map((name) => ({ name, properties: {} }));
      return { page: printPage(page, search, names.length > limit ? results.at(-1)?.name : undefined), results };
    };
    const asks = (): Asked => {
      const actions = (call.bundle ?? service).actionNames(principal.id, resource.kind);
      return { checks: [{ principal, resources: [{ resource, actions }], auxData, includeMeta: false }] };
    };
    // One more than the page has tells whether there is a next one.
    const decideAll = (): ActionSearchResponse | Promise<ActionSearchResponse> =>
      prepared(service, call, [principal], asks, () =>
        answer(searched(service, call, { principal, resource, auxData, request, after, most: limit + 1 })),
      );
    const known = areKnown(service.populations, subject, resource);
    return known === undefined ? decideAll() : known.then((areThere) => (areThere ? decideAll() : answer([])));
  });
}

/** What is asked about each action. */
interface Search extends Pick<CheckQuestion, 'principal' | 'auxData'> {
  readonly resource: CheckEntry['resource'];
  readonly request: ActionSearchRequest;
  /** The last action of the page before. */
  readonly after: string | undefined;
  /** How many actions are enough. */
  readonly most: number;
}

/** The allowed actions, sorted. */
function searched(
  service: SearchService,
  call: Call,
  { principal, resource, auxData, request: { context }, after, most }: Search,
): readonly string[] {
  const question = {
    requestId: readRequestId(context, service),
    principal,
    auxData,
    includeMeta: false,
    requestContext: undefined,
    isWhole: true,
  };
  const { actionNames } = call.bundle ?? service;
  const all = actionNames(principal.id, resource.kind);
  const names = after === undefined ? all : all.filter((name) => name > after);
  return chooseDecider(service, call).asOne(() =>
    firstAllowed(names, most, service.limits.maxActionsPerResource, (actions) =>
      allowedActions(service, call, { ...question, resources: [{ resource, actions }] }),
    ),
  );
}

const NO_ACTION = { name: '', properties: {} };

/** The first `most` of the allowed ones, asked about so many at a time. */
function firstAllowed(
  names: readonly string[],
  most: number,
  atATime: number,
  allowedOf: (names: readonly string[]) => readonly string[],
): readonly string[] {
  const allowed: string[] = [];
  for (let start = 0; start < names.length && allowed.length < most; start += atATime)
    allowed.push(...allowedOf(names.slice(start, start + atATime)));
  return allowed;
}

function allowedActions(service: CheckService, call: Call, question: CheckQuestion): readonly string[] {
  const [decision] = decide(service, call, question);
  const allowed = new Set(decision?.actions.filter(({ effect }) => effect === 1).map(({ action }) => action));
  return question.resources.flatMap(({ actions }) => actions.filter((action) => allowed.has(action)));
}
