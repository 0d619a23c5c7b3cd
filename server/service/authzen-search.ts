import type { ActionSearchRequest, ActionSearchResponse, Resource, Subject } from '../../proto/gen/authzen-messages.js';
import { actionSearchRequestViolations } from '../../proto/gen/validate/authorization.js';
import { prepared } from './prepare-call.js';
import { contextForConditions, toEntry, principalFor, readRequestId, readTokens } from './authzen-mapping.js';
import { chooseDecider } from './bundle-choice.js';
import type { Call } from './call.js';
import type { CheckEntry } from './decider.js';
import { accept, type CheckQuestion, type CheckService, decide, withClaims } from './check-resources.js';

/** What a search of actions needs beside a check. */
export interface SearchService extends CheckService {
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
  const { context } = request;
  // Validation has seen to it that subject and resource are there.
  const { resource } = toEntry(
    request.resource as Resource,
    NO_ACTION,
    contextForConditions(context, service),
    service,
  );
  return withClaims(service, call, readTokens(service, call, context), (auxData) => {
    const principal = principalFor(service, request.subject as Subject, auxData);
    return prepared(service, call, [principal], () =>
      searched(service, call, { principal, resource, auxData, request }),
    );
  });
}

/** What is asked about each action. */
interface Search extends Pick<CheckQuestion, 'principal' | 'auxData'> {
  readonly resource: CheckEntry['resource'];
  readonly request: ActionSearchRequest;
}

function searched(
  service: SearchService,
  call: Call,
  { principal, resource, auxData, request: { context, page } }: Search,
): ActionSearchResponse {
  const question = {
    requestId: readRequestId(context, service),
    principal,
    auxData,
    includeMeta: false,
    requestContext: undefined,
  };
  const { actionNames } = call.bundle ?? service;
  const token = page?.token ?? '';
  const names = actionNames(principal.id, resource.kind).filter((name) => name > token);
  const limit = page?.limit || names.length;
  // One more than the page has tells whether there is a next one.
  const allowed = chooseDecider(service, call).asOne(() =>
    firstAllowed(names, limit + 1, service.limits.maxActionsPerResource, (actions) =>
      allowedActions(service, call, { ...question, resources: [{ resource, actions }] }),
    ),
  );
  const results = allowed.slice(0, limit).map((name) => ({ name, properties: {} }));
  if (page === undefined) return { page: undefined, results };
  return { page: { nextToken: allowed.length > limit ? (allowed[limit - 1] as string) : '' }, results };
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
