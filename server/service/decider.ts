import type {
  OutputEntry,
  PlanFilter,
  PlanResource,
  Principal,
  Resource,
  ServerInfoResponse,
  UnplannedRule,
  ValidationError,
} from '../../proto/gen/messages.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import type { PlanSubjects, TenantDocuments } from '../../runtime/engine/index.js';
import type { EvaluationTime } from './call-times.js';

/**
 * What decides: the engine over a bundle, or a stand-in in a test. For a call that is traced, the times of its parts
 * are added to those it is given.
 */
export interface Decider {
  /** One decision for each entry, in order. Throws only for a bug: a condition that fails does not hold. */
  check(call: CheckCall, times?: EvaluationTime[]): readonly Decision[];
  /** Plans on which resources all actions are allowed. */
  plan(call: PlanCall, times?: EvaluationTime[]): Plan;
  /** Does something in which all calls share the limits of one. */
  asOne<Result>(work: () => Result): Result;
}

/** A bundle that decides calls. */
export interface DecidingBundle {
  /** The build and the hash of the bundle: one object for the life of the bundle, by which headers are cached. */
  readonly release: ServerInfoResponse;
  readonly decider: Decider;
  /** The actions that its policies name for a principal and a kind, sorted. */
  readonly actionNames: (principalId: string, kind: string) => readonly string[];
  /** Plans which principals may do something; absent: the bundle or the configuration do not allow it. */
  readonly planSubjects?: PlanSubjects | undefined;
}

export interface PlanCall {
  readonly principal: Principal;
  readonly resource: PlanResource;
  readonly actions: readonly string[];
  readonly auxData: VerifiedAuxData;
  readonly tenants?: TenantDocuments | undefined;
}

export interface CheckCall {
  readonly principal: Principal;
  readonly resources: readonly CheckEntry[];
  readonly auxData: VerifiedAuxData;
  readonly includeMeta: boolean;
  /** The roles of tenants. Absent: none is needed. */
  readonly tenants?: TenantDocuments | undefined;
}

export interface CheckEntry {
  readonly resource: Resource;
  readonly actions: readonly string[];
}

/** The claims of the tokens of a request (docs/spec/conditions.md#token-claims). */
export interface VerifiedAuxData {
  readonly jwt: Attributes;
  readonly jwts: { readonly [name: string]: { readonly claims: Attributes } };
}

/** What the engine decided for one resource. */
export interface Decision {
  /** Each action asked, once. */
  readonly actions: readonly ActionDecision[];
  /** Empty unless meta was asked for. */
  readonly effectiveDerivedRoles: readonly string[];
  readonly outputs: readonly OutputEntry[];
  readonly validationErrors: readonly ValidationError[];
  /** Actions that were denied because facts of sources are not available, sorted; usually absent. */
  readonly unknown?: readonly { readonly action: string; readonly facts: readonly string[] }[] | undefined;
}

export interface ActionDecision {
  readonly action: string;
  /** 1 EFFECT_ALLOW, 2 EFFECT_DENY. */
  readonly effect: 1 | 2;
  readonly matchedPolicy: string;
  /** Empty: the root scope, or nothing matched. */
  readonly matchedScope: string;
}

/** What a planner says of a request. */
export interface Plan {
  readonly filter: PlanFilter;
  readonly filterDebug: string;
  /** Scopes by action, sorted; undefined when no rule was looked at. */
  readonly matchedScopes: ReadonlyMap<string, string> | undefined;
  readonly validationErrors: readonly ValidationError[];
  /**
   * Rules that no filter can say: an ALLOW grants nothing, a DENY applies always
   * (docs/spec/plans.md#rules-that-cannot-be-planned).
   */
  readonly unplanned: readonly UnplannedRule[];
}
