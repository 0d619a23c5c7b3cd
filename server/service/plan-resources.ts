import type { PlanResource, PlanResourcesRequest, PlanResourcesResponse, Principal } from '../../proto/messages.js';
import { type CheckService, withClaims } from './check-resources.js';
import { RpcError } from './rpc-error.js';
import { planResourcesViolations } from './validate-plan-resources.js';
import { violationsMessage } from './violation.js';

/** PlanResources: validation, tokens, the plan (planner.md 1). Answers at once unless there are tokens to verify. Throws, or rejects with, an RpcError. */
export function planResources(service: CheckService, request: PlanResourcesRequest): PlanResourcesResponse | Promise<PlanResourcesResponse> {
  const violations = planResourcesViolations(request);
  if (violations.length > 0) throw new RpcError('invalid_argument', violationsMessage(violations), violations);
  const authzCallId = service.callIds.next();
  const { requestId, action, actions, includeMeta } = request;
  // Validation has seen to it that principal and resource are there.
  const principal = request.principal as Principal;
  const resource = request.resource as PlanResource;
  return withClaims(service, request.auxData, (auxData) => {
    const plan = service.decider.plan({ principal, resource, actions: action === '' ? actions : [action], auxData });
    return { requestId, action, actions, resourceKind: resource.kind, policyVersion: resource.policyVersion, plan, includeMeta, authzCallId };
  });
}
