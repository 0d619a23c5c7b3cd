import { type DerivedRole, policyKey, type ResourcePolicy, type SchemaReferences } from '../policy/index.js';
import type { ScopeLimits } from './roles.js';
import type { TableShape } from './rule-shape.js';
import { type RuleTable, ruleTable, type SharedFacts } from './rule-table.js';

/**
 * The scopes that judge a request about one kind and version, from the scope requested to the root
 * (docs/spec/policy-language.md#how-a-check-is-decided): what check walks, and plan. Made when first asked and kept.
 */
export interface ResourceChain {
  /** Sanitised. */
  readonly kind: string;
  /** The scope requested, or the first listed; undefined: no scope is listed. */
  readonly first: ResourceStep | undefined;
  /**
   * The shape of the only table, where nothing but it decides and nobody can tell how: most chains are such. It and its
   * conditions stand here so that a decision need not fetch a step and a table (bench/check.bench.ts, "Out of 10,000
   * policies").
   */
  readonly sole: TableShape | undefined;
  readonly conditions: RuleTable['conditions'];
  /**
   * What decisions name as the policy matched: the key of the kind at the first listed scope, whether or not a policy
   * has it (docs/spec/policy-language.md#matched-policy-and-scope).
   */
  readonly key: string;
  /** Whether any policy of the list is about the kind (docs/spec/policy-language.md#preparing-a-check). */
  readonly exists: boolean;
  readonly hasOutputs: boolean;
  readonly readsRuntime: boolean;
  /**
   * Those of the root policy, where a policy stands at the first listed scope
   * (docs/spec/policy-language.md#which-schemas-apply).
   */
  readonly schemas: SchemaReferences | undefined;
}

/** One scope of a chain. Without policy and limits it only leaves no derived role active. */
export interface ResourceStep {
  readonly scope: string;
  /** The next scope to ask. */
  readonly parent: ResourceStep | undefined;
  /** Its place in the chain, from 0: what a check remembers of a step it remembers by this. */
  readonly index: number;
  /** Whether an ALLOW of this scope needs that of a parent (docs/spec/policy-language.md#matched-policy-and-scope). */
  readonly consents: boolean;
  readonly policy: ResourcePolicy | undefined;
  readonly table: RuleTable | undefined;
  /** What role policies take away. */
  readonly limits: ScopeLimits | undefined;
}

/** What a chain is made of. */
export interface ResourceChainParts {
  readonly kind: string;
  readonly version: string;
  /** The scope list, most specific first. */
  readonly scopes: readonly string[];
  readonly policyAt: (scope: string) => ResourcePolicy | undefined;
  readonly limitsAt: (scope: string) => ScopeLimits | undefined;
  readonly tableOf: (policy: ResourcePolicy) => RuleTable;
}

/** The chain of a request for which no scope is listed: principal policies may still know the kind. */
export function emptyChain(kind: string): ResourceChain {
  return {
    kind,
    first: undefined,
    sole: undefined,
    conditions: [],
    key: '',
    exists: false,
    hasOutputs: false,
    readsRuntime: false,
    schemas: undefined,
  };
}

/** The chain of the scopes listed, one at least. */
export function resourceChain(parts: ResourceChainParts): ResourceChain {
  const { kind, version, scopes } = parts;
  const first = resourceSteps(parts);
  const steps = stepsFrom(first);
  const sole = soleTable(first);
  return {
    kind,
    first,
    sole: sole?.shape,
    conditions: sole?.conditions ?? [],
    key: policyKey('resource', kind, version, scopes[0] ?? ''),
    exists: steps.some((step) => step.policy !== undefined || step.limits?.coverKind),
    hasOutputs: steps.some(({ policy, limits }) => policy?.hasOutputs || limits?.hasOutputs),
    readsRuntime: steps.some(({ policy, limits }) => policy?.readsRuntime || limits?.readsRuntime),
    schemas: first?.policy === undefined ? undefined : parts.policyAt('')?.schemas,
  };
}

/** A step and those after it. */
export function stepsFrom(first: ResourceStep | undefined): readonly ResourceStep[] {
  const steps: ResourceStep[] = [];
  for (let step = first; step !== undefined; step = step.parent) steps.push(step);
  return steps;
}

/** The table of a resource policy; `isLast` as shapes have it. */
export function resourceTable(policy: ResourcePolicy, isLast: boolean, shared: SharedFacts): RuleTable {
  return ruleTable(policy, {
    key: policy.key,
    names: policy,
    hasOutputs: policy.hasOutputs,
    isLast,
    remembersAll: false,
    ...shared,
  });
}

/** The derived roles to list in a step (docs/spec/policy-language.md#effective-derived-roles). */
export function derivedRolesOf(step: ResourceStep): readonly DerivedRole[] {
  return step.policy?.derivedRoles ?? [];
}

function resourceSteps({ scopes, policyAt, limitsAt, tableOf }: ResourceChainParts): ResourceStep | undefined {
  let parent: ResourceStep | undefined;
  for (const [index, scope] of [...scopes.entries()].reverse()) {
    const policy = policyAt(scope);
    parent = {
      scope,
      parent,
      index,
      consents: policy !== undefined && !policy.overridesParent,
      policy,
      table: policy === undefined ? undefined : tableOf(policy),
      limits: limitsAt(scope),
    };
  }
  return parent;
}

function soleTable(first: ResourceStep | undefined): RuleTable | undefined {
  // Where a scope requires consent, an ALLOW of the last one is no ALLOW: nobody is left to consent.
  if (first === undefined || first.consents) return undefined;
  const { table } = first;
  return table?.shape.isLast === true && !table.shape.alwaysVisited ? table : undefined;
}
