import {
  checkResourceBatchRequestViolations,
  checkResourceSetRequestViolations,
} from '../../proto/gen/validate/request.js';
import type {
  AttributesMap,
  CheckResourceBatchRequest,
  CheckResourceBatchResponse,
  CheckResourceSetRequest,
  CheckResourceSetResponse,
  Principal,
  ResourceSet,
} from '../../proto/gen/messages.js';
import { prepared } from './prepare-call.js';
import type { CheckEntry, Decision, VerifiedAuxData } from './decider.js';
import type { Call } from './call.js';
import { accept, byAction, type CheckService, decide, limitResources, withClaims } from './check-resources.js';

/**
 * CheckResourceSet, the oldest of the checks: the same actions on instances of one kind
 * (docs/spec/server.md#older-checks). Limits, tokens and their order are those of CheckResources. Throws, or rejects
 * with, an RpcError.
 */
export function checkResourceSet(
  service: CheckService,
  call: Call,
  request: CheckResourceSetRequest,
): CheckResourceSetResponse | Promise<CheckResourceSetResponse> {
  accept(service, call, checkResourceSetRequestViolations(request));
  limitResources((request.resource as ResourceSet).instances.size, service.limits);
  return withClaims(service, call, request.auxData, (claims) =>
    // Validation guarantees a principal.
    prepared(service, call, [request.principal as Principal], () => respondToSet(service, call, request, claims)),
  );
}

function respondToSet(
  service: CheckService,
  call: Call,
  request: CheckResourceSetRequest,
  auxData: VerifiedAuxData,
): CheckResourceSetResponse {
  const { requestId, actions, includeMeta } = request;
  // Validation guarantees a principal and a resource.
  const principal = request.principal as Principal;
  const { kind, policyVersion, instances, scope } = request.resource as ResourceSet;
  const ids = [...instances.keys()].sort();
  const resources = ids.map((id) => ({
    actions,
    resource: { kind, policyVersion, id, attr: (instances.get(id) as AttributesMap).attr, scope },
  }));
  const decisions = decide(service, call, {
    requestId,
    principal,
    resources,
    auxData,
    includeMeta,
    requestContext: undefined,
  });
  const decided = ids.map((id, index) => {
    const { actions: unsorted, validationErrors, effectiveDerivedRoles } = decisions[index] as Decision;
    return { id, actions: byAction(unsorted), validationErrors, effectiveDerivedRoles };
  });
  return { requestId, resourceInstances: decided, meta: includeMeta ? { resourceInstances: decided } : undefined };
}

/**
 * CheckResourceBatch: what CheckResources was before it had meta and outputs (docs/spec/server.md#older-checks).
 * Throws, or rejects with, an RpcError.
 */
export function checkResourceBatch(
  service: CheckService,
  call: Call,
  request: CheckResourceBatchRequest,
): CheckResourceBatchResponse | Promise<CheckResourceBatchResponse> {
  accept(service, call, checkResourceBatchRequestViolations(request));
  limitResources(request.resources.length, service.limits);
  return withClaims(service, call, request.auxData, (claims) =>
    // Validation guarantees a principal.
    prepared(service, call, [request.principal as Principal], () => respondToBatch(service, call, request, claims)),
  );
}

function respondToBatch(
  service: CheckService,
  call: Call,
  request: CheckResourceBatchRequest,
  auxData: VerifiedAuxData,
): CheckResourceBatchResponse {
  const { requestId } = request;
  // Validation guarantees a principal and resources.
  const principal = request.principal as Principal;
  const resources = request.resources as readonly CheckEntry[];
  const decisions = decide(service, call, {
    requestId,
    principal,
    resources,
    auxData,
    includeMeta: false,
    requestContext: undefined,
  });
  return {
    requestId,
    results: resources.map(({ resource }, index) => {
      const { actions, validationErrors } = decisions[index] as Decision;
      return { resourceId: resource.id, actions: byAction(actions), validationErrors };
    }),
  };
}
