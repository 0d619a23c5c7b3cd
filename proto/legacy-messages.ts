import type { Decision } from './messages.js';

/**
 * The messages of the two older checks (docs/spec/server.md#older-checks), as plain values like those of messages.ts.
 */

export type { AttributesMap, CheckResourceBatchRequest, CheckResourceSetRequest, ResourceSet } from './gen/messages.js';

/** Has no call id and no outputs. */
export interface CheckResourceSetResponse {
  readonly requestId: string;
  /** Sorted by id. */
  readonly instances: readonly InstanceDecision[];
  readonly includeMeta: boolean;
}

export interface InstanceDecision {
  readonly id: string;
  readonly decision: Decision;
}

/** Has no call id and no outputs. */
export interface CheckResourceBatchResponse {
  readonly requestId: string;
  /** One for each entry of the request, in its order. */
  readonly results: readonly InstanceDecision[];
}
