/** One chain of policies: the part of requests that selects which policies decide (docs/spec/analysis.md#points). */
export interface Point {
  /** Sanitized. A kind that no policy names stands for all kinds that match the same globs of policies. */
  readonly kind: string;
  /** Whether a policy names the kind. If not, conditions may see another one. */
  readonly isNamedKind: boolean;
  /** The version of the resource. */
  readonly version: string;
  /** The scope of the resource. */
  readonly scope: string;
  /** Whether a policy has the scope. If not, it stands for others, and conditions may see another one. */
  readonly isNamedScope: boolean;
  /** The principal whose policies decide first; undefined for everyone who has none about the kind: any id, any scope. */
  readonly principal: PointPrincipal | undefined;
}

/** A principal that has policies, at a scope where they are found. */
export interface PointPrincipal {
  readonly id: string;
  readonly scope: string;
  /** Whether a policy has the scope. If not, it stands for others, and conditions may see another one. */
  readonly isNamedScope: boolean;
  /**
   * The version of the principal, where it matters: if no other policy exists for the resource, principal policies only
   * decide where one of that version does (docs/spec/policy-language.md#versions). Undefined where any version decides
   * alike. One that no policy has stands for others.
   */
  readonly version: string | undefined;
}
