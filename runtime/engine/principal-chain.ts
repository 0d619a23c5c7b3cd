import type { PrincipalPolicy } from '../policy/index.js';
import type { RoleNames } from './rule-shape.js';
import { type RuleTable, ruleTable, type SharedFacts } from './rule-table.js';

/** The policies of one principal that judge its requests, from the scope requested to the root (policy-language.md 8.7). */
export interface PrincipalChain {
  readonly steps: readonly PrincipalStep[];
  readonly hasOutputs: boolean;
  readonly readsRuntime: boolean;
}

/** One scope of a chain. */
export interface PrincipalStep {
  readonly scope: string;
  /** Whether an ALLOW of this scope needs that of a parent (8.3). */
  readonly consents: boolean;
  /** For each kind some rule names literally, sanitised. */
  readonly kinds: ReadonlyMap<string, RuleTable>;
  /** For any other kind. */
  readonly otherKinds: RuleTable;
}

/** The chain of a principal's policies, most specific first. */
export function principalChain(policies: readonly PrincipalPolicy[], shared: SharedFacts): PrincipalChain {
  return {
    steps: policies.map((policy) => principalStep(policy, shared)),
    hasOutputs: policies.some((policy) => policy.hasOutputs),
    readsRuntime: policies.some((policy) => policy.readsRuntime),
  };
}

function principalStep(policy: PrincipalPolicy, shared: SharedFacts): PrincipalStep {
  const facts = { key: policy.key, names: NO_NAMES, hasOutputs: policy.hasOutputs, isLast: false, remembersAll: policy.readsRuntime, ...shared };
  return {
    scope: policy.scope,
    consents: !policy.overridesParent,
    kinds: new Map([...policy.kinds].map(([kind, table]) => [kind, ruleTable(table, facts)])),
    otherKinds: ruleTable({ actions: new Map(), otherActions: policy.otherKinds }, facts),
  };
}

/** Rules of principal policies reach everyone. */
const NO_NAMES: RoleNames = { roles: new Map(), roleGlobs: [] };
