import type { Filter, JsonValue } from '#runtime/residual';
import { setOwn } from '../proto/wire/json-shape.js';
import type {
  CheckResourcesRequest,
  CheckResourcesResponse,
  Decision,
  OutputEntry,
  PlanResourcesRequest,
  PlanResourcesResponse,
  Resource,
  ResourceEntry,
} from '../proto/messages.js';
import type { CheckAllAnswer, PlanAnswer, ResourceAnswer } from './authz-client.js';
import { AuthzError } from './authz-error.js';
import { plainValue } from './plain-json.js';

/**
 * What a response says, once it is sure that it answers the request: for each resource, in order, a decision about each
 * action. Else throws an AuthzError.
 */
export function checkAnswer(request: CheckResourcesRequest, response: CheckResourcesResponse): CheckAllAnswer {
  if (response.results.length !== request.resources.length) throw unanswered('has not one result for each resource');
  const results = request.resources.map((entry, index) => {
    const result = response.results[index];
    if (result === undefined || !isAbout(result.resource, entry)) throw unanswered('is about other resources');
    return resourceAnswer(entry, result.decision, request.includeMeta);
  });
  return { results, callId: response.authzCallId, requestId: response.requestId };
}

/** The same of a plan, whose filter answers for one kind of resources and some actions, and for no others. */
export function planAnswer(request: PlanResourcesRequest, response: PlanResourcesResponse): PlanAnswer {
  const { plan, authzCallId, requestId, actions, resourceKind } = response;
  if (resourceKind !== request.resource?.kind) throw unanswered('is about other resources');
  if (actions.length !== request.actions.length || actions.some((action, index) => action !== request.actions[index]))
    throw unanswered('is about other actions');
  const matchedScopes: Record<string, string> = {};
  for (const [action, scope] of plan.matchedScopes ?? []) setOwn(matchedScopes, action, scope);
  return {
    filter: plainFilter(plan.filter),
    validationErrors: plan.validationErrors,
    meta: request.includeMeta ? { filterDebug: plan.filterDebug, matchedScopes, unplanned: plan.unplanned } : undefined,
    callId: authzCallId,
    requestId,
  };
}

function isAbout(resource: Resource, asked: ResourceEntry): boolean {
  return resource.id === asked.resource?.id && resource.kind === asked.resource.kind;
}

function resourceAnswer(
  { actions, resource }: ResourceEntry,
  decision: Decision,
  includeMeta: boolean,
): ResourceAnswer {
  const { kind = '', id = '' } = resource ?? {};
  const decisions = new Map(decision.actions.map((decided) => [decided.action, decided]));
  const allowed: Record<string, boolean> = {};
  const meta: Record<string, { readonly matchedPolicy: string; readonly matchedScope: string }> = {};
  for (const action of actions) {
    const decided = decisions.get(action);
    if (decided === undefined) throw unanswered('leaves out an action');
    setOwn(allowed, action, decided.effect === 1);
    setOwn(meta, action, { matchedPolicy: decided.matchedPolicy, matchedScope: decided.matchedScope });
  }
  return {
    resource: { kind, id },
    allowed,
    outputs: decision.outputs.map(outputOf),
    validationErrors: decision.validationErrors,
    meta: includeMeta ? { actions: meta, effectiveDerivedRoles: decision.effectiveDerivedRoles } : undefined,
  };
}

/** A value that JSON cannot say is told as an error, as a server does that answers with JSON. */
function outputOf(output: OutputEntry): ResourceAnswer['outputs'][number] {
  const { src, action } = output;
  if ('error' in output) return { src, action, error: output.error };
  try {
    return { src, action, val: plainValue(output.val, 'val', 0) };
  } catch {
    return { src, action, error: 'the value is too deep, or has a number that JSON cannot represent' };
  }
}

/** In a filter there is no place for such an error, and another value would select other rows. */
function plainFilter(filter: { readonly kind: string; readonly condition?: unknown }): Filter {
  if (filter.kind !== 'KIND_CONDITIONAL') return { kind: filter.kind as 'KIND_ALWAYS_ALLOWED' | 'KIND_ALWAYS_DENIED' };
  try {
    return {
      kind: filter.kind,
      condition: plainValue(filter.condition, 'condition', 0) as { readonly value: JsonValue },
    };
  } catch {
    throw new AuthzError('internal', 'the filter has a value that is too deep, or a number that JSON cannot represent');
  }
}

function unanswered(what: string): AuthzError {
  return new AuthzError('internal', `the answer ${what}`);
}
