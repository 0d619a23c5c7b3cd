import { checkResourceBatchRequestViolations } from '../../proto/gen/validate/request.js';
import type { CheckResourceBatchRequest, CheckResourceBatchResponse } from '../../proto/legacy-messages.js';
import type { Decision, Principal } from '../../proto/messages.js';
import type { Call } from './call.js';
import { accept, type CheckService, decide, limitResources, withClaims } from './check-resources.js';
import type { CheckEntry, VerifiedAuxData } from './decider.js';

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
  return withClaims(service, call, request.auxData, (claims) => respond(service, call, request, claims));
}

function respond(
  service: CheckService,
  call: Call,
  request: CheckResourceBatchRequest,
  auxData: VerifiedAuxData,
): CheckResourceBatchResponse {
  const { requestId } = request;
  // Validation has seen to it that principal and resources are there.
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
    results: resources.map(({ resource }, index) => ({ id: resource.id, decision: decisions[index] as Decision })),
  };
}
