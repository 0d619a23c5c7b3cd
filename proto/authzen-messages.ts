import type { Attributes, CheckResourcesResponse } from './messages.js';

/** The messages of the OpenID AuthZEN authorization API (server.md 1.2, 1.9), as plain values like those of messages.ts. */

export interface Subject {
  readonly type: string;
  readonly id: string;
  readonly properties: Attributes;
}

export interface Resource {
  readonly type: string;
  readonly id: string;
  readonly properties: Attributes;
}

export interface Action {
  readonly name: string;
  readonly properties: Attributes;
}

/** One question. In a batch, what is absent is taken from the batch. */
export interface Evaluation {
  readonly subject: Subject | undefined;
  readonly resource: Resource | undefined;
  readonly action: Action | undefined;
  /** Empty: none of its own. */
  readonly context: Attributes;
}

/** Subject, resource and action are there after validation. */
export type AccessEvaluationRequest = Evaluation;

export interface AccessEvaluationBatchRequest extends Evaluation {
  readonly evaluations: readonly Evaluation[];
  readonly options: BatchOptions | undefined;
}

export interface BatchOptions {
  /** Empty: `execute_all`. */
  readonly evaluationsSemantic: string;
}

export interface AccessEvaluationResponse {
  readonly decision: boolean;
  /** What `authz.includeMeta` asked for, in `context["authz.response"]`: the check behind the decision, with an empty call id. */
  readonly response: CheckResourcesResponse | undefined;
}

/** An answer to each evaluation in order; or one answer, to a request without evaluations. */
export type AccessEvaluationBatchResponse = { readonly evaluations: readonly AccessEvaluationResponse[] } | AccessEvaluationResponse;

/** Absolute URLs. */
export interface MetadataResponse {
  readonly policyDecisionPoint: string;
  readonly accessEvaluationEndpoint: string;
  readonly accessEvaluationsEndpoint: string;
}
