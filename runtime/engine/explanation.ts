import type { Engine } from './engine.js';
import type { AccessRequest, ValidationError } from './requests.js';

/** Why a decision is as it is. Plain data: JSON. */
export interface Explanation {
  readonly decision: 'ALLOW' | 'DENY';
  /** The policy and the scope that decisions name (docs/spec/policy-language.md#matched-policy-and-scope). */
  readonly matchedPolicy: string;
  readonly matchedScope: string;
  /**
   * The rules with this effect that apply in the policy that decided, or the one whose failure denies in strict
   * evaluation; empty if no rule decided.
   */
  readonly decidedBy: readonly DecidingRule[];
  /**
   * What was asked, in the order in which a check asks: principal policies first, then role by role, scope by scope.
   */
  readonly steps: readonly Step[];
  /**
   * Why there are no steps: no policy has the kind, version or scope of the request, or no rule matches. Absent if there
   * are steps, or violations of schemas deny.
   */
  readonly unreached?: string;
  /** What the attributes violate of their JSON schemas, if the options ask for that and there is anything. */
  readonly validationErrors?: readonly ValidationError[];
  /** Whether these violations deny, under `schema.enforcement: reject`. Then no rule is asked. */
  readonly isRejected?: boolean;
  /** Changes of the request that give another decision, if they were searched. */
  readonly nearMisses?: NearMisses;
}

/** A rule that decided. */
export interface DecidingRule {
  /** `resource.album.vdefault#owners`. */
  readonly rule: string;
  readonly place: FilePlace;
  readonly result: 'applies' | 'fails';
}

/** The rules of one policy that match the action and a role. */
export interface Step {
  /** A role of the principal; undefined for a policy of the principal. */
  readonly role: string | undefined;
  readonly policy: string;
  readonly scope: string;
  /** Whether an ALLOW needs that of a parent scope (docs/spec/policy-language.md#matched-policy-and-scope). */
  readonly needsConsent: boolean;
  /** Whether it is a role policy: then what no rule lists is denied, and every listed condition must hold. */
  readonly isLimit: boolean;
  readonly rules: readonly ExplainedRule[];
}

/** A rule, and whether it applies. */
export interface ExplainedRule {
  readonly name: string;
  readonly place: FilePlace;
  readonly effect: 'ALLOW' | 'DENY';
  /**
   * `not active`: its derived role is not. A rule of a role policy applies where its condition does not hold; so does a
   * conditional ALLOW under parental consent, which is a DENY (docs/spec/policy-language.md#effect-of-a-rule).
   * `fails`: in strict evaluation its condition, or that of its derived role, cannot be evaluated, which denies.
   */
  readonly result: 'applies' | 'does not apply' | 'not active' | 'fails';
  /** Whether it applies where its condition does not hold. */
  readonly inverted: boolean;
  readonly derivedRole?: ExplainedDerivedRole;
  readonly condition?: ConditionTree;
}

/** The derived role of a rule. */
export interface ExplainedDerivedRole {
  readonly name: string;
  readonly place: FilePlace;
  readonly isActive: boolean;
  readonly condition?: ConditionTree;
}

/** An engine that explains its decisions. */
export interface Explainer extends Pick<Engine, 'check' | 'isAllowed' | 'plan' | 'for'> {
  /**
   * Decides and explains one action. Without `search` it does not look for near misses. Throws an
   * `EvaluationLimitError` as `check` does.
   */
  explain(request: AccessRequest, search?: SearchOptions): Explanation;
}

/** A condition with the result of each part. Every part is evaluated, even if another one decides. */
export type ConditionTree =
  | { readonly kind: 'all' | 'any' | 'none'; readonly result: Verdict; readonly of: readonly ConditionTree[] }
  | Clause;

/**
 * Whether a condition holds. It fails in strict evaluation only, and not if a part before the one that cannot be
 * evaluated decides (docs/spec/policy-language.md#results-of-conditions).
 */
export type Verdict = boolean | 'fails';

/** An expression of a condition, or a part of it below `&&`, `||`, `!`, `?:` and the variables that it reads. */
export interface Clause {
  readonly kind: 'expression' | 'variable';
  /** The text as the author wrote it; of a variable, its name. */
  readonly text: string;
  readonly place: FilePlace;
  readonly result: Outcome;
  /** The definition of a variable. */
  readonly definition?: string;
  /** What it compares: `"APPROVED" == "PENDING"`. Absent if it says no more than the result. */
  readonly comparison?: string;
  /** The values that it reads, by their text; absent where `comparison` has them. */
  readonly values?: readonly ReadValue[];
  /** Its parts. */
  readonly of?: readonly Clause[];
}

/** A value in JSON, or why there is none. */
export type Outcome = { readonly value: unknown } | { readonly error: string };

/** A value that a clause reads. */
export interface ReadValue {
  readonly text: string;
  readonly result: Outcome;
}

/** A change of one part of a request; undefined: it is absent. */
export interface Change {
  /** `resource.attr.status`, `principal.roles`. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Changes of a request that give another decision. */
export interface NearMisses {
  /**
   * Sets of changes, all of the smallest size that gives another decision, and each of other parts of the request. If no
   * set of up to three does, the one that was found by sampling, or none.
   */
  readonly changes: readonly (readonly Change[])[];
  /** Whether all sets up to that size were tried, or up to three if none was found. */
  readonly isComplete: boolean;
  /**
   * The number of requests that were sampled; absent if a smallest set was found. A set that sampling found need not be
   * a smallest one, but each of its changes is needed.
   */
  readonly sampled?: number;
}

/** How near misses are searched. */
export interface SearchOptions {
  /** The number of sets to return. */
  readonly near: number;
  /** A part of the request that does not change. */
  readonly keep?: 'principal' | 'resource' | undefined;
  /**
   * The number of sets to try. Default: 200,000. If none gives another decision, sampling evaluates at most ten times as
   * many rules, and at most 100,000.
   */
  readonly tries?: number | undefined;
  /** Asked before each try; true ends the search. */
  readonly isOver?: (() => boolean) | undefined;
}

/** A place in a policy; line and column are 1-based, and columns count UTF-16 units. */
export interface FilePlace {
  /** Relative to the policy folder. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
