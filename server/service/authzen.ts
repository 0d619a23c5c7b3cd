import type {
  AccessEvaluationRequest,
  AccessEvaluationResponse,
  Action,
  MetadataResponse,
  Resource,
  Subject,
} from '../../proto/gen/authzen-messages.js';
import { prepared } from './prepare-call.js';
import type { CheckEntry, Decision } from './decider.js';
import { accessEvaluationRequestViolations } from '../../proto/gen/validate/authorization.js';
import { NONE } from '../../proto/wire/violation.js';
import {
  contextForConditions,
  toEntry,
  metaPrefix,
  principalFor,
  readRequestId,
  readTokens,
} from './authzen-mapping.js';
import type { Call } from './call.js';
import { OWN_PREFIX } from './property-names.js';
import type { SearchService } from './authzen-search.js';
import { accept, type CheckService, decide, toResult, withClaims } from './check-resources.js';
import { isSearched } from './population.js';

/**
 * AccessEvaluation: one question in the words of AuthZEN (docs/spec/server.md#authzen). Throws, or rejects with, an
 * RpcError.
 */
export function accessEvaluation(
  service: CheckService,
  call: Call,
  request: AccessEvaluationRequest,
): AnsweredEvaluation | Promise<AnsweredEvaluation> {
  accept(service, call, accessEvaluationRequestViolations(request));
  const { context } = request;
  // Validation has seen to it that subject, resource and action are there.
  const entry = toEntry(
    request.resource as Resource,
    request.action as Action,
    contextForConditions(context, service),
    service,
  );
  const requestId = readRequestId(context, service);
  const prefix = metaPrefix(context, service);
  return withClaims(service, call, readTokens(service, call, context), (auxData) => {
    const principal = principalFor(service, request.subject as Subject, auxData);
    const question = { principal, resources: [entry], auxData, includeMeta: prefix !== undefined };
    return prepared(
      service,
      call,
      [principal],
      () => ({ checks: [question] }),
      () => {
        const [decision] = decide(service, call, { requestId, ...question, requestContext: undefined });
        return toEvaluation(entry, decision as Decision, requestId, prefix);
      },
    );
  });
}

/** An answer that also says which prefix its response has in JSON. */
export interface AnsweredEvaluation extends AccessEvaluationResponse {
  /** Absent: the own one. */
  readonly prefix?: string;
}

/** The answer that a decision is; with meta, the check behind it goes along, without a call id. */
export function toEvaluation(
  entry: CheckEntry,
  decision: Decision,
  requestId: string,
  prefix: string | undefined,
): AnsweredEvaluation {
  const isAllowed = decision.actions[0]?.effect === 1;
  if (prefix === undefined) return { decision: isAllowed, response: undefined };
  const results = [toResult(entry.resource, decision, true)];
  return {
    decision: isAllowed,
    response: { requestId, results, authzCallId: '' },
    ...(prefix !== OWN_PREFIX && { prefix }),
  };
}

/**
 * Metadata: the URL of this server as the caller sees it. A proxy forwards that URL; a caller could forge it only for
 * itself.
 */
export function authzenMetadata(service: SearchService, call: Call): MetadataResponse {
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
    searchSubjectEndpoint: isSearched(service.populations?.subjects) ? `${base}/access/v1/search/subject` : '',
    searchResourceEndpoint: isSearched(service.populations?.resources) ? `${base}/access/v1/search/resource` : '',
  };
}
