import { planResourcesRequestViolations } from '../../proto/gen/validate/request.js';
import type {
  PlanResource,
  PlanResourcesRequest,
  PlanResourcesResponse,
  Principal,
  PlanMeta,
} from '../../proto/gen/messages.js';
import type { Plan, PlanCall, VerifiedAuxData } from './decider.js';
import { chooseDecider } from './bundle-choice.js';
import type { Call } from './call.js';
import { accept, type CheckService, prepareRequest } from './check-resources.js';
import type { EvaluationTime } from './call-times.js';
import { fewViolations } from './few-violations.js';
import { provideDocuments } from './tenants.js';
import { tellPlanned } from './watch.js';
import { reportExceeded } from './within-limits.js';

/**
 * PlanResources: validation, tokens, the plan (docs/spec/plans.md#plan-request). Answers at once unless there are
 * tokens to verify. Throws, or rejects with, an RpcError.
 */
export function planResources(
  service: CheckService,
  call: Call,
  request: PlanResourcesRequest,
): PlanResourcesResponse | Promise<PlanResourcesResponse> {
  accept(service, call, planResourcesRequestViolations(request));
  // Validation has seen to it that there is a principal.
  const principal = request.principal as Principal;
  const claims = prepareRequest(service, call, request.auxData, principal, (auxData) => ({
    plans: [toPlanCall(request, auxData)],
  }));
  return claims instanceof Promise
    ? claims.then((verified) => respond(service, call, request, verified))
    : respond(service, call, request, claims);
}

/** The plan that a request asks for. */
export function toPlanCall(
  { principal, resource, action, actions }: PlanResourcesRequest,
  auxData: VerifiedAuxData,
): PlanCall {
  return {
    // Validation has seen to it that principal and resource are there.
    principal: principal as Principal,
    resource: resource as PlanResource,
    actions: action === '' ? actions : [action],
    auxData,
  };
}

/** Calls the planner once and informs the watchers. Throws an RpcError for a plan that costs too much. */
export function planFor(
  service: CheckService,
  call: Call,
  request: PlanResourcesRequest,
  auxData: VerifiedAuxData,
): Plan {
  const evaluations: EvaluationTime[] | undefined = call.trace !== undefined ? [] : undefined;
  const start = performance.now();
  const sent = { ...toPlanCall(request, auxData), tenants: provideDocuments(call) };
  let asked: PlanCall = sent;
  let unknown: readonly string[] | undefined;
  let planned: Plan;
  try {
    if (service.facts !== undefined) ({ plan: asked, unknown } = service.facts.completePlan(call, sent));
    planned = chooseDecider(service, call).plan(asked, evaluations);
  } catch (error) {
    throw reportExceeded(error, service, call, () => ({ kind: 'plan', request, auxData }));
  }
  const duration = performance.now() - start;
  const plan = planned.validationErrors.length === 0 ? planned : withFewViolations(call, planned);
  if (service.watchers.length > 0)
    tellPlanned(service.watchers, call, {
      request: asked === sent ? request : { ...request, principal: asked.principal, resource: asked.resource },
      plan,
      auxData,
      duration,
      times: evaluations && { start, evaluations },
      unknown,
    });
  return plan;
}

function respond(
  service: CheckService,
  call: Call,
  request: PlanResourcesRequest,
  auxData: VerifiedAuxData,
): PlanResourcesResponse {
  const { requestId, action, actions, includeMeta } = request;
  const plan = planFor(service, call, request, auxData);
  const resource = request.resource as PlanResource;
  return {
    requestId,
    action,
    actions,
    resourceKind: resource.kind,
    policyVersion: resource.policyVersion,
    filter: plan.filter,
    meta: includeMeta ? makeMeta(plan, action) : undefined,
    validationErrors: plan.validationErrors,
    authzCallId: call.id,
  };
}

/** One action has a scope; several have a map, which holds them all. */
function makeMeta({ filterDebug, matchedScopes = NO_SCOPES, unplanned }: Plan, action: string): PlanMeta {
  return action === ''
    ? { filterDebug, matchedScope: '', matchedScopes, unplanned }
    : { filterDebug, matchedScope: matchedScopes.get(action) ?? '', matchedScopes: NO_SCOPES, unplanned };
}

const NO_SCOPES: ReadonlyMap<string, string> = new Map();

/** The same plan; its debug text is still computed on demand. */
function withFewViolations(call: Call, planned: Plan): Plan {
  const { filter, matchedScopes, unplanned, validationErrors } = planned;
  return {
    filter,
    matchedScopes,
    unplanned,
    validationErrors: fewViolations(call, validationErrors),
    get filterDebug() {
      return planned.filterDebug;
    },
  };
}
