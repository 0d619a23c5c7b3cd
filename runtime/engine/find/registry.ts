import { type PolicyBundle, type ResourcePolicy, sanitize, type TracedBundle } from '../../policy/index.js';
import { type PlanResourceInput, type PrincipalInput, requestedScope } from '../requests.js';
import {
  emptyChain,
  FEW_ROLES,
  type PrincipalChain,
  type PrincipalFinder,
  type Principals,
  type ResourceChain,
  resourceChain,
  resourceTable,
  roleClasses,
  type RoleClasses,
  type RoleFinder,
  type Roles,
  ScopeSet,
} from './chains.js';
import { entryOf, roleList, type RuleTable, type SharedFacts } from './tables.js';

/** The settings that select policies. */
export interface FindSettings {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  /** Only in strict evaluation. */
  readonly traced: TracedBundle | undefined;
}

/** A bundle with the parts that find its principal and role policies. */
export interface Findable extends PolicyBundle {
  readonly principalJudge?: PrincipalFinder | undefined;
  readonly roleJudge?: RoleFinder | undefined;
}

/** The versions and scopes of a request, or the defaults of the settings. */
export interface Place {
  /** Of the resource. It also selects principal and role policies (docs/spec/policy-language.md#versions). */
  readonly version: string;
  readonly scope: string;
  readonly principalVersion: string;
  readonly principalScope: string;
}

/** The versions and scopes of a request. */
export function placeOf(
  { defaultPolicyVersion, defaultScope }: Pick<FindSettings, 'defaultPolicyVersion' | 'defaultScope'>,
  principal: PrincipalInput,
  resource: PlanResourceInput,
): Place {
  return {
    version: resource.policyVersion || defaultPolicyVersion,
    scope: requestedScope(resource.scope, defaultScope),
    principalVersion: principal.policyVersion || defaultPolicyVersion,
    principalScope: requestedScope(principal.scope, defaultScope),
  };
}

/** The policies that apply to a request, and the roles that they apply to. */
export interface Found {
  readonly place: Place;
  readonly principal: PrincipalChain | undefined;
  readonly resource: ResourceChain;
  /** For each role with ancestors in role policies: the role and its ancestors. */
  readonly lineages: ReadonlyMap<string, readonly string[]> | undefined;
  /** Only if there are many roles. */
  readonly classes: RoleClasses | undefined;
  /** Whether a scope is listed, for the resource or the principal. */
  readonly hasScope: boolean;
  /** Whether a policy exists for the request. If not, everything is denied. */
  readonly exists: boolean;
}

/**
 * Finds the policies that apply to a request (docs/spec/policy-language.md#preparing-a-check). A check uses `turnTo` of
 * runtime/engine/engine.ts instead, which does not allocate.
 */
export function find(
  registry: Registry,
  settings: FindSettings,
  principal: PrincipalInput,
  resource: PlanResourceInput,
): Found {
  const { principals } = registry;
  const place = placeOf(settings, principal, resource);
  const { version, scope, principalVersion, principalScope } = place;
  const chain = registry.resourceChain(resource.kind, version, scope);
  const lineages = registry.roles?.lineages(version, scope);
  return {
    place,
    principal: principals?.chain(principal.id, version, principalScope),
    resource: chain,
    lineages,
    classes: principal.roles.length > FEW_ROLES ? roleClasses(principal.roles, chain, lineages) : undefined,
    hasScope: chain.first !== undefined || principals?.existAt(principalScope) === true,
    // The version of the principal, not of the resource (docs/spec/policy-language.md#versions).
    exists: chain.exists || principals?.exist(principalVersion, principalScope) === true,
  };
}

/** An optional part that the policies of a bundle need. Without it policies would silently have no effect. */
export function requirePart<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the policies were compiled by another authzc: compile them again');
  return part;
}

/**
 * The policies of a bundle by kind, version and scope. Chains are built on first use, so that a bundle of 10,000
 * policies starts fast. They are kept under names of policies, never under names that only requests have.
 */
export class Registry {
  /** Undefined if no principal has a policy. */
  readonly principals: Principals | undefined;
  /** Undefined if no role has a policy. */
  readonly roles: Roles | undefined;
  /**
   * The scopes whose resource or principal policies do not need consent: those that plans name
   * (docs/spec/plans.md#matched-scopes).
   */
  readonly scopesWithRules: ReadonlySet<string>;
  private readonly resourceScopes: ScopeSet;
  private readonly kinds = new Map<string, KindPolicies>();
  private readonly shared: SharedFacts;
  private readonly tables = new Map<ResourcePolicy, RuleTable>();
  /**
   * By kind as requests spell it (`leave-request` for `leave_request`). A kind has many spellings, so their number is
   * bounded.
   */
  private readonly spellings = new Map<string, KindPolicies>();
  /** The chains of most requests: of the default version, at the root. By kind as in `kinds` and `spellings`. */
  private readonly rootChains = new Map<string, ResourceChain>();
  /** The latest chain: the next resource of a request mostly has the same kind. */
  private lastKind = '';
  private lastRootChain: ResourceChain | undefined = undefined;
  /** Bounds the memory of policies times scopes; chains beyond it are built for each request. */
  private spareChains = 50_000;

  constructor(
    bundle: Findable,
    private readonly settings: FindSettings,
  ) {
    this.shared = { roleLists: new Map(), traced: settings.traced };
    this.principals =
      bundle.principalPolicies.length > 0
        ? requirePart(bundle.principalJudge).principalsOf(
            bundle.principalPolicies,
            this.shared,
            settings.lenientScopeSearch,
          )
        : undefined;
    this.roles =
      bundle.rolePolicies.length > 0
        ? requirePart(bundle.roleJudge).rolesOf(bundle.rolePolicies, settings.traced)
        : undefined;
    this.scopesWithRules = new Set(
      [...bundle.resourcePolicies, ...bundle.principalPolicies]
        .filter(({ overridesParent }) => overridesParent)
        .map(({ scope }) => scope),
    );
    const withRules = bundle.rolePolicies.filter((policy) => policy.rules.length > 0);
    this.resourceScopes = new ScopeSet(
      [...bundle.resourcePolicies, ...withRules].map(({ scope }) => scope),
      settings.lenientScopeSearch,
    );
    for (const policy of bundle.resourcePolicies)
      entryOf(this.kinds, policy.kind, () => new KindPolicies(policy.kind)).policies.push(policy);
  }

  /**
   * The policies that apply to a kind, as the request spells it, at the requested scope
   * (docs/spec/policy-language.md#preparing-a-check).
   */
  resourceChain(kind: string, version: string, scope: string): ResourceChain {
    if (scope === '' && version === this.settings.defaultPolicyVersion) return this.rootChain(kind, version);
    const policies = this.kinds.get(kind) ?? this.kindSpelt(kind);
    if (policies === undefined) return this.chainOfUnknownKind(kind, version, scope);
    return policies.chains.get(version)?.get(scope) ?? this.scopedChain(policies, version, scope);
  }

  /** The policies that apply to a resource, in the version and at the scope that it or the settings name. */
  chainOf({ kind, policyVersion, scope }: PlanResourceInput): ResourceChain {
    const { defaultPolicyVersion, defaultScope } = this.settings;
    if (!policyVersion && !scope && defaultScope === '') return this.rootChain(kind, defaultPolicyVersion);
    return this.resourceChain(kind, policyVersion || defaultPolicyVersion, requestedScope(scope, defaultScope));
  }

  private rootChain(kind: string, version: string): ResourceChain {
    if (kind === this.lastKind && this.lastRootChain !== undefined) return this.lastRootChain;
    const chain = this.rootChains.get(kind) ?? this.makeRootChain(kind, version);
    this.lastKind = kind;
    this.lastRootChain = chain;
    return chain;
  }

  private makeRootChain(kind: string, version: string): ResourceChain {
    const policies = this.kinds.get(kind) ?? this.kindSpelt(kind);
    if (policies === undefined) return this.chainOfUnknownKind(kind, version, '');
    const chain = policies.root ?? this.makeChain(policies, version, '');
    policies.root = chain;
    if (kind === policies.kind || this.spellings.has(kind)) this.rootChains.set(kind, chain);
    return chain;
  }

  private kindSpelt(kind: string): KindPolicies | undefined {
    const known = this.spellings.get(kind);
    if (known !== undefined) return known;
    const policies = this.kinds.get(sanitize(kind));
    if (policies !== undefined && this.spellings.size < MAX_SPELLINGS) this.spellings.set(kind, policies);
    return policies;
  }

  private scopedChain(policies: KindPolicies, version: string, scope: string): ResourceChain {
    const first = this.resourceScopes.first(scope);
    if (first === undefined) return policies.nowhere;
    const known = policies.chains.get(version)?.get(first);
    if (known !== undefined) return known;
    const chain = this.makeChain(policies, version, first);
    // A version that no policy of the kind has comes from the request, and is not kept.
    if (this.spareChains > 0 && policies.policies.some((policy) => policy.version === version)) {
      this.spareChains--;
      entryOf(policies.chains, version, () => new Map<string, ResourceChain>()).set(first, chain);
    }
    return chain;
  }

  /** Role policies may apply to it, and scopes are listed whatever the kind. */
  private chainOfUnknownKind(kind: string, version: string, scope: string): ResourceChain {
    const first = this.resourceScopes.first(scope);
    const spelt = sanitize(kind);
    return first === undefined ? emptyChain(spelt) : this.makeChain(new KindPolicies(spelt), version, first);
  }

  private makeChain({ kind, policies }: KindPolicies, version: string, first: string): ResourceChain {
    const scopes = this.resourceScopes.listFrom(first);
    if (scopes.length === 0) return emptyChain(kind);
    return resourceChain({
      kind,
      version,
      scopes,
      policyAt: (scope) => policies.find((policy) => policy.version === version && policy.scope === scope),
      limitsAt: (scope) => this.roles?.limits(version, scope, kind),
      tableOf: (policy) => entryOf(this.tables, policy, () => resourceTable(policy, this.shared)),
      rolesOf: (policy) => roleList(policy, this.shared),
      // With other policies the matched scope or policy would show whether the root denied a role or had no rule for
      // it.
      isAlone: scopes.length === 1 && this.roles === undefined && this.settings.traced === undefined,
    });
  }
}

const MAX_SPELLINGS = 4096;

/** The policies of one kind, all versions and scopes. */
class KindPolicies {
  readonly policies: ResourcePolicy[] = [];
  /** Of the default version at the root, as most requests need it. */
  root: ResourceChain | undefined = undefined;
  /** By version, then by first listed scope. */
  readonly chains = new Map<string, Map<string, ResourceChain>>();

  /** For requests at a scope without policies of any kind. */
  readonly nowhere: ResourceChain;

  constructor(readonly kind: string) {
    this.nowhere = emptyChain(kind);
  }
}
