import type { Attributes, Instant } from '../policy/index.js';
import type { EvaluationLimits, Guard } from './limits.js';
import type { AccessRequest } from './requests.js';

/** Top-level attributes: `resource.attr.owner`, `principal.attr.team`, and claims: `auxData.jwt.sub`. */
export type FactNames = ReadonlySet<string>;

/** A decision that holds whatever the unknown facts are, or those that may still matter. */
export type PartialAnswer = boolean | FactNames;

/**
 * Decides requests of which some facts are unknown: the value of such a fact is not known, nor whether there is one.
 * A fact that is neither in the request nor unknown is missing.
 */
export interface PartialDecider {
  /**
   * Whether a request is allowed. `true` and `false` are what an engine decides whatever the unknown facts are. Of a
   * decision that no formula expresses, all unknown facts are returned. Schemas are not considered.
   *
   * @param request of a principal without actors, with the roles that decide. Values of unknown facts are ignored.
   * @param unknown at least one fact; otherwise an engine decides.
   */
  partial(request: AccessRequest, unknown: FactNames): PartialAnswer;
}

/** The options of the engine that a partial decider must share. */
export interface PartialOptions {
  readonly defaultPolicyVersion?: string | undefined;
  readonly defaultScope?: string | undefined;
  readonly lenientScopeSearch?: boolean | undefined;
  readonly strictEvaluation?: boolean | undefined;
  readonly globals?: Attributes | undefined;
  readonly clock?: (() => Instant) | undefined;
  readonly limits?: EvaluationLimits | undefined;
}

/**
 * What a bundle that was compiled with `--facts` brings.
 *
 * @param guard that of the bundle.
 */
export type MakePartialDecider = (guard: Guard | undefined, options: PartialOptions) => PartialDecider;
