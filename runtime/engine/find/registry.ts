import {
  type PolicyBundle,
  type PolicyLists,
  type PrincipalPolicy,
  type ResourcePolicy,
  sanitize,
  type TracedBundle,
} from '../../policy/index.js';
import { requirePlanned, requireText } from '../input.js';
import {
  type PlanResourceInput,
  type PrincipalInput,
  requestedScope,
  type ResourceInput,
  type SchemaEnforcement,
} from '../requests.js';
import {
  type DecidingChain,
  emptyChain,
  FEW_ROLES,
  type PrincipalChain,
  type PrincipalFinder,
  type Principals,
  type ResourceChain,
  resourceChain,
  roleClasses,
  type RoleClasses,
  type RoleFinder,
  type Roles,
  ScopeSet,
} from './chains.js';
import { findOrMake, roleList, type RuleTable, ruleTable, type SharedFacts } from './tables.js';

/** The settings that select policies. */
export interface FindSettings {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  readonly schemaEnforcement: SchemaEnforcement;
  /** Only in strict evaluation. */
  readonly traced: TracedBundle | undefined;
}

/** A bundle with the parts that find its principal and role policies. */
export interface Findable extends PolicyBundle {
  /**
   * Present in a large bundle, which makes the policies of a scope when a request first names it. Reading one of the
   * lists of such a bundle makes the policies of all scopes.
   */
  readonly scoped?: ScopedPolicies | undefined;
  readonly principalJudge?: PrincipalFinder | undefined;
  readonly roleJudge?: RoleFinder | undefined;
}

/** The policies of a bundle that makes those of scopes on demand (runtime/engine/find/scoped-policies.ts). */
export interface ScopedPolicies {
  /** The policies of the root scope. */
  readonly root: PolicyLists;
  /** The scopes with policies, without the root. */
  readonly scopes: readonly string[];
  /**
   * Tells a registry of the policies of the root which scopes there are, and adds the policies of a scope to it when
   * they are needed.
   *
   * @param onLoad called with the policies of each scope that is added.
   */
  readonly open: (registry: Registry, bundle: Findable, onLoad: OnLoad | undefined) => void;
}

/** Called with policies that are added to a registry. */
export type OnLoad = (policies: PolicyLists) => void;

/** The versions and scopes of a request, or the defaults of the settings. */
export interface Place {
  /** Version of the resource. It also selects principal and role policies (docs/spec/policy-language.md#versions). */
  readonly version: string;
  readonly scope: string;
  readonly principalVersion: string;
  readonly principalScope: string;
}

/** The versions and scopes of a request. */
export function makePlace(
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
  /** Each role with ancestors in role policies: the role and its ancestors. */
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
  const place = makePlace(settings, principal, resource);
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
  principals: Principals | undefined;
  /** Undefined if no role has a policy. */
  roles: Roles | undefined;
  /**
   * The scopes whose resource or principal policies do not need consent: those that plans name
   * (docs/spec/plans.md#matched-scopes).
   */
  readonly scopesWithRules = new Set<string>();
  /** Whether a rule of these policies has an output. */
  hasOutputs = false;
  readonly resourceScopes: ScopeSet;
  readonly shared: SharedFacts;
  private readonly kinds = new Map<string, KindPolicies>();
  private readonly tables = new Map<ResourcePolicy, RuleTable>();
  /**
   * Policies by kind as requests spell it (`leave-request` for `leave_request`). A kind has many spellings, so their
   * number is bounded.
   */
  private readonly spellings = new Map<string, KindPolicies>();
  /** The chains of most requests: of the default version, at the root. By kind as in `kinds` and `spellings`. */
  private readonly rootChains = new Map<string, ResourceChain>();
  /** The latest chain: the next resource of a request mostly has the same kind. */
  private lastKind = '';
  private lastRootChain: ResourceChain | undefined = undefined;
  /** Those of them that decide about requests as they are given, and the latest of these. */
  private readonly usualChains = new Map<string, DecidingChain>();
  private lastUsualChain: DecidingChain | undefined = undefined;
  /**
   * Bounds the memory of policies times scopes; chains beyond it are built for each request. A chain that begins with a
   * policy of its kind does not count: there are no more of them than policies.
   */
  private spareChains = 50_000;

  /** @param onLoad called with the policies that are there, then with those of each scope that is loaded. */
  constructor(
    bundle: Findable,
    readonly settings: FindSettings,
    onLoad?: OnLoad,
  ) {
    const { scoped } = bundle;
    const { traced, lenientScopeSearch } = settings;
    const root = scoped?.root ?? bundle;
    const { resourcePolicies, principalPolicies, rolePolicies } = root;
    this.shared = { roleLists: new Map(), traced };
    this.principals =
      principalPolicies.length > 0
        ? requirePart(bundle.principalJudge).principalsOf(principalPolicies, this.shared, lenientScopeSearch)
        : undefined;
    this.roles = rolePolicies.length > 0 ? requirePart(bundle.roleJudge).rolesOf(rolePolicies, this.shared) : undefined;
    this.resourceScopes = new ScopeSet(lenientScopeSearch);
    for (const { rules, scope } of rolePolicies) if (rules.length > 0) this.resourceScopes.add(scope);
    this.add([...resourcePolicies, ...principalPolicies]);
    onLoad?.(root);
    scoped?.open(this, bundle, onLoad);
  }

  /**
   * The policies that apply to a kind, as the request spells it, at the requested scope
   * (docs/spec/policy-language.md#preparing-a-check).
   */
  resourceChain(kind: string, version: string, scope: string): ResourceChain {
    if (scope === '' && version === this.settings.defaultPolicyVersion) return this.rootChain(kind, version);
    return this.findKind(kind)?.versions.get(version)?.chains.get(scope) ?? this.scopedChain(kind, version, scope);
  }

  /** The policies that apply to a resource, in the version and at the scope that it or the settings name. */
  findChain(resource: PlanResourceInput): ResourceChain {
    const { kind, policyVersion, scope } = resource;
    const { defaultPolicyVersion, defaultScope } = this.settings;
    if (policyVersion === undefined && scope === undefined && defaultScope === '')
      return this.rootChain(kind, defaultPolicyVersion);
    requirePlanned(resource);
    return this.resourceChain(kind, policyVersion || defaultPolicyVersion, requestedScope(scope, defaultScope));
  }

  /**
   * The chain of a usual request: without versions, scopes and actors, about a kind of which one function decides, whoever
   * asks. Undefined for others and for requests that are not valid, and before `findChain` has found it. The roles are
   * tested by those who read them.
   */
  findUsual(principal: PrincipalInput, resource: ResourceInput, action: string): DecidingChain | undefined {
    const { id, policyVersion, scope, actors } = principal;
    return policyVersion === undefined &&
      scope === undefined &&
      actors === undefined &&
      // `isName`, written out: a call is longer in bytecode, and V8 inlines only so much.
      typeof id === 'string' &&
      id !== '' &&
      typeof action === 'string' &&
      action !== '' &&
      this.principals?.has(id) !== true
      ? this.findAlone(resource)
      : undefined;
  }

  /** The same for a principal and an action that are usual. */
  findAlone({ kind, id, policyVersion, scope }: ResourceInput): DecidingChain | undefined {
    if (policyVersion !== undefined || scope !== undefined || typeof id !== 'string' || id === '') return undefined;
    return kind === this.lastKind ? this.lastUsualChain : this.usualChains.get(kind);
  }

  private rootChain(kind: string, version: string): ResourceChain {
    if (kind === this.lastKind && this.lastRootChain !== undefined) return this.lastRootChain;
    const chain = this.rootChains.get(kind) ?? this.makeRootChain(kind, version);
    this.lastKind = kind;
    this.lastRootChain = chain;
    this.lastUsualChain = this.usualChains.get(kind);
    return chain;
  }

  private makeRootChain(kind: string, version: string): ResourceChain {
    const { settings } = this;
    requireText(kind, 'resource', '.kind');
    const chain = this.scopedChain(kind, version, '');
    if (this.kinds.has(kind) || this.spellings.has(kind)) {
      this.rootChains.set(kind, chain);
      if (chain.decideAsGiven !== undefined && settings.defaultScope === '' && settings.schemaEnforcement !== 'reject')
        this.usualChains.set(kind, chain as DecidingChain);
    }
    return chain;
  }

  private findKind(kind: string): KindPolicies | undefined {
    return this.kinds.get(kind) ?? this.kindSpelt(kind);
  }

  private kindSpelt(kind: string): KindPolicies | undefined {
    const known = this.spellings.get(kind);
    if (known !== undefined) return known;
    const policies = this.kinds.get(sanitize(kind));
    if (policies !== undefined && this.spellings.size < MAX_SPELLINGS) this.spellings.set(kind, policies);
    return policies;
  }

  private scopedChain(kind: string, version: string, scope: string): ResourceChain {
    const first = this.resourceScopes.first(scope);
    if (first !== undefined) this.shared.load?.(first);
    // Role policies may apply to an unknown kind, and scopes are listed whatever the kind.
    const { nowhere, versions } = this.findKind(kind) ?? kindPolicies(sanitize(kind));
    if (first === undefined) return nowhere;
    const own = versions.get(version);
    const known = own?.chains.get(first);
    if (known !== undefined) return known;
    const chain = this.makeChain(nowhere.kind, version, first, own);
    // A version that no policy of the kind has comes from the request, and is not kept.
    if (own !== undefined && (own.policies.has(first) || this.spareChains-- > 0)) own.chains.set(first, chain);
    return chain;
  }

  private makeChain(kind: string, version: string, first: string, own: VersionPolicies | undefined): ResourceChain {
    const scopes = this.resourceScopes.listFrom(first);
    return resourceChain({
      kind,
      version,
      scopes,
      policyAt: (scope) => own?.policies.get(scope),
      limitsAt: (scope) => this.roles?.limits(version, scope, kind),
      tableOf: (policy) => findOrMake(this.tables, policy, () => ruleTable(policy, this.shared)),
      rolesOf: (policy) => roleList(policy, this.shared),
      // With other policies the matched scope or policy would show whether the root denied a role or had no rule for
      // it.
      isAlone: scopes.length === 1 && this.roles === undefined && this.settings.traced === undefined,
    });
  }

  /** Adds policies of listed scopes. `principals` and `roles` have their own. */
  add(policies: readonly (ResourcePolicy | PrincipalPolicy)[]): void {
    for (const policy of policies) {
      if (policy.overridesParent) this.scopesWithRules.add(policy.scope);
      if (policy.hasOutputs) this.hasOutputs = true;
      if (!('kind' in policy)) continue;
      this.resourceScopes.add(policy.scope);
      const { versions } = findOrMake(this.kinds, policy.kind, () => kindPolicies(policy.kind));
      const own = findOrMake(versions, policy.version, () => ({ policies: new Map(), chains: new Map() }));
      own.policies.set(policy.scope, policy);
    }
  }
}

const MAX_SPELLINGS = 4096;

/** The policies of one kind. */
interface KindPolicies {
  /** The chain of requests at a scope without policies of any kind. */
  readonly nowhere: ResourceChain;
  readonly versions: Map<string, VersionPolicies>;
}

/** The policies of one kind and version. */
interface VersionPolicies {
  /** Policies by scope. */
  readonly policies: Map<string, ResourcePolicy>;
  /** Chains by first listed scope. */
  readonly chains: Map<string, ResourceChain>;
}

function kindPolicies(kind: string): KindPolicies {
  return { nowhere: emptyChain(kind), versions: new Map() };
}
