import type { Attributes, AuxData, Decision, Principal, ResourceEntry } from './messages.js';

/** The messages of the two older checks (server.md 1.2), as plain values like those of messages.ts. */

/** The same actions on several instances of one kind. */
export interface CheckResourceSetRequest {
  readonly requestId: string;
  readonly actions: readonly string[];
  readonly principal: Principal | undefined;
  readonly resource: ResourceSet | undefined;
  readonly includeMeta: boolean;
  readonly auxData: AuxData | undefined;
}

export interface ResourceSet {
  readonly kind: string;
  readonly policyVersion: string;
  /** By id. */
  readonly instances: ReadonlyMap<string, AttributesMap>;
  readonly scope: string;
}

export interface AttributesMap {
  readonly attr: Attributes;
}

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

/** CheckResources without meta. */
export interface CheckResourceBatchRequest {
  readonly requestId: string;
  readonly principal: Principal | undefined;
  readonly resources: readonly ResourceEntry[];
  readonly auxData: AuxData | undefined;
}

/** Has no call id and no outputs. */
export interface CheckResourceBatchResponse {
  readonly requestId: string;
  /** One for each entry of the request, in its order. */
  readonly results: readonly InstanceDecision[];
}
