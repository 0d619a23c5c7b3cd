import { ALLOW, policyKey, type PrincipalPolicy } from '../../policy/index.js';
import { type PrincipalChain, type Principals, type PrincipalStep, ScopeSet } from '../find/chains.js';
import { entryOf, EVERYONE, type RoleNames, type RuleTable, ruleTable, type SharedFacts } from '../find/tables.js';
import { judgeRules } from './check.js';
import { type Evaluation, type Judges, type Outcome, type PrincipalJudge, UNDECIDED } from './evaluation.js';

/** Evaluates principal policies. Bundles with principal policies bring it. */
export const principalJudge: PrincipalJudge = {
  principalsOf: (policies, shared, lenient) =>
    new PrincipalPolicies(
      policies,
      new ScopeSet(
        policies.map(({ scope }) => scope),
        lenient,
      ),
      shared,
    ),
  judge,
};

class PrincipalPolicies implements Principals {
  private readonly byId = new Map<string, PoliciesOfOne>();
  private readonly scopesByVersion = new Map<string, Set<string>>();
  /** Bounds the memory of policies times scopes; chains beyond it are built for each request. */
  private spareChains = 50_000;

  constructor(
    policies: readonly PrincipalPolicy[],
    private readonly scopes: ScopeSet,
    private readonly shared: SharedFacts,
  ) {
    for (const policy of policies) {
      entryOf(this.byId, policy.principal, () => new PoliciesOfOne()).policies.push(policy);
      entryOf(this.scopesByVersion, policy.version, () => new Set<string>()).add(policy.scope);
    }
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  chain(id: string, version: string, scope: string): PrincipalChain | undefined {
    const principal = this.byId.get(id);
    const first = principal === undefined ? undefined : this.scopes.first(scope);
    if (principal === undefined || first === undefined) return undefined;
    return principal.chains.get(version)?.get(first) ?? this.makeChain(principal, version, first);
  }

  existAt(scope: string): boolean {
    return this.scopes.first(scope) !== undefined;
  }

  exist(version: string, scope: string): boolean {
    const scopes = this.scopesByVersion.get(version);
    const first = this.scopes.first(scope);
    return (
      scopes !== undefined && first !== undefined && this.scopes.listFrom(first).some((listed) => scopes.has(listed))
    );
  }

  keyOf(id: string, version: string, scope: string): string {
    return policyKey('principal', id, version, this.scopes.first(scope) ?? '');
  }

  private makeChain({ policies, chains }: PoliciesOfOne, version: string, first: string): PrincipalChain | undefined {
    const listed = this.scopes
      .listFrom(first)
      .flatMap((scope) => policies.filter((policy) => policy.version === version && policy.scope === scope));
    if (listed.length === 0) return undefined;
    const chain = principalChain(listed, this.shared);
    if (this.spareChains > 0) {
      this.spareChains--;
      entryOf(chains, version, () => new Map<string, PrincipalChain>()).set(first, chain);
    }
    return chain;
  }
}

/** The policies of one principal, all versions and scopes. */
class PoliciesOfOne {
  readonly policies: PrincipalPolicy[] = [];
  /** By version, then by first listed scope. */
  readonly chains = new Map<string, Map<string, PrincipalChain>>();
}

function principalChain(policies: readonly PrincipalPolicy[], shared: SharedFacts): PrincipalChain {
  return {
    steps: policies.map((policy) => principalStep(policy, shared)),
    hasOutputs: policies.some((policy) => policy.hasOutputs),
    readsRuntime: policies.some((policy) => policy.readsRuntime),
  };
}

function principalStep(policy: PrincipalPolicy, shared: SharedFacts): PrincipalStep {
  const facts = {
    key: policy.key,
    names: NO_NAMES,
    hasOutputs: policy.hasOutputs,
    remembersAll: policy.readsRuntime,
    ...shared,
  };
  return {
    scope: policy.scope,
    consents: !policy.overridesParent,
    kinds: new Map([...policy.kinds].map(([kind, table]) => [kind, ruleTable(table, facts)])),
    otherKinds: ruleTable({ actions: new Map(), otherActions: policy.otherKinds }, facts),
  };
}

/** Rules of principal policies reach everyone. */
const NO_NAMES: RoleNames = { roles: new Map(), roleGlobs: [] };

function judge(evaluation: Evaluation, judges: Judges, { steps }: PrincipalChain, action: string): Outcome {
  const role = evaluation.request.principal.roles[0];
  if (role === undefined) return UNDECIDED;
  evaluation.judge(role);
  for (const step of steps) {
    const outcome = judgeRules(evaluation, judges, tableAbout(evaluation.resource.kind, step), EVERYONE, action);
    if (outcome === UNDECIDED || (outcome === ALLOW && step.consents)) continue;
    evaluation.decidedByPrincipal(step);
    return outcome;
  }
  return UNDECIDED;
}

function tableAbout(kind: string, step: PrincipalStep): RuleTable {
  return step.kinds.get(kind) ?? step.otherKinds;
}
