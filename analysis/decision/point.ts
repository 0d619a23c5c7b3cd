/** One chain of policies: the part of requests that selects which policies decide (docs/spec/analysis.md#points). */
export interface Point {
  /** Sanitized. A kind that no policy names stands for all kinds that no policy tells apart from it. */
  readonly kind: string;
  /** Whether a policy names the kind. */
  readonly isNamedKind: boolean;
  /** The version of the resource. */
  readonly version: string;
  /** The scope of the resource; below a scope of policies, under lenient scope search, it has a part that no policy names. */
  readonly scope: string;
  /**
   * The principal whose policies decide first; undefined for all principals for whom none is found, whose id is free.
   */
  readonly principal: PointPrincipal | undefined;
}

/** A principal that has policies, at a scope where they are found. */
export interface PointPrincipal {
  readonly id: string;
  readonly scope: string;
  /**
   * The version of the principal, where it matters: if no resource policy exists, principal policies only decide where
   * one of that version does (docs/spec/policy-language.md#versions). Undefined where any version decides alike.
   */
  readonly version: string | undefined;
}
