import type { Filter } from '../residual/index.js';
import type { AuxDataInput, PrincipalInput, ResourceInput, ValidationError } from './requests.js';

/**
 * One call: on which resources of a kind may this principal do all of these actions (docs/spec/plans.md#plan-request)?
 */
export interface PlanRequest {
  readonly principal: PrincipalInput;
  readonly resource: PlanResourceInput;
  /** One at least, unique. */
  readonly actions: readonly string[];
  readonly auxData?: AuxDataInput | undefined;
}

/** The resources asked about. Attributes given hold for every one of them. */
export type PlanResourceInput = Omit<ResourceInput, 'id'>;

/** Which rows to select, and how that came about. */
export interface PlanResult {
  readonly filter: Filter;
  /** The filter as text, or `NO_MATCH` (docs/spec/plans.md#debug-text); made when it is read. */
  readonly filterDebug: string;
  /**
   * By action, sorted, the root as the empty text; undefined when no rule was looked at
   * (docs/spec/plans.md#plan-response).
   */
  readonly matchedScopes: ReadonlyMap<string, string> | undefined;
  /** Those of the principal first (docs/spec/plans.md#schemas-in-plans). */
  readonly validationErrors: readonly ValidationError[];
  /**
   * Rules that no filter can say: an ALLOW grants nothing, a DENY applies always
   * (docs/spec/plans.md#rules-that-cannot-be-planned).
   */
  readonly unplanned: readonly UnplannedRule[];
}

/**
 * A rule that was left out of a plan (an ALLOW) or taken to apply always (a DENY), and why
 * (docs/spec/plans.md#rules-that-cannot-be-planned).
 */
export interface UnplannedRule {
  /** `resource.album.vdefault/acme`. */
  readonly policy: string;
  readonly rule: string;
  readonly reason: string;
}
