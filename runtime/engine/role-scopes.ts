import type { AttemptedCondition, RolePolicy, RoleRule, TracedBundle, TracedCondition } from '../policy/index.js';

/** The role policies of one version in one scope (policy-language.md 8.6). */
export interface RoleScope {
  /** Those with at least one rule, by role. */
  readonly policies: ReadonlyMap<string, RolePolicy>;
  /** For each role with parents here: itself, then all its ancestors. */
  readonly lineages: ReadonlyMap<string, readonly string[]>;
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
  /** What a check remembers its first result by (policy-language.md 8.10-D3). */
  readonly identity: RoleRule | string;
  readonly traced: TracedCondition | undefined;
  readonly attempt: AttemptedCondition | undefined;
}

/** Sorts role policies of one version and scope. */
export function roleScope(policies: readonly RolePolicy[]): RoleScope {
  const parents = new Map(policies.map((policy) => [policy.role, policy.parentRoles]));
  return {
    policies: new Map(policies.filter((policy) => policy.rules.length > 0).map((policy) => [policy.role, policy])),
    lineages: new Map(policies.filter((policy) => policy.parentRoles.length > 0).map(({ role }) => [role, lineageOf(role, parents)])),
  };
}

/** What role policies say about a kind; undefined where there is none. */
export function roleLimits(scope: RoleScope | undefined, kind: string, traced: TracedBundle | undefined): ReadonlyMap<string, RoleLimits> | undefined {
  if (scope === undefined || scope.policies.size === 0) return undefined;
  return new Map([...scope.policies].map(([role, policy]) => [role, { key: policy.key, rules: limitsOf(policy, kind, traced) }]));
}

/**
 * Whether role policies have nothing to say: nothing about the kind reaches the role and its ancestors, neither a rule of the resource policy,
 * whatever its action, nor one of theirs (policy-language.md 8.6).
 */
export function areSilent(limits: ReadonlyMap<string, RoleLimits>, lineage: readonly string[], hasRule: boolean): boolean {
  return !hasRule && !lineage.some((role) => (limits.get(role)?.rules.length ?? 0) > 0);
}

/** A role and what it inherits from, transitively; a role in a cycle is its own ancestor, as in the reference model (8.2). */
function lineageOf(role: string, parents: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const ancestors = new Set<string>();
  const pending = [...(parents.get(role) ?? [])].reverse();
  while (pending.length > 0) {
    const next = pending.pop() as string;
    if (ancestors.has(next)) continue;
    ancestors.add(next);
    pending.push(...[...(parents.get(next) ?? [])].reverse());
  }
  return [role, ...ancestors];
}

function limitsOf(policy: RolePolicy, kind: string, traced: TracedBundle | undefined): readonly RoleLimit[] {
  return policy.rules.flatMap((rule, index) => {
    if (!rule.covers(kind)) return [];
    const key = `${policy.key}#${index}`;
    return [{ rule, identity: rule.memo ?? rule, traced: traced?.conditions.get(key), attempt: traced?.attempts?.get(key) }];
  });
}
