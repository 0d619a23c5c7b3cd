import type {
  ActionOf,
  AnyPermissions,
  Attributes,
  Effect,
  GrantedResource,
  KindOf,
  OutputValue,
  Permissions,
  PlannedResourceOf,
  PrincipalOf,
  ResourceActionsOf,
  ResourceOf,
  SchemaReference,
  SchemaReferences,
} from '../policy/index.js';
import type { Filter } from '../residual/index.js';

/**
 * One call: may this principal do these actions on these resources (docs/spec/policy-language.md#requests)? Attributes
 * are plain JSON, and names are not empty.
 */
export interface CheckRequest {
  readonly principal: PrincipalInput;
  /** One or more resources. */
  readonly resources: readonly ResourceActions[];
  readonly auxData?: AuxDataInput | undefined;
  /** Whether to return the active derived roles. */
  readonly includeMeta?: boolean | undefined;
  /** The roles of tenants, in place of the engine's: only for engines with `tenants()`. */
  readonly tenants?: TenantDocuments | undefined;
}

/** One action on one resource, for calls in process. */
export interface AccessRequest {
  readonly principal: PrincipalInput;
  readonly resource: ResourceInput;
  readonly action: string;
  readonly auxData?: AuxDataInput | undefined;
  /** Tenants as in a check. */
  readonly tenants?: TenantDocuments | undefined;
}

export interface ResourceActions {
  readonly resource: ResourceInput;
  /** One or more actions; unique. */
  readonly actions: readonly string[];
}

/**
 * The principal. An absent version or scope is the engine's default; the scope `.` is the root
 * (docs/spec/policy-language.md#preparing-a-check).
 */
export interface PrincipalInput {
  readonly id: string;
  /** One or more roles; unique. */
  readonly roles: readonly string[];
  readonly attr?: Attributes | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
  /**
   * Who acts for the principal, each for the one before; at most 8. Only engines with `delegation()` decide requests
   * with actors; others throw (docs/spec/policy-language.md#actors).
   */
  readonly actors?: readonly ActorInput[] | undefined;
}

/** Who acts for a principal: a service, an agent, a tool. Rules and conditions see it as the principal. */
export type ActorInput = Omit<PrincipalInput, 'actors'>;

export interface ResourceInput {
  readonly kind: string;
  readonly id: string;
  readonly attr?: Attributes | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}

/** The claims of verified tokens (docs/spec/conditions.md#token-claims). */
export interface AuxDataInput {
  readonly jwt?: Attributes | undefined;
  readonly jwts?: { readonly [name: string]: { readonly claims: Attributes } } | undefined;
}

/** The decisions about one resource of a request. */
export interface CheckResult {
  /** Actions in the order of the request. */
  readonly actions: readonly ActionDecision[];
  /**
   * The union over the scopes entered, sorted; empty unless the request includes meta
   * (docs/spec/policy-language.md#effective-derived-roles).
   */
  readonly effectiveDerivedRoles: readonly string[];
  /** Outputs in the order of evaluation (docs/spec/policy-language.md#when-outputs-are-emitted). */
  readonly outputs: readonly OutputEntry[];
  /** Those of the principal first (docs/spec/policy-language.md#validation-errors). */
  readonly validationErrors: readonly ValidationError[];
}

export interface ActionDecision {
  readonly action: string;
  /** Whether the effect is ALLOW. */
  readonly allowed: boolean;
  readonly effect: Effect;
  /** `resource.album.vdefault/acme`, or `NO_MATCH` (docs/spec/policy-language.md#matched-policy-and-scope). */
  readonly matchedPolicy: string;
  /** The scope of the rule that decided; also empty if none did. */
  readonly matchedScope: string;
}

/**
 * An output and where it comes from: `<policy key>#<rule name>`
 * (docs/spec/policy-language.md#policy-keys-and-rule-names, docs/spec/policy-language.md#when-outputs-are-emitted).
 */
export type OutputEntry = { readonly src: string; readonly action: string } & OutputValue;

/** An attribute that does not satisfy its schema (docs/spec/policy-language.md#validation-errors). */
export interface ValidationError {
  readonly path: string;
  readonly message: string;
  readonly source: 'SOURCE_PRINCIPAL' | 'SOURCE_RESOURCE';
}

/**
 * One call: on which resources of a kind may this principal do all of these actions (docs/spec/plans.md#plan-request)?
 */
export interface PlanRequest {
  readonly principal: PrincipalInput;
  readonly resource: PlanResourceInput;
  /** One or more actions; unique. */
  readonly actions: readonly string[];
  readonly auxData?: AuxDataInput | undefined;
  /** Tenants as in a check. */
  readonly tenants?: TenantDocuments | undefined;
}

/** The resources of a plan. All of them have the given attributes. */
export type PlanResourceInput = Omit<ResourceInput, 'id'>;

/** The filter of the rows to select, and how it came about. */
export interface PlanResult {
  readonly filter: Filter;
  /** The filter as text, or `NO_MATCH` (docs/spec/plans.md#debug-text); created when it is read. */
  readonly filterDebug: string;
  /**
   * Scopes by action, sorted, the root as the empty string; undefined if no rule was considered
   * (docs/spec/plans.md#plan-response).
   */
  readonly matchedScopes: ReadonlyMap<string, string> | undefined;
  /** Those of the principal first (docs/spec/plans.md#schemas-in-plans). */
  readonly validationErrors: readonly ValidationError[];
  /**
   * Rules that no filter can express: an ALLOW grants nothing, a DENY always applies
   * (docs/spec/plans.md#rules-that-cannot-be-planned).
   */
  readonly unplanned: readonly UnplannedRule[];
}

/**
 * A rule that no filter can express, and why. As an ALLOW it grants nothing, as a DENY it always applies
 * (docs/spec/plans.md#rules-that-cannot-be-planned).
 */
export interface UnplannedRule {
  /** `resource.album.vdefault/acme`. */
  readonly policy: string;
  readonly rule: string;
  readonly reason: string;
}

/** A check with only the kinds, actions and attributes that are in the policies. */
export interface CheckRequestOf<P extends Permissions> extends CheckRequest {
  readonly principal: PrincipalOf<P>;
  readonly resources: readonly ResourceActionsOf<P>[];
}

/** One action of one resource, likewise. */
export interface AccessRequestOf<P extends Permissions, K extends KindOf<P>> extends AccessRequest {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: ResourceOf<P, K>;
  readonly action: ActionOf<P, K>;
}

/**
 * One principal, prepared for many decisions: its roles are resolved once. Create one for each request that your
 * program handles.
 */
export interface PreparedPrincipal<P extends Permissions = AnyPermissions, K extends KindOf<P> = KindOf<P>> {
  /** Whether the principal may do an action on a resource, as `isAllowed`. Does not allocate. */
  can<One extends K>(action: ActionOf<P, One>, resource: ResourceOf<P, One>): boolean;
}

/** A prepared principal for any kind and action. */
export interface UntypedPrincipal {
  can(action: string, resource: ResourceInput): boolean;
}

/** What a principal is prepared with. */
export interface PrincipalOptions {
  readonly auxData?: AuxDataInput | undefined;
  /** Tenants as in a check. */
  readonly tenants?: TenantDocuments | undefined;
}

/**
 * The roles of one tenant, which it defines itself: what each stands for (docs/tenant-roles.md). Plain JSON. It must not
 * be changed once an engine has seen it.
 */
export interface TenantDocument {
  /** Its own name, the segment of its scope: `acme`. */
  readonly tenant: string;
  /** Roles by name, without the prefix that requests have: `translator`. */
  readonly roles: { readonly [name: string]: TenantRole };
}

/**
 * The documents of tenants, by the segment of their scope. Undefined for a tenant without roles. An engine proves each
 * object once.
 */
export type TenantDocuments = (tenant: string) => TenantDocument | undefined;

/** A role of a tenant: roles of the policies, and which of their permissions it has. */
export interface TenantRole {
  /** Description for people. */
  readonly description?: string | undefined;
  /** Roles of the policies. At least one. */
  readonly roles: readonly string[];
  /** Kinds and actions to which it is restricted, with globs; absent: all that the policies let tenants grant. */
  readonly resources?: readonly GrantedResource[] | undefined;
}

/** One action on a resource whose id may be unknown: roles do not depend on it. */
export interface RolesRequest extends Omit<AccessRequest, 'resource'> {
  readonly resource: PlanResourceInput;
}

/** The roles of a principal that its tenant defines. */
export interface DefinedRoles {
  /** Undefined if the principal is in no tenant, or has no roles of one. */
  readonly tenant: string | undefined;
  /** Roles as the request has them, with prefix. */
  readonly roles: readonly string[];
}

/** The roles with which the policies decide, and where they come from. */
export interface DecidingRoles {
  /** The tenant of the principal; undefined if it is in none, or has no roles of one. */
  readonly tenant: string | undefined;
  /** The roles of the principal that are not of a tenant, then those that its roles of the tenant stand for. */
  readonly roles: readonly string[];
  /** What each of its roles of the tenant stands for, for this action; by the role as the request has it. */
  readonly given: ReadonlyMap<string, readonly string[]>;
}

/** One action on a resource, by principals of a scope that are not known. */
export interface GivenRolesRequest extends Omit<RolesRequest, 'principal' | 'auxData'> {
  /** The scope of the principals. */
  readonly scope: string | undefined;
}

/** The roles that roles of tenants give when one action is decided. */
export interface GivenRoles {
  /** How roles of tenants begin. Such a role gives nothing by itself. */
  readonly rolePrefix: string;
  /** The roles of the policies by the role as requests have it; none for a role that gives none. */
  readonly given: ReadonlyMap<string, readonly string[]>;
}

/** A plan, likewise. */
export interface PlanRequestOf<P extends Permissions, K extends KindOf<P>> extends PlanRequest {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: PlannedResourceOf<P, K>;
  readonly actions: readonly ActionOf<P, K>[];
  readonly auxData?: AuxDataInput | undefined;
}

/**
 * The scope of a request, or the default, without a leading dot, so that `.` is the root whatever the default is
 * (docs/spec/policy-language.md#preparing-a-check).
 */
export function requestedScope(scope: string | undefined, defaultScope: string): string {
  return withoutDot(scope === undefined || scope === '' ? defaultScope : scope);
}

/** Throws unless the principal is to be decided about alone: actors that were ignored would be trusted. */
export function refuseActors({ actors }: PrincipalInput): void {
  if (actors !== undefined && !(Array.isArray(actors) && actors.length === 0))
    throw new Error('`actors` needs `use: [delegation()]`');
}

/** A scope as conditions see it (docs/spec/policy-language.md#identifiers). */
export function withoutDot(scope: string): string {
  // Most scopes are empty, so this is tested first; `startsWith` is a call.
  return scope !== '' && scope.charCodeAt(0) === DOT ? scope.slice(1) : scope;
}

const DOT = 0x2e;

interface Attributed {
  readonly attr: Attributes;
}

/** The effect of a schema violation (docs/spec/policy-language.md#enforcement). */
export type SchemaEnforcement = 'none' | 'warn' | 'reject';

/**
 * The violations of the schemas that apply to a request, those of the principal first
 * (docs/spec/policy-language.md#which-schemas-apply).
 */
export function validationErrors(
  schemas: SchemaReferences,
  request: { readonly principal: Attributed; readonly resource: Attributed },
  actions: readonly string[],
): readonly ValidationError[] {
  return [
    ...listErrors(schemas.principal, request.principal.attr, actions, 'SOURCE_PRINCIPAL'),
    ...listErrors(schemas.resource, request.resource.attr, actions, 'SOURCE_RESOURCE'),
  ];
}

/**
 * The same for a plan, where attributes of the resource may be unknown but not missing
 * (docs/spec/plans.md#schemas-in-plans).
 */
export function planErrors(
  schemas: SchemaReferences | undefined,
  request: Parameters<typeof validationErrors>[1],
  actions: readonly string[],
): readonly ValidationError[] {
  if (schemas === undefined) return [];
  return validationErrors(schemas, request, actions).filter(
    ({ source, message }) => source === 'SOURCE_PRINCIPAL' || !message.startsWith('missing properties: '),
  );
}

/** The schema applies to all actions unless all are exempt. */
function listErrors(
  schema: SchemaReference | undefined,
  attributes: Attributes,
  actions: readonly string[],
  source: ValidationError['source'],
): readonly ValidationError[] {
  if (schema === undefined || actions.every((action) => schema.ignores?.(action))) return [];
  return schema.violations(attributes).map(({ path, message }) => ({ path, message, source }));
}
