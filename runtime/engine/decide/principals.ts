import {
  ALLOW,
  appliesTo,
  isGlob,
  matchesName,
  policyKey,
  type PrincipalPolicy,
  type Rule,
} from '../../policy/index.js';
import { type PrincipalChain, type Principals, type PrincipalStep, ScopeSet } from '../find/chains.js';
import {
  findOrMake,
  EVERYONE,
  type RoleNames,
  ruleEntry,
  type RuleTable,
  ruleTable,
  type SharedFacts,
} from '../find/tables.js';
import { judgeRules } from './check.js';
import { type Evaluation, type Judges, type Outcome, type PrincipalJudge, UNDECIDED } from './evaluation.js';

/** Evaluates principal policies. Bundles with principal policies bring it. */
export const principalJudge: PrincipalJudge = {
  principalsOf: (policies, shared, lenient) => new PrincipalPolicies(policies, new ScopeSet(lenient), shared),
  judge,
};

class PrincipalPolicies implements Principals {
  private readonly byId = new Map<string, VersionsOfOne>();
  private readonly scopesByVersion = new Map<string, Set<string>>();
  /**
   * Bounds the memory of policies times scopes; chains beyond it are built for each request. A chain that begins with a
   * policy of its scope does not count.
   */
  private spareChains = 50_000;

  constructor(
    policies: readonly PrincipalPolicy[],
    private readonly scopes: ScopeSet,
    private readonly shared: SharedFacts,
  ) {
    this.add(policies);
  }

  expect(principals: readonly string[], scope: string): void {
    for (const id of principals) findOrMake(this.byId, id, () => new Map());
    this.scopes.add(scope);
  }

  add(policies: readonly PrincipalPolicy[]): void {
    for (const policy of policies) {
      const versions = findOrMake(this.byId, policy.principal, () => new Map());
      const own = findOrMake(versions, policy.version, () => ({ policies: new Map(), chains: new Map() }));
      own.policies.set(policy.scope, policy);
      findOrMake(this.scopesByVersion, policy.version, () => new Set<string>()).add(policy.scope);
      this.scopes.add(policy.scope);
    }
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  chain(id: string, version: string, scope: string): PrincipalChain | undefined {
    const versions = this.byId.get(id);
    const first = versions === undefined ? undefined : this.scopes.first(scope);
    if (versions === undefined || first === undefined) return undefined;
    this.shared.load?.(first);
    const own = versions.get(version);
    return own && (own.chains.get(first) ?? this.makeChain(own, first));
  }

  existAt(scope: string): boolean {
    return this.scopes.first(scope) !== undefined;
  }

  exist(version: string, scope: string): boolean {
    const first = this.scopes.first(scope);
    if (first === undefined) return false;
    this.shared.load?.(first);
    const scopes = this.scopesByVersion.get(version);
    return scopes !== undefined && this.scopes.listFrom(first).some((listed) => scopes.has(listed));
  }

  makeKey(id: string, version: string, scope: string): string {
    return policyKey('principal', id, version, this.scopes.first(scope) ?? '');
  }

  private makeChain({ policies, chains }: PoliciesOfOne, first: string): PrincipalChain | undefined {
    const listed = this.scopes.listFrom(first).flatMap((scope) => policies.get(scope) ?? []);
    if (listed.length === 0) return undefined;
    const chain = principalChain(listed, this.shared);
    if (policies.has(first) || this.spareChains-- > 0) chains.set(first, chain);
    return chain;
  }
}

/** The policies of one principal, by version. */
type VersionsOfOne = Map<string, PoliciesOfOne>;

/** The policies of one principal and version, by scope. */
interface PoliciesOfOne {
  readonly policies: Map<string, PrincipalPolicy>;
  /** Chains by first listed scope. */
  readonly chains: Map<string, PrincipalChain>;
}

function principalChain(policies: readonly PrincipalPolicy[], shared: SharedFacts): PrincipalChain {
  return {
    steps: policies.map((policy) => principalStep(policy, shared)),
    hasOutputs: policies.some((policy) => policy.hasOutputs),
    readsRuntime: policies.some((policy) => policy.readsRuntime),
  };
}

function principalStep(policy: PrincipalPolicy, shared: SharedFacts): PrincipalStep {
  const { scope, key, overridesParent } = policy;
  return { scope, key, consents: !overridesParent, tableOf: tablesByKind(policy, shared) };
}

/** Finds the rules about a kind: for each kind that a rule names a table, made when it is first asked for. */
function tablesByKind(policy: PrincipalPolicy, shared: SharedFacts): PrincipalStep['tableOf'] {
  const { key, rules, readsRuntime } = policy;
  const makeTable = (about: readonly Rule[]): RuleTable =>
    ruleTable({ ...policy, ...NO_NAMES, rules: about }, shared, readsRuntime);
  const tables = new Map<string, RuleTable | null>();
  for (const { resource = '*' } of rules) if (!isGlob(resource)) tables.set(resource, null);
  const others = rules.filter(({ resource = '*' }) => isGlob(resource));
  const other: RuleTable = {
    ...makeTable(others),
    named: new Map(),
    other: others.map((rule) => ruleEntry(rule, (action, kind) => appliesTo(rule, action, kind), key, shared.traced)),
  };
  return (kind) => {
    const known = tables.get(kind);
    if (known !== null) return known ?? other;
    const table = makeTable(rules.filter(({ resource = '*' }) => matchesName([resource], kind)));
    tables.set(kind, table);
    return table;
  };
}

/** Rules of principal policies reach everyone. */
const NO_NAMES: RoleNames = { roles: new Map(), roleGlobs: [] };

function judge(evaluation: Evaluation, judges: Judges, { steps }: PrincipalChain, action: string): Outcome {
  const role = evaluation.request.principal.roles[0];
  if (role === undefined) return UNDECIDED;
  evaluation.judge(role);
  for (const step of steps) {
    const outcome = judgeRules(evaluation, judges, step.tableOf(evaluation.resource.kind), EVERYONE, action);
    if (outcome === UNDECIDED || (outcome === ALLOW && step.consents)) continue;
    evaluation.decidedByPrincipal(step);
    return outcome;
  }
  return UNDECIDED;
}
