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
import type { CheckEntry, Decision } from './decider.js';
import type { FactsQuestion } from './facts.js';
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
  return withClaims(service, call, request.auxData, (auxData) => {
    // Validation guarantees a principal and a resource.
    const principal = request.principal as Principal;
    const question = { principal, resources: listInstances(request), auxData, includeMeta: request.includeMeta };
    return prepared(
      service,
      call,
      [principal],
      () => ({ checks: [question] }),
      () => respondToSet(service, call, request, question),
    );
  });
}

function listInstances({ actions, resource }: CheckResourceSetRequest): readonly CheckEntry[] {
  const { kind, policyVersion, instances, scope } = resource as ResourceSet;
  return [...instances.keys()].sort().map((id) => ({
    actions,
    resource: { kind, policyVersion, id, attr: (instances.get(id) as AttributesMap).attr, scope },
  }));
}

function respondToSet(
  service: CheckService,
  call: Call,
  { requestId, includeMeta }: CheckResourceSetRequest,
  question: FactsQuestion,
): CheckResourceSetResponse {
  const decisions = decide(service, call, { requestId, ...question, requestContext: undefined });
  const decided = question.resources.map(({ resource: { id } }, index) => {
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
  return withClaims(service, call, request.auxData, (auxData) => {
    // Validation guarantees a principal and resources.
    const principal = request.principal as Principal;
    const question = {
      principal,
      resources: request.resources as readonly CheckEntry[],
      auxData,
      includeMeta: false,
    };
    return prepared(
      service,
      call,
      [principal],
      () => ({ checks: [question] }),
      () => respondToBatch(service, call, request, question),
    );
  });
}

function respondToBatch(
  service: CheckService,
  call: Call,
  { requestId }: CheckResourceBatchRequest,
  question: FactsQuestion,
): CheckResourceBatchResponse {
  const decisions = decide(service, call, { requestId, ...question, requestContext: undefined });
  return {
    requestId,
    results: question.resources.map(({ resource }, index) => {
      const { actions, validationErrors } = decisions[index] as Decision;
      return { resourceId: resource.id, actions: byAction(actions), validationErrors };
    }),
  };
}
