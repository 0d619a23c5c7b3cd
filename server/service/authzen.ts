import type {
  AccessEvaluationRequest,
  AccessEvaluationResponse,
  Action,
  MetadataResponse,
  Resource,
  Subject,
} from '../../proto/gen/authzen-messages.js';
import type { CheckEntry, Decision } from './decider.js';
import { accessEvaluationRequestViolations } from '../../proto/gen/validate/authorization.js';
import { NONE } from '../../proto/wire/violation.js';
import { contextForConditions, entryOf, includesMeta, principalFor, requestIdOf, tokensOf } from './authzen-mapping.js';
import type { Call } from './call.js';
import { accept, type CheckService, decide, resultOf, withClaims } from './check-resources.js';

/**
 * AccessEvaluation: one question in the words of AuthZEN (docs/spec/server.md#authzen). Throws, or rejects with, an
 * RpcError.
 */
export function accessEvaluation(
  service: CheckService,
  call: Call,
  request: AccessEvaluationRequest,
): AccessEvaluationResponse | Promise<AccessEvaluationResponse> {
  accept(service, call, accessEvaluationRequestViolations(request));
  const { context } = request;
  // Validation has seen to it that subject, resource and action are there.
  const entry = entryOf(request.resource as Resource, request.action as Action, contextForConditions(context));
  const requestId = requestIdOf(context);
  const includeMeta = includesMeta(context);
  return withClaims(service, call, tokensOf(service, call, context), (auxData) => {
    const principal = principalFor(service, request.subject as Subject, auxData);
    const [decision] = decide(service, call, {
      requestId,
      principal,
      resources: [entry],
      auxData,
      includeMeta,
      requestContext: undefined,
    });
    return evaluationOf(entry, decision as Decision, requestId, includeMeta);
  });
}

/** The answer that a decision is; with meta, the check behind it goes along, without a call id. */
export function evaluationOf(
  entry: CheckEntry,
  decision: Decision,
  requestId: string,
  includeMeta: boolean,
): AccessEvaluationResponse {
  const isAllowed = decision.actions[0]?.effect === 1;
  if (!includeMeta) return { decision: isAllowed, response: undefined };
  const results = [resultOf(entry.resource, decision, includeMeta)];
  return { decision: isAllowed, response: { requestId, results, authzCallId: '' } };
}

/**
 * Metadata: the URL of this server as the caller sees it. A proxy forwards that URL; a caller could forge it only for
 * itself.
 */
export function authzenMetadata(service: CheckService, call: Call): MetadataResponse {
  accept(service, call, NONE);
  const headers = call.metadata();
  const isSecure = headers.get('x-forwarded-proto')?.[0] === 'https' || call.isEncrypted();
  const host = headers.get('x-forwarded-host')?.[0] ?? call.host();
  const base = `${isSecure ? 'https' : 'http'}://${host}`;
  return {
    policyDecisionPoint: base,
    accessEvaluationEndpoint: `${base}/access/v1/evaluation`,
    accessEvaluationsEndpoint: `${base}/access/v1/evaluations`,
    searchActionEndpoint: `${base}/access/v1/search/action`,
  };
}
