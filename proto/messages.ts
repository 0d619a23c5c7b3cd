/**
 * The messages of the API as plain values (docs/spec/server.md#messages): what every transport decodes to and the
 * service works on. Absent strings are empty, absent lists and maps are empty, absent messages are undefined.
 */

import type { Resource } from './gen/messages.js';

export type { Attributes } from './wire/json-shape.js';
export type {
  AuxData,
  CheckResourcesRequest,
  PlanResource,
  PlanResourcesRequest,
  Principal,
  RequestContext,
  Resource,
  ResourceEntry,
  Token,
} from './gen/messages.js';

export interface PlanResourcesResponse {
  readonly requestId: string;
  readonly action: string;
  readonly actions: readonly string[];
  readonly resourceKind: string;
  readonly policyVersion: string;
  readonly plan: Plan;
  readonly includeMeta: boolean;
  readonly authzCallId: string;
}

/** What a planner says of a request. */
export interface Plan {
  /** `PlanResourcesFilter` in its JSON form. */
  readonly filter: { readonly kind: string; readonly condition?: PlanOperand };
  readonly filterDebug: string;
  /** By action, sorted; undefined when no rule was looked at. */
  readonly matchedScopes: ReadonlyMap<string, string> | undefined;
  readonly validationErrors: readonly ValidationError[];
  /**
   * Rules that no filter can say: an ALLOW grants nothing, a DENY applies always
   * (docs/spec/plans.md#rules-that-cannot-be-planned).
   */
  readonly unplanned: readonly UnplannedRule[];
}

/** A rule that a plan could not take into account, and why. */
export interface UnplannedRule {
  readonly policy: string;
  readonly rule: string;
  readonly reason: string;
}

/** `PlanResourcesFilter.Expression.Operand`. */
export type PlanOperand =
  | { readonly value: unknown }
  | { readonly variable: string }
  | { readonly expression: { readonly operator: string; readonly operands: readonly PlanOperand[] } };

export interface ServerInfoResponse {
  readonly version: string;
  readonly commit: string;
  readonly buildDate: string;
  /** Of the policies in force. */
  readonly bundleHash: string;
}

/** 1 EFFECT_ALLOW, 2 EFFECT_DENY: nothing else leaves a check. */
export type Effect = 1 | 2;

export interface CheckResourcesResponse {
  readonly requestId: string;
  /** One for each entry of the request, in its order. */
  readonly results: readonly ResultEntry[];
  readonly includeMeta: boolean;
  readonly authzCallId: string;
}

export interface ResultEntry {
  /** Version and scope are what was sent. */
  readonly resource: Resource;
  readonly decision: Decision;
}

/** What the engine decided for one resource. */
export interface Decision {
  /** Each action asked, once. */
  readonly actions: readonly ActionDecision[];
  /** Empty unless meta was asked for. */
  readonly effectiveDerivedRoles: readonly string[];
  readonly outputs: readonly OutputEntry[];
  readonly validationErrors: readonly ValidationError[];
}

export interface ActionDecision {
  readonly action: string;
  readonly effect: Effect;
  readonly matchedPolicy: string;
  /** Empty: the root scope, or nothing matched. */
  readonly matchedScope: string;
}

/** A JSON value, or why there is none. */
export type OutputEntry = { readonly src: string; readonly action: string } & (
  | { readonly val: unknown }
  | { readonly error: string }
);

export interface ValidationError {
  readonly path: string;
  readonly message: string;
  readonly source: 'SOURCE_PRINCIPAL' | 'SOURCE_RESOURCE';
}
