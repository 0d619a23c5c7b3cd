import type { AttemptedCondition, RoleRule, TracedCondition } from '../policy/index.js';

/** The role policies of a bundle that has some (docs/spec/policy-language.md#role-policies). */
export interface Roles {
  /** For each role that has parents at exactly this scope: itself and its ancestors. */
  lineages(version: string, scope: string): ReadonlyMap<string, readonly string[]> | undefined;
  /** What those of a scope say about a kind; undefined where there is none. */
  limits(version: string, scope: string, kind: string): ScopeLimits | undefined;
}

/** What the role policies of one version and scope say about one kind. */
export interface ScopeLimits {
  readonly byRole: ReadonlyMap<string, RoleLimits>;
  /** Whether any of their rules is about the kind. */
  readonly coverKind: boolean;
  readonly hasOutputs: boolean;
  readonly readsRuntime: boolean;
}

/** What the role policy of one role says about one kind. */
export interface RoleLimits {
  /** The key of the role policy. */
  readonly key: string;
  /** Its rules about the kind, in order; empty: it lists other kinds only. */
  readonly rules: readonly RoleLimit[];
}

export interface RoleLimit {
  readonly rule: RoleRule;
  /** What a check remembers its first result by (docs/spec/policy-language.md#rules-that-share-a-name). */
  readonly identity: RoleRule | string;
  readonly traced: TracedCondition | undefined;
  readonly attempt: AttemptedCondition | undefined;
}

/**
 * Whether role policies have nothing to say: nothing about the kind reaches the role and its ancestors, neither a rule
 * of the resource policy, whatever its action, nor one of theirs
 * (docs/spec/policy-language.md#when-role-policies-are-asked).
 */
export function areSilent(
  limits: ReadonlyMap<string, RoleLimits>,
  lineage: readonly string[],
  hasRule: boolean,
): boolean {
  return !hasRule && !lineage.some((role) => (limits.get(role)?.rules.length ?? 0) > 0);
}
