import type { CheckResourcesResponse } from './messages.js';

/**
 * The messages of the OpenID AuthZEN authorization API (docs/spec/server.md#authzen-messages,
 * docs/spec/server.md#authzen), as plain values like those of messages.ts.
 */

export type {
  AccessEvaluationBatchRequest,
  AccessEvaluationRequest,
  Action,
  BatchOptions,
  Evaluation,
  Resource,
  Subject,
} from './gen/authzen-messages.js';

export interface AccessEvaluationResponse {
  readonly decision: boolean;
  /**
   * What `authz.includeMeta` asked for, in `context["authz.response"]`: the check behind the decision, with an empty
   * call id.
   */
  readonly response: CheckResourcesResponse | undefined;
}

/** An answer to each evaluation in order; or one answer, to a request without evaluations. */
export type AccessEvaluationBatchResponse =
  | { readonly evaluations: readonly AccessEvaluationResponse[] }
  | AccessEvaluationResponse;

/** Absolute URLs. */
export interface MetadataResponse {
  readonly policyDecisionPoint: string;
  readonly accessEvaluationEndpoint: string;
  readonly accessEvaluationsEndpoint: string;
}
