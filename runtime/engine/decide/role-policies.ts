import { DENY, type RolePolicy, type TracedBundle } from '../../policy/index.js';
import { limitsDoNotApply, type RoleLimit, type RoleLimits, type ScopeLimits } from '../find/chains.js';
import { findOrMake } from '../find/tables.js';
import { type Evaluation, type Outcome, type RoleJudge, UNDECIDED } from './evaluation.js';
import { type RuleResult, emitOutput } from './visit-rules.js';

/** Evaluates role policies. Bundles with role policies bring it. */
export const roleJudge: RoleJudge = {
  rolesOf: (policies, shared) => {
    const scopes: ScopesByVersion = new Map();
    addRoles(scopes, policies);
    return {
      add: (more) => addRoles(scopes, more),
      lineages: (version, scope) => {
        shared.load?.(scope);
        return scopes.get(version)?.get(scope)?.lineages;
      },
      limits: (version, scope, kind) => scopeLimits(scopes.get(version)?.get(scope), kind, shared.traced),
    };
  },
  judge: judgeLimits,
};

/** The role policies of one version in one scope. */
interface RoleScope {
  /** Those with at least one rule, by role. */
  readonly policies: ReadonlyMap<string, RolePolicy>;
  /** Each role with parents here: itself, then all its ancestors. */
  readonly lineages: ReadonlyMap<string, readonly string[]>;
}

type ScopesByVersion = Map<string, Map<string, RoleScope>>;

/** Adds role policies: all of the scopes that they have. */
function addRoles(scopes: ScopesByVersion, policies: readonly RolePolicy[]): void {
  const grouped = new Map<string, Map<string, RolePolicy[]>>();
  for (const policy of policies) {
    const ofVersion = findOrMake(grouped, policy.version, () => new Map<string, RolePolicy[]>());
    findOrMake(ofVersion, policy.scope, () => []).push(policy);
  }
  for (const [version, ofVersion] of grouped) {
    const known = findOrMake(scopes, version, () => new Map<string, RoleScope>());
    for (const [scope, listed] of ofVersion) known.set(scope, roleScope(listed));
  }
}

function roleScope(policies: readonly RolePolicy[]): RoleScope {
  const parents = new Map(policies.map((policy) => [policy.role, policy.parentRoles]));
  return {
    policies: new Map(policies.filter((policy) => policy.rules.length > 0).map((policy) => [policy.role, policy])),
    lineages: new Map(
      policies.filter((policy) => policy.parentRoles.length > 0).map(({ role }) => [role, listLineage(role, parents)]),
    ),
  };
}

/**
 * A role and all its ancestors; a role in a cycle is its own ancestor, as in the reference model
 * (docs/spec/policy-language.md#reference-model).
 */
function listLineage(role: string, parents: ReadonlyMap<string, readonly string[]>): readonly string[] {
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

function scopeLimits(
  scope: RoleScope | undefined,
  kind: string,
  traced: TracedBundle | undefined,
): ScopeLimits | undefined {
  if (scope === undefined || scope.policies.size === 0) return undefined;
  const policies = [...scope.policies.values()];
  const byRole = new Map(
    policies.map((policy) => [policy.role, { key: policy.key, rules: listLimits(policy, kind, traced) }]),
  );
  return {
    byRole,
    coverKind: [...byRole.values()].some(({ rules }) => rules.length > 0),
    hasOutputs: policies.some(({ hasOutputs }) => hasOutputs),
    readsRuntime: policies.some(({ readsRuntime }) => readsRuntime),
  };
}

function listLimits(policy: RolePolicy, kind: string, traced: TracedBundle | undefined): readonly RoleLimit[] {
  return policy.rules.flatMap((rule, index) => {
    if (!rule.covers(kind)) return [];
    const key = `${policy.key}#${index}`;
    return [{ rule, identity: rule.memo ?? rule, traced: traced?.conditions.get(key) }];
  });
}

/** The role policies of a role and its ancestors (docs/spec/policy-language.md#role-policies). */
function judgeLimits(evaluation: Evaluation, { byRole }: ScopeLimits, hasRule: boolean, action: string): Outcome {
  const { lineage } = evaluation;
  if (limitsDoNotApply(byRole, lineage, hasRule)) return UNDECIDED;
  for (const role of lineage) {
    const limit = byRole.get(role);
    if (limit === undefined) continue;
    evaluation.listener?.considers(limit.key, '');
    if (judgeLimit(evaluation, limit, action) === DENY) {
      evaluation.denyingPolicy = limit.key;
      return DENY;
    }
  }
  return UNDECIDED;
}

/** Denies what no rule lists; of the rules that list the action, every condition must hold. */
function judgeLimit(evaluation: Evaluation, { key, rules }: RoleLimits, action: string): Outcome {
  let isListed = false;
  for (const limit of rules) {
    if (!limit.rule.allows(action)) continue;
    isListed = true;
    evaluation.listener?.considers(key, limit.rule.name);
    if (denies(evaluation, key, limit, action)) return DENY;
  }
  return isListed ? UNDECIDED : DENY;
}

function denies(evaluation: Evaluation, key: string, limit: RoleLimit, action: string): boolean {
  const { name, output, when } = limit.rule;
  if (when === undefined && !(evaluation.collectsOutputs && output !== undefined)) return false;
  const denial = makeDenial(evaluation, limit);
  if (denial === 'fails') {
    evaluation.failed = true;
    return true;
  }
  // The DENY holds if the author's condition does not, but outputs follow the condition
  // (docs/spec/policy-language.md#outputs-of-inverted-rules).
  const isMet = when === undefined ? denial === 'holds' : denial !== 'holds';
  if (evaluation.collectsOutputs) emitOutput(evaluation, { key, name, output }, action, isMet);
  return when !== undefined && !isMet;
}

/**
 * The result of a rule of a role policy, evaluated as a DENY: it holds if the author's condition does not
 * (docs/spec/policy-language.md#role-policies).
 */
function makeDenial(evaluation: Evaluation, { rule, identity, traced }: RoleLimit): RuleResult {
  const remembered = evaluation.firstResult(identity);
  if (remembered !== undefined) return remembered ? 'holds' : 'does not hold';
  const allowed =
    evaluation.traced !== undefined
      ? (traced?.(evaluation.request) ?? true)
      : (rule.when?.(evaluation.request) ?? true);
  if (typeof allowed === 'string') return 'fails';
  // Without a condition there is no DENY, only outputs.
  const holds = rule.when === undefined || !allowed;
  evaluation.rememberResult(identity, holds);
  return holds ? 'holds' : 'does not hold';
}
