import type {
  AccessEvaluationBatchResponse,
  AccessEvaluationResponse,
  MetadataResponse,
} from '../../../proto/authzen-messages.js';
import { printCheckResourcesResponse } from './print-check-resources.js';
import { quote } from '../../../proto/wire/json-text.js';

/** AccessEvaluationResponse in its JSON form: the decision is always there (docs/spec/server.md#json-mapping). */
export function printAccessEvaluationResponse({ decision, response }: AccessEvaluationResponse): string {
  const context =
    response === undefined ? '' : `,"context":{"authz.response":${printCheckResourcesResponse(response)}}`;
  return `{"decision":${decision}${context}}`;
}

/** AccessEvaluationBatchResponse in its JSON form. */
export function printAccessEvaluationBatchResponse(response: AccessEvaluationBatchResponse): string {
  if ('decision' in response) return printAccessEvaluationResponse(response);
  return `{"evaluations":[${response.evaluations.map(printAccessEvaluationResponse).join(',')}]}`;
}

/** The document `/.well-known/authzen-configuration`: snake_case by definition. */
export function printMetadataResponse(response: MetadataResponse): string {
  const { policyDecisionPoint, accessEvaluationEndpoint, accessEvaluationsEndpoint } = response;
  return `{"policy_decision_point":${quote(policyDecisionPoint)},"access_evaluation_endpoint":${quote(accessEvaluationEndpoint)},"access_evaluations_endpoint":${quote(accessEvaluationsEndpoint)}}`;
}
