import type { Filter } from '../residual/index.js';
import type { RuleFilter, SqlProblem } from '../residual/sql/index.js';
import type { ActorInput, AuxDataInput, ResourceInput, TenantDocuments } from './requests.js';

/** One action on one resource: which principals may do it? */
export interface SubjectPlanRequest {
  readonly resource: ResourceInput;
  readonly action: string;
  /** The claims that all principals have: a plan cannot tell them apart by their tokens. */
  readonly auxData?: AuxDataInput | undefined;
  /** The scope and the version that all principals have; absent ones are the engine's defaults. */
  readonly principal?: { readonly scope?: string | undefined; readonly policyVersion?: string | undefined } | undefined;
  /** Who acts for the principal: only principals are asked for through whom all of these may do the action too. */
  readonly actors?: readonly ActorInput[] | undefined;
  /** Tenants as in a check. */
  readonly tenants?: TenantDocuments | undefined;
}

/**
 * The principals that may do an action with a resource: exactly those that `check` allows. Refused if no filter says
 * which these are: a list with one name too many is worse than none.
 */
export type SubjectPlan =
  | {
      readonly kind: 'planned';
      /**
       * The condition: about `request.principal.id`, `request.principal.roles` and `request.principal.attr`. Each
       * principal has an id and at least one role.
       */
      readonly filter: Filter;
      /** The filter of each rule, so that a refusal can name its rule. */
      readonly rules: () => readonly RuleFilter[];
    }
  | { readonly kind: 'refused'; readonly problems: readonly SubjectProblem[] };

/** Why there is no plan of subjects: an `operator` of `policy` is of no filter, but of policies. */
export type SubjectProblem = SqlProblem;

/** Plans which principals may do something, for engines that use `subjects`. */
export type PlanSubjects = (request: SubjectPlanRequest) => SubjectPlan;
