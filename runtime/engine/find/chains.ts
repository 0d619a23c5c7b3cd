import {
  type DerivedRole,
  policyKey,
  type PrincipalPolicy,
  type ResourcePolicy,
  type RolePolicy,
  type RoleRule,
  type SchemaReferences,
  type TracedCondition,
} from '../../policy/index.js';
import { findOrMake, lineageBits, type RuleTable, RoleList, type SharedFacts } from './tables.js';

/**
 * The scopes whose policies apply to a kind and version, from the requested scope to the root
 * (docs/spec/policy-language.md#how-a-check-is-decided). Check and plan walk it. Built on first use and kept.
 */
export interface ResourceChain {
  /** Sanitised. */
  readonly kind: string;
  /** The requested scope, or the first that has policies; undefined if none has. */
  readonly first: ResourceStep | undefined;
  /** Set if one policy decides, by a function, as in most chains. */
  readonly decide: ResourcePolicy['decide'];
  /**
   * The same for requests as they are given. Undefined if it reads versions or scopes, which have to be filled in, or if
   * a prototype cannot be read.
   */
  readonly decideAsGiven: ResourcePolicy['decide'];
  /** The roles that this policy names. */
  readonly roles: RoleList;
  /**
   * The policy that decisions name as matched: the key of the kind at the first listed scope, whether or not that
   * policy exists (docs/spec/policy-language.md#matched-policy-and-scope).
   */
  readonly key: string;
  /** Whether some policy of the chain is about the kind (docs/spec/policy-language.md#preparing-a-check). */
  readonly exists: boolean;
  readonly hasOutputs: boolean;
  readonly readsRuntime: boolean;
  /**
   * Those of the root policy, if the first listed scope has a policy
   * (docs/spec/policy-language.md#which-schemas-apply).
   */
  readonly schemas: SchemaReferences | undefined;
}

/** A chain by which a function decides about requests as they are given. */
export type DecidingChain = ResourceChain & { readonly decideAsGiven: NonNullable<ResourceChain['decide']> };

/** One scope of a chain. Without policy and limits its only effect is that no derived role is active. */
export interface ResourceStep {
  readonly scope: string;
  /** The next scope of the chain. */
  readonly parent: ResourceStep | undefined;
  /** Its index in the chain: the key of what a check remembers of a step. */
  readonly index: number;
  /** Whether an ALLOW of this scope needs that of a parent (docs/spec/policy-language.md#matched-policy-and-scope). */
  readonly consents: boolean;
  readonly policy: ResourcePolicy | undefined;
  readonly table: RuleTable | undefined;
  /** What role policies allow at most. */
  readonly limits: ScopeLimits | undefined;
}

/** The parts of a chain. */
export interface ResourceChainParts {
  readonly kind: string;
  readonly version: string;
  /** The scope list, most specific first. */
  readonly scopes: readonly string[];
  readonly policyAt: (scope: string) => ResourcePolicy | undefined;
  readonly limitsAt: (scope: string) => ScopeLimits | undefined;
  readonly tableOf: (policy: ResourcePolicy) => RuleTable;
  readonly rolesOf: (policy: ResourcePolicy) => RoleList;
  /** Whether nothing else than the policy of one scope can decide. */
  readonly isAlone: boolean;
}

/** The chain of a request without a listed scope. Principal policies may still be about its kind. */
export function emptyChain(kind: string): ResourceChain {
  return {
    kind,
    first: undefined,
    decide: undefined,
    decideAsGiven: undefined,
    roles: NO_ROLES,
    key: '',
    exists: false,
    hasOutputs: false,
    readsRuntime: false,
    schemas: undefined,
  };
}

/** The chain of the listed scopes, at least one. */
export function resourceChain(parts: ResourceChainParts): ResourceChain {
  const { kind, version, scopes } = parts;
  const first = resourceSteps(parts);
  const steps = stepsFrom(first);
  const decide = parts.isAlone ? first?.policy?.decide : undefined;
  return {
    kind,
    first,
    decide,
    decideAsGiven: first?.policy?.readsPlace || !canReadPrototypes() ? undefined : decide,
    roles: first?.policy === undefined ? NO_ROLES : parts.rolesOf(first.policy),
    key: policyKey('resource', kind, version, scopes[0] ?? ''),
    exists: steps.some((step) => step.policy !== undefined || step.limits?.coverKind),
    hasOutputs: steps.some(({ policy, limits }) => policy?.hasOutputs || limits?.hasOutputs),
    readsRuntime: steps.some(({ policy, limits }) => policy?.readsRuntime || limits?.readsRuntime),
    schemas: first?.policy === undefined ? undefined : parts.policyAt('')?.schemas,
  };
}

/** Whether objects have `__proto__`, which tells plain attributes from others. Node can delete it or make it throw. */
function canReadPrototypes(): boolean {
  try {
    // biome-ignore lint/suspicious/noProto: this asks whether it can be read.
    return ({} as { readonly [name: string]: unknown })['__proto__'] !== undefined;
  } catch {
    return false;
  }
}

/** A step and the steps after it. */
export function stepsFrom(first: ResourceStep | undefined): readonly ResourceStep[] {
  const steps: ResourceStep[] = [];
  for (let step = first; step !== undefined; step = step.parent) steps.push(step);
  return steps;
}

/** The derived roles to list in a step (docs/spec/policy-language.md#effective-derived-roles). */
export function collectDerivedRoles(step: ResourceStep): readonly DerivedRole[] {
  return step.policy?.derivedRoles ?? [];
}

/**
 * Whether a role of the principal is a parent role of a derived role. Names are compared exactly: globs of parent roles
 * apply to rules, not to the list of derived roles.
 */
export function reachesByText({ parentRoles }: DerivedRole, roles: ReadonlySet<string>): boolean {
  if (parentRoles.has('*')) return true;
  for (const role of parentRoles) if (roles.has(role)) return true;
  return false;
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

const NO_ROLES = new RoleList({ roles: new Map(), roleGlobs: [] });

/** Finds the principal policies of a bundle. */
export interface Principals {
  /** Lists a scope at which principals have policies that are added later. */
  expect(principals: readonly string[], scope: string): void;
  add(policies: readonly PrincipalPolicy[]): void;
  /** Whether a principal has policies, of any version and scope. */
  has(id: string): boolean;
  /**
   * The policies of a principal; the version is that of the resource (docs/spec/policy-language.md#versions). Undefined
   * if there are none.
   */
  chain(id: string, version: string, scope: string): PrincipalChain | undefined;
  /**
   * Whether the list of scopes for principal policies is not empty (docs/spec/policy-language.md#preparing-a-check).
   */
  existAt(scope: string): boolean;
  /**
   * Whether any principal has a policy of a version in the listed scopes
   * (docs/spec/policy-language.md#preparing-a-check).
   */
  exist(version: string, scope: string): boolean;
  /**
   * The policy that decisions name for a principal, whether or not it exists
   * (docs/spec/policy-language.md#combining-decisions).
   */
  makeKey(id: string, version: string, scope: string): string;
}

/** The half of `PrincipalJudge` that finds principal policies. */
export interface PrincipalFinder {
  readonly principalsOf: (
    policies: readonly PrincipalPolicy[],
    shared: SharedFacts,
    lenientScopeSearch: boolean,
  ) => Principals;
}

/**
 * The policies of one principal that apply to a request, from the requested scope to the root
 * (docs/spec/policy-language.md#principal-policies).
 */
export interface PrincipalChain {
  readonly steps: readonly PrincipalStep[];
  readonly hasOutputs: boolean;
  readonly readsRuntime: boolean;
}

/** One scope of a chain. */
export interface PrincipalStep {
  readonly scope: string;
  /** The key of the policy. */
  readonly key: string;
  /** Whether an ALLOW of this scope needs that of a parent (docs/spec/policy-language.md#combining-decisions). */
  readonly consents: boolean;
  /** The rules about a kind, sanitised. */
  readonly tableOf: (kind: string) => RuleTable;
}

/** Finds the role policies of a bundle (docs/spec/policy-language.md#role-policies). */
export interface Roles {
  /** Adds policies: all of the scopes that they have. */
  add(policies: readonly RolePolicy[]): void;
  /** Lists, for each role that has parents at exactly this scope, itself and its ancestors. */
  lineages(version: string, scope: string): ReadonlyMap<string, readonly string[]> | undefined;
  /** The role policies of a scope for a kind; undefined if there are none. */
  limits(version: string, scope: string, kind: string): ScopeLimits | undefined;
}

/** The half of `RoleJudge` that finds role policies. */
export interface RoleFinder {
  readonly rolesOf: (policies: readonly RolePolicy[], shared: SharedFacts) => Roles;
}

/** The role policies of one version and scope, for one kind. */
export interface ScopeLimits {
  readonly byRole: ReadonlyMap<string, RoleLimits>;
  /** Whether any of their rules is about the kind. */
  readonly coverKind: boolean;
  readonly hasOutputs: boolean;
  readonly readsRuntime: boolean;
}

/** The role policy of one role, for one kind. */
export interface RoleLimits {
  /** The key of the role policy. */
  readonly key: string;
  /** Its rules about the kind, in order; empty if it only lists other kinds. */
  readonly rules: readonly RoleLimit[];
}

export interface RoleLimit {
  readonly rule: RoleRule;
  /** The key of its first result in a check (docs/spec/policy-language.md#rules-that-share-a-name). */
  readonly identity: RoleRule | string;
  readonly traced: TracedCondition | undefined;
}

/**
 * Whether role policies do not apply: no rule about the kind reaches the role and its ancestors, neither of the
 * resource policy, whatever its action, nor of their role policies
 * (docs/spec/policy-language.md#when-role-policies-apply).
 */
export function limitsDoNotApply(
  limits: ReadonlyMap<string, RoleLimits>,
  lineage: readonly string[],
  hasRule: boolean,
): boolean {
  return !hasRule && !lineage.some((role) => (limits.get(role)?.rules.length ?? 0) > 0);
}

/**
 * The roles of a request in classes: no scope of a chain distinguishes roles of one class. So the cost of a decision
 * depends on the roles that policies name, not on the number of roles that the caller sends.
 */
export interface RoleClasses {
  /** The first role of each class, in the order of the request. */
  readonly first: readonly string[];
  /** The class of each role. */
  readonly of: Uint32Array;
  /** The first two roles of each class, in the order of the request. */
  readonly firstTwo: readonly number[];
  /** The classes in the order of their last roles. */
  readonly byLast: readonly number[];
}

/** Up to this number of roles, classes cost more than they save. */
export const FEW_ROLES = 8;

/** Sorts roles into classes. */
export function roleClasses(
  roles: readonly string[],
  chain: ResourceChain,
  lineages: ReadonlyMap<string, readonly string[]> | undefined,
): RoleClasses {
  const classes = new Map<string, number>();
  const first: string[] = [];
  const counts: number[] = [];
  const last: number[] = [];
  const firstTwo: number[] = [];
  const of = new Uint32Array(roles.length);
  for (let position = 0; position < roles.length; position++) {
    const role = roles[position] as string;
    const text = lineages?.has(role) ? `=${role}` : classText(role, chain);
    const number = findOrMake(classes, text, () => first.push(role) - 1);
    of[position] = number;
    last[number] = position;
    counts[number] = (counts[number] ?? 0) + 1;
    if ((counts[number] as number) <= 2) firstTwo.push(position);
  }
  const byLast = [...first.keys()].sort((a, b) => (last[a] as number) - (last[b] as number));
  return { first, of, firstTwo, byLast };
}

/** The key of a role's class: its bits in each scope, or its name if a policy names it where bits do not tell. */
function classText(role: string, chain: ResourceChain): string {
  let text = ' ';
  for (let step = chain.first; step !== undefined; step = step.parent) {
    if (step.limits?.byRole.has(role)) return `=${role}`;
    if (step.table === undefined) continue;
    const { names, crowded } = step.table;
    text += `${lineageBits(names, [role])},`;
    if (!crowded) continue;
    if (names.roles.has(role)) return `=${role}`;
    for (const { matches } of names.roleGlobs) text += matches(role) ? 1 : 0;
  }
  return text;
}

/** A scope and its ancestors, most specific first: `a.b`, `a`, the root. */
function scopeChain(scope: string): readonly string[] {
  const chain = [scope];
  for (let current = scope; current !== ''; ) {
    current = current.slice(0, Math.max(0, current.lastIndexOf('.')));
    chain.push(current);
  }
  return chain;
}

/**
 * The scopes that have policies, of whatever kind and version (docs/spec/policy-language.md#preparing-a-check,
 * docs/spec/policy-language.md#scopes).
 */
export class ScopeSet {
  private readonly scopes = new Set<string>();
  private longest = 0;

  constructor(private readonly lenient: boolean) {}

  add(scope: string): void {
    this.scopes.add(scope);
    this.longest = Math.max(this.longest, scope.length);
  }

  /** The first listed scope of a request at `scope`; undefined if none is listed. */
  first(scope: string): string | undefined {
    if (this.scopes.has(scope)) return scope;
    return this.lenient ? this.nearestAncestor(scope) : undefined;
  }

  /** A scope of this set and its ancestors in this set. */
  listFrom(scope: string): readonly string[] {
    return scopeChain(scope).filter((candidate) => this.scopes.has(candidate));
  }

  private nearestAncestor(scope: string): string | undefined {
    // No scope is longer than the longest, so a very long string in a request costs no more than a short one.
    let end = scope.lastIndexOf('.', this.longest);
    while (end > 0) {
      const ancestor = scope.slice(0, end);
      if (this.scopes.has(ancestor)) return ancestor;
      end = scope.lastIndexOf('.', end - 1);
    }
    return this.scopes.has('') ? '' : undefined;
  }
}
