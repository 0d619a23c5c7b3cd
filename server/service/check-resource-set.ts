import { checkResourceSetRequestViolations } from '../../proto/gen/validate/request.js';
import type {
  AttributesMap,
  CheckResourceSetRequest,
  CheckResourceSetResponse,
  ResourceSet,
} from '../../proto/legacy-messages.js';
import type { Decision, Principal } from '../../proto/messages.js';
import type { Call } from './call.js';
import { accept, type CheckService, decide, limitResources, withClaims } from './check-resources.js';
import type { VerifiedAuxData } from './decider.js';

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
  return withClaims(service, call, request.auxData, (claims) => respond(service, call, request, claims));
}

function respond(
  service: CheckService,
  call: Call,
  request: CheckResourceSetRequest,
  auxData: VerifiedAuxData,
): CheckResourceSetResponse {
  const { requestId, actions, includeMeta } = request;
  // Validation has seen to it that principal and resource are there.
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
  return {
    requestId,
    includeMeta,
    instances: ids.map((id, index) => ({ id, decision: decisions[index] as Decision })),
  };
}
