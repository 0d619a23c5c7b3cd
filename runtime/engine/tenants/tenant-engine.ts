/**
 * Roles that tenants define themselves: each stands for roles of the policies, within what these let tenants grant
 * (docs/spec/policy-language.md#roles-of-tenants).
 */
import { sanitize, type TenantRoles } from '../../policy/index.js';
import { FLAT, type Writing } from '../../residual/index.js';
import { chainOf, isAlone } from '../actors.js';
import type { CompiledBundle } from '../bundle.js';
import type { Explanation } from '../decision-trace.js';
import {
  requireAccess,
  requireAction,
  requireEntries,
  requirePlannable,
  requirePlanned,
  requirePrincipal,
} from '../input.js';
import { PolicyEngine } from '../engine.js';
import type {
  EnginePart,
  ExtensibleEngine,
  PrincipalHandler,
  Settings,
  TenantRolesView,
  UntypedEngine,
} from '../options.js';
import {
  type AccessRequest,
  type ActionDecision,
  type CheckRequest,
  type CheckResult,
  type DecidingRoles,
  type DefinedRoles,
  type GivenRoles,
  type GivenRolesRequest,
  type OutputEntry,
  type PlanRequest,
  type PlanResourceInput,
  type PlanResult,
  type PrincipalInput,
  type PrincipalOptions,
  requestedScope,
  type ResourceActions,
  type RolesRequest,
  type TenantDocument,
  type TenantDocuments,
  type UntypedPrincipal,
} from '../requests.js';
import { intersection, joined } from '../together.js';
import { Grants, type ProvenRoles, type ProvenRole, proveTenantDocument, TenantDocumentError } from './document.js';

/** The options of `tenants`. */
export interface TenantsOptions {
  /** The documents of the tenants; requests may have their own. Absent: tenants have no roles. */
  readonly documents?: TenantDocuments | undefined;
  /** Told once of each document that is refused. Its roles give nothing. */
  readonly onRefused?: ((tenant: string, error: TenantDocumentError) => void) | undefined;
}

/**
 * The part of an engine for policies that let tenants define roles of their own (docs/tenant-roles.md). A check costs as
 * much as one without these roles, or as many as there are different roles for its actions.
 *
 * `createEngine` throws if the policies have no document of `tenantRoles`.
 *
 * @example
 * import { createEngine, tenants } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * const desk = { tenant: 'acme', roles: { desk: { roles: ['editor'] } } };
 * const declared = { ...policies, tenantRoles: { scope: 'tenants', rolePrefix: 'tenant:', grants: [] } };
 * const documents = (tenant: string) => (tenant === 'acme' ? desk : undefined);
 * const engine = createEngine(declared, { use: [tenants({ documents })] });
 * const ann = { id: 'ann', roles: ['tenant:desk'], scope: 'tenants.acme' };
 * console.log(engine.tenants?.definedRoles(ann)); // => { tenant: 'acme', roles: [] }
 */
export function tenants(options: TenantsOptions = {}): EnginePart {
  return (engine) => {
    const tenancy = new Tenancy(engine.bundle, engine.settings, options);
    engine.tenants = tenancy;
    engine.handlers.push(new RolesOfTenants(engine, tenancy));
  };
}

/**
 * The tenants whose documents are needed to decide about a principal and its actors: those of principals that have a
 * role of a tenant. Usually none. Throws as `chainOf`.
 *
 * @example
 * import { tenantsOf } from 'authz/runtime';
 *
 * const declared = { scope: 'tenants', rolePrefix: 'tenant:', grants: [] };
 * console.log(tenantsOf(declared, { id: 'ann', roles: ['tenant:desk'], scope: 'tenants.acme' })); // => [ 'acme' ]
 */
export function tenantsOf(declared: TenantRoles, principal: PrincipalInput, defaultScope = ''): readonly string[] {
  const { actors = NONE } = principal;
  const chain = actors.length === 0 ? [principal] : chainOf(principal);
  const found = chain.flatMap(({ roles, scope }) =>
    roles.some((role) => role.startsWith(declared.rolePrefix))
      ? (tenantIn(declared, requestedScope(scope, defaultScope)) ?? NONE)
      : NONE,
  );
  return found.length < 2 ? found : [...new Set(found)];
}

/**
 * The tenant of a scope: the segment below the scope of all tenants. Undefined for a scope that is not below it, and if
 * the segment has other characters than letters, digits, `_` and `-`, or more than 100.
 */
function tenantIn({ scope: above }: TenantRoles, scope: string): string | undefined {
  const start = above === '' ? 0 : above.length + 1;
  if (above !== '' && !(scope.startsWith(above) && scope[above.length] === '.')) return undefined;
  const end = scope.indexOf('.', start);
  const tenant = scope.slice(start, end === -1 ? undefined : end);
  return TENANT.test(tenant) ? tenant : undefined;
}

const TENANT = /^\w[\w-]{0,99}$/;

/** A principal with roles of its tenant. */
interface Holder {
  /** Its roles that are not of a tenant. */
  readonly shipped: readonly string[];
  /** Undefined if it is in no tenant: then its roles of tenants give nothing. */
  readonly tenant: string | undefined;
  readonly roles: readonly ProvenRole[];
}

/** What principals of tenants have. */
class Tenancy implements TenantRolesView {
  private readonly declared: TenantRoles;
  private readonly grants: Grants;
  private readonly defaultScope: string;
  /** Undefined for one that is refused. Entries go with the documents. */
  private readonly proven = new WeakMap<TenantDocument, ProvenRoles | undefined>();

  constructor(
    { tenantRoles }: CompiledBundle,
    { defaultScope }: Settings,
    private readonly options: TenantsOptions,
  ) {
    if (tenantRoles === undefined)
      throw new Error('the policies have no roles of tenants: add a document of `tenantRoles`, or leave `tenants` out');
    this.declared = tenantRoles;
    this.grants = new Grants(tenantRoles);
    this.defaultScope = defaultScope;
  }

  /** Whether a principal has no roles of a tenant; then policies decide as always. */
  isPlain(principal: PrincipalInput): boolean {
    requirePrincipal(principal);
    const { roles } = principal;
    const { rolePrefix } = this.declared;
    for (let index = 0; index < roles.length; index++) if (roles[index]?.startsWith(rolePrefix)) return false;
    return true;
  }

  makeHolder({ roles, scope }: PrincipalInput, documents = this.options.documents): Holder {
    const { rolePrefix } = this.declared;
    const tenant = tenantIn(this.declared, requestedScope(scope, this.defaultScope));
    const own = tenant === undefined ? undefined : this.findProven(tenant, documents);
    return {
      shipped: roles.filter((role) => !role.startsWith(rolePrefix)),
      tenant,
      roles: roles.flatMap((role) =>
        role.startsWith(rolePrefix) ? (own?.get(role.slice(rolePrefix.length)) ?? NONE) : NONE,
      ),
    };
  }

  /** The roles with which the policies decide about an action, each once. */
  decidingRoles(holder: Holder, resource: PlanResourceInput, action: string): readonly string[] {
    if (!this.isOwn(holder, resource)) return holder.shipped;
    const kind = sanitize(resource.kind);
    const given = holder.roles.flatMap((role) => role.rolesFor(kind, action));
    return given.length === 0 ? holder.shipped : [...new Set([...holder.shipped, ...given])];
  }

  rolesFor({ principal, resource, action, tenants }: RolesRequest): DecidingRoles {
    const isPlain = this.isPlain(principal);
    requirePlanned(resource);
    requireAction(action);
    if (isPlain) return { tenant: undefined, roles: principal.roles, given: new Map() };
    const holder = this.makeHolder(principal, tenants);
    const kind = sanitize(resource.kind);
    const isOwn = this.isOwn(holder, resource);
    return {
      tenant: holder.tenant,
      roles: this.decidingRoles(holder, resource, action),
      given: new Map(holder.roles.map((role) => [this.nameRole(role), isOwn ? role.rolesFor(kind, action) : NONE])),
    };
  }

  definedRoles(principal: PrincipalInput, documents?: TenantDocuments): DefinedRoles {
    if (this.isPlain(principal)) return { tenant: undefined, roles: NONE };
    const { tenant, roles } = this.makeHolder(principal, documents);
    return { tenant, roles: roles.map((role) => this.nameRole(role)) };
  }

  givenRoles({ scope, resource, action, tenants }: GivenRolesRequest): GivenRoles {
    requirePlanned(resource);
    requireAction(action);
    const { rolePrefix } = this.declared;
    const tenant = tenantIn(this.declared, requestedScope(scope, this.defaultScope));
    const own = tenant === undefined ? undefined : this.findProven(tenant, tenants ?? this.options.documents);
    const isOwn =
      own !== undefined && tenantIn(this.declared, requestedScope(resource.scope, this.defaultScope)) === tenant;
    const kind = sanitize(resource.kind);
    const given = isOwn
      ? [...own.values()].map((role) => [this.nameRole(role), role.rolesFor(kind, action)] as const)
      : [];
    return { rolePrefix, given: new Map(given.filter(([, roles]) => roles.length > 0)) };
  }

  private nameRole({ name }: ProvenRole): string {
    return `${this.declared.rolePrefix}${name}`;
  }

  private isOwn({ tenant, roles }: Holder, { scope }: PlanResourceInput): boolean {
    if (tenant === undefined || roles.length === 0) return false;
    return tenantIn(this.declared, requestedScope(scope, this.defaultScope)) === tenant;
  }

  private findProven(tenant: string, documents: TenantDocuments | undefined): ProvenRoles | undefined {
    const document = documents?.(tenant);
    if (document === undefined) return undefined;
    if (this.proven.has(document)) return this.proven.get(document);
    let roles: ProvenRoles | undefined;
    try {
      roles = proveTenantDocument(document, tenant, this.grants);
    } catch (error) {
      if (!(error instanceof TenantDocumentError)) throw error;
      this.options.onRefused?.(tenant, error);
    }
    if (typeof document === 'object' && document !== null) this.proven.set(document, roles);
    return roles;
  }
}

/** Decides about principals with roles of tenants by an engine that sees the roles that these stand for. */
class RolesOfTenants implements PrincipalHandler {
  /** Decides with the roles that it is given, also those that look like roles of tenants. */
  private readonly engine: UntypedEngine;
  private readonly writing: Writing;

  constructor(
    private readonly whole: ExtensibleEngine,
    private readonly tenants: Tenancy,
  ) {
    const { bundle, settings, registry } = whole;
    this.engine = new PolicyEngine(bundle, settings, registry, undefined, true);
    this.writing = settings.plan ?? FLAT;
  }

  /** Not of a principal with actors: those would be ignored. */
  handles(principal: PrincipalInput): boolean {
    return isAlone(principal) && !this.tenants.isPlain(principal);
  }

  check(request: CheckRequest): readonly CheckResult[] {
    requireEntries(request.resources);
    const parts = splitRequest(this.tenants, request);
    return this.engine.asOne(() => {
      const results = parts.map(({ request: part }) => this.engine.check(part));
      return request.resources.map((entry, index) => joinResults(entry, index, parts, results));
    });
  }

  isAllowed(request: AccessRequest): boolean {
    const { tenants } = this;
    requireAccess(request.resource, request.action);
    const holder = tenants.makeHolder(request.principal, request.tenants);
    const roles = tenants.decidingRoles(holder, request.resource, request.action);
    return this.engine.isAllowed({ ...request, principal: withRoles(request.principal, roles) });
  }

  plan(request: PlanRequest): PlanResult {
    requirePlannable(request);
    return this.engine.asOne(() => {
      const plans = plannedParts(this.tenants, request).map((part) => this.engine.plan(part));
      const [first] = plans;
      return first !== undefined && plans.length === 1 ? first : planOfAll(plans, this.writing);
    });
  }

  for(principal: PrincipalInput, options: PrincipalOptions = {}): UntypedPrincipal {
    const { tenants, engine } = this;
    const holder = tenants.makeHolder(principal, options.tenants);
    const prepared = new Map<string, UntypedPrincipal>();
    return {
      can: (action, resource) => {
        requireAccess(resource, action);
        const roles = tenants.decidingRoles(holder, resource, action);
        const key = JSON.stringify(roles);
        const known = prepared.get(key) ?? engine.for(withRoles(principal, roles), options);
        prepared.set(key, known);
        return known.can(action, resource);
      },
    };
  }

  explain(request: CheckRequest | PlanRequest): Explanation {
    const { tenants, engine } = this;
    const { explanation } = this.whole;
    if (explanation === undefined) throw new Error('`explain` needs `use: [explanations()]`');
    if (!('resources' in request))
      return engine.asOne(() => joined(plannedParts(tenants, request).map(explanation), mergeLists));
    const parts = splitRequest(tenants, request);
    const count = request.resources.length;
    return engine.asOne(() =>
      joined(
        parts.map((part) => amongAll(explanation(part.request), part, count)),
        mergeLists,
      ),
    );
  }
}

/** The actions of a check that are decided with the same roles, as a check. */
interface Part {
  readonly request: CheckRequest;
  /** Entries for each resource of the whole check: its place in this one, and the actions that this one decides. */
  readonly entries: ReadonlyMap<number, { readonly place: number; readonly actions: Set<string> }>;
}

/**
 * A check, by the roles with which its actions are decided. Each part asks about all actions of a resource, because
 * whether schemas apply depends on all of them, and decides only some.
 */
function splitRequest(tenants: Tenancy, request: CheckRequest): readonly Part[] {
  const holder = tenants.makeHolder(request.principal, request.tenants);
  const byRoles = new Map<string, { roles: readonly string[]; entries: Map<number, Set<string>> }>();
  for (const [index, { resource, actions }] of request.resources.entries()) {
    for (const action of actions) {
      const roles = tenants.decidingRoles(holder, resource, action);
      const key = JSON.stringify(roles);
      const part = byRoles.get(key) ?? { roles, entries: new Map() };
      byRoles.set(key, part);
      part.entries.set(index, (part.entries.get(index) ?? new Set()).add(action));
    }
  }
  return [...byRoles.values()].map(({ roles, entries }) => ({
    request: {
      ...request,
      principal: withRoles(request.principal, roles),
      resources: [...entries.keys()].map((index) => request.resources[index] as ResourceActions),
    },
    entries: new Map([...entries].map(([index, actions], place) => [index, { place, actions }])),
  }));
}

/** What the parts of a check decide about one resource. */
function joinResults(
  { actions }: ResourceActions,
  index: number,
  parts: readonly Part[],
  results: readonly (readonly CheckResult[])[],
): CheckResult {
  const decisions = new Map<string, ActionDecision>();
  const outputs: OutputEntry[] = [];
  const derivedRoles: (readonly string[])[] = [];
  let validationErrors: CheckResult['validationErrors'] = NONE;
  for (const [number, { entries }] of parts.entries()) {
    const entry = entries.get(index);
    if (entry === undefined) continue;
    const result = results[number]?.[entry.place] as CheckResult;
    for (const decision of result.actions)
      if (entry.actions.has(decision.action)) decisions.set(decision.action, decision);
    outputs.push(...result.outputs.filter(({ action }) => entry.actions.has(action)));
    derivedRoles.push(result.effectiveDerivedRoles);
    // They do not depend on roles.
    validationErrors = result.validationErrors;
  }
  const places = new Map(actions.map((action, place) => [action, place]));
  return {
    actions: actions.map((action) => decisions.get(action) as ActionDecision),
    effectiveDerivedRoles: mergeLists(derivedRoles),
    outputs: outputs.sort((a, b) => (places.get(a.action) as number) - (places.get(b.action) as number)),
    validationErrors,
  };
}

/** A plan, by the roles with which its actions are decided. */
function plannedParts(tenants: Tenancy, request: PlanRequest): readonly PlanRequest[] {
  const holder = tenants.makeHolder(request.principal, request.tenants);
  const byRoles = new Map<string, { roles: readonly string[]; actions: string[] }>();
  for (const action of request.actions) {
    const roles = tenants.decidingRoles(holder, request.resource, action);
    const key = JSON.stringify(roles);
    const part = byRoles.get(key) ?? { roles, actions: [] };
    byRoles.set(key, part);
    part.actions.push(action);
  }
  return [...byRoles.values()].map(({ roles, actions }) => ({
    ...request,
    principal: withRoles(request.principal, roles),
    actions,
  }));
}

/** All actions must be allowed, each with its roles. */
function planOfAll(plans: readonly PlanResult[], writing: Writing): PlanResult {
  const scopes = plans.flatMap(({ matchedScopes }) => [...(matchedScopes ?? NONE)]);
  const isMatched = plans.some(({ matchedScopes }) => matchedScopes !== undefined);
  const errors = new Map(
    plans.flatMap(({ validationErrors }) => validationErrors.map((error) => [JSON.stringify(error), error] as const)),
  );
  return intersection(plans, writing, {
    matchedScopes: isMatched ? new Map(scopes.sort(([a], [b]) => (a < b ? -1 : 1))) : undefined,
    validationErrors: [...errors.values()],
  });
}

/** An explanation of a part, with lists for all resources of the check. */
function amongAll(explanation: Explanation, { entries }: Part, count: number): Explanation {
  const { evaluationErrors, effectiveDerivedRoles } = explanation;
  if (effectiveDerivedRoles === undefined) return explanation;
  const atPlaces = <Item>(lists: readonly (readonly Item[])[]): readonly (readonly Item[])[] =>
    Array.from({ length: count }, (_, index) => lists[entries.get(index)?.place ?? -1] ?? NONE);
  return {
    ...explanation,
    evaluationErrors: atPlaces(evaluationErrors),
    effectiveDerivedRoles: atPlaces(effectiveDerivedRoles),
  };
}

/** Field by field, as a spread leaves out the accessors of a class. */
function withRoles({ id, attr, policyVersion, scope }: PrincipalInput, roles: readonly string[]): PrincipalInput {
  return { id, roles, attr, policyVersion, scope };
}

/** The union, sorted. */
function mergeLists(lists: readonly (readonly string[])[]): readonly string[] {
  return lists.length === 1 ? (lists[0] as readonly string[]) : [...new Set(lists.flat())].sort();
}

const NONE: readonly never[] = [];
