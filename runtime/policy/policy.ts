/**
 * The contract between generated code and the engine: policies as data, conditions as functions. Generated modules
 * create these objects once, at load; they never change after that.
 */

import type { Algebra, Condition as Residual, Row, Term } from '../residual/index.js';
import type { Failures } from '../../packages/cel/runtime/index.js';
import type { BundleFacts } from './read-set.js';
import type { SchemaViolation } from '../../packages/json-schema/violation.js';

/** 1: grant. */
export const ALLOW = 1;
/** 2: refuse. */
export const DENY = 2;
export type Effect = typeof ALLOW | typeof DENY;

/**
 * The variables of conditions in a check (docs/spec/conditions.md#variables-in-scope). The engine has one object and
 * fills it again for each resource.
 */
export interface Request {
  principal: Principal;
  resource: Resource;
  auxData: AuxData;
  /** The active derived roles of the scope being judged, sorted (docs/spec/policy-language.md#derived-roles). */
  effectiveDerivedRoles: readonly string[];
  /**
   * Strict evaluation only: derived roles whose condition failed; reading `runtime` then fails
   * (docs/spec/policy-language.md#strict-evaluation).
   */
  failedDerivedRoles: readonly string[];
  /** `engine.globals`; an integer of the configuration is a bigint. */
  globals: Attributes;
  /** The one instant of the whole call (docs/spec/conditions.md#the-current-time). */
  now: Instant;
  /** Collects the failures of traced conditions for explanations; undefined while a response is computed. */
  failures?: Failures | undefined;
}

/** Plain JSON. Only own properties are attributes. */
// biome-ignore lint/suspicious/noExplicitAny: attributes that an application sends are any JSON.
export type Attributes = { readonly [name: string]: any };

export interface Principal {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: Attributes;
  /** The version as the caller sent it; empty when absent (docs/spec/conditions.md#defaults). */
  readonly policyVersion: string;
  /** The scope as the caller sent it, without a leading dot; empty when absent. */
  readonly scope: string;
}

export interface Resource {
  readonly kind: string;
  readonly id: string;
  readonly attr: Attributes;
  readonly policyVersion: string;
  readonly scope: string;
}

/** Verified token claims (docs/spec/conditions.md#token-claims). */
export interface AuxData {
  readonly jwt: Attributes;
  readonly jwts: { readonly [name: string]: { readonly claims: Attributes } };
}

/** A moment: seconds since 1970 (an integer), nanoseconds 0 to 999,999,999, minutes east of UTC of the server. */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
  readonly offset: number;
}

/**
 * The variables of conditions in a plan: the principal is known, and of the resource the properties that all rows share
 * (docs/spec/plans.md#known-and-unknown).
 */
export interface Query extends Request {
  /** The row that is not known yet, with the attributes the request lists. */
  readonly row: Row;
  /** `runtime.effectiveDerivedRoles` of the scope being planned: the roles that may be active. */
  derivedRoles: Term;
}

/**
 * A condition before the resource is known, put together by an algebra: that of lenient evaluation makes a filter of the
 * resources that are yet to be found.
 */
export type PlannedCondition = <C>(query: Query, algebra: Algebra<C>) => C;

/**
 * The residuals of conditions for a plan, by the object that has the condition. A rule through a derived role is listed
 * with its own condition, without that of the role. The filter of a derived role may be followed by another one, for
 * its condition while derived roles are listed (`whenListed`).
 */
export type Filters = readonly (readonly [
  conditional: Rule | RoleRule | DerivedRole,
  filter: PlannedCondition,
  filterListed?: PlannedCondition,
])[];

/**
 * An output as the result of an evaluation: a JSON value, or the text of the expression that failed
 * (docs/spec/policy-language.md#outputs).
 */
export type OutputValue = { readonly val: unknown } | { readonly error: string };

/** The `output` of a rule. */
export interface Output {
  readonly ruleActivated?: (request: Request) => OutputValue;
  readonly conditionNotMet?: (request: Request) => OutputValue;
}

/**
 * A rule as lowered: one for the plain roles of an authored rule and one for each of its derived roles
 * (docs/spec/policy-language.md#how-derived-roles-are-used). Under parental consent a conditional ALLOW is lowered to
 * the DENY it amounts to (docs/spec/policy-language.md#effect-of-a-rule).
 */
export interface Rule {
  /** The name in outputs: the author's, or `rule-001` (docs/spec/policy-language.md#policy-keys-and-rule-names). */
  readonly name: string;
  readonly effect: Effect;
  /** The roles it applies to, as bits 0 to 29 of its policy; -1 is everyone. */
  readonly roles: number;
  /** Whether a role is one of the rule's; only in a policy with more than 30 roles: there roles share bits. */
  readonly among?: Matcher;
  /** The actions that it applies to: names, and at most one glob, which stands for all globs of the author. */
  readonly actions: readonly Pattern[];
  /** The kind that a rule of a principal policy applies to, sanitised. */
  readonly resource?: Pattern;
  /**
   * Its own condition: a rule with a derived role applies where that of the role holds as well. Never throws: an
   * expression that cannot be evaluated does not hold. Called without `this`. Absent if it has none.
   */
  readonly when?: ((request: Request) => boolean) | undefined;
  /** The derived role it goes through. */
  readonly derivedRole?: DerivedRole;
  readonly output?: Output;
  /**
   * The number of rows of the reference that this rule represents: outputs are repeated for each row
   * (docs/spec/policy-language.md#when-outputs-are-emitted). Absent if it is the number of its roles that a request
   * matches, one bit each. Otherwise present with an output. The roles are one request role and its ancestors by role
   * policies; only called if the rule applies to one of them, so at least 1.
   */
  readonly rows?: (action: string, roles: readonly string[]) => number;
  /**
   * Rules with equal memo share the first result of a check (docs/spec/policy-language.md#rules-that-share-a-name);
   * absent if the difference is not observable.
   */
  readonly memo?: string;
  /** The key of its traced condition, unless it is the one of its name. */
  readonly traced?: string;
}

/**
 * A derived role (docs/spec/policy-language.md#derived-roles).
 */
export interface DerivedRole {
  /** `derived_roles.common_roles#owner`. */
  readonly key: string;
  readonly name: string;
  /**
   * Its condition for a rule that names it (docs/spec/policy-language.md#rules-with-derived-roles). Never throws;
   * `always` if it has none.
   */
  when(request: Request): boolean;
  /**
   * Its condition for `runtime.effectiveDerivedRoles` (use 1), where a failed variable reads as null
   * (docs/spec/policy-language.md#evaluating-variables); absent if the difference is not observable.
   */
  readonly whenListed?: ((request: Request) => boolean) | undefined;
  /** Exact names; `*` is everyone. */
  readonly parentRoles: ReadonlySet<string>;
}

interface ScopedPolicy {
  /** `resource.album.vdefault/acme` (docs/spec/policy-language.md#policy-keys-and-rule-names). */
  readonly key: string;
  readonly version: string;
  readonly scope: string;
  /** False: REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS. */
  readonly overridesParent: boolean;
}

/** One resource policy document. */
export interface ResourcePolicy extends ScopedPolicy {
  /** Sanitised (docs/spec/policy-language.md#sanitized-names). */
  readonly kind: string;
  /** The bits of each role of the policy, including the globs that match it. */
  readonly roles: ReadonlyMap<string, number>;
  /** Globs for any other role, with the bits that a match sets. */
  readonly roleGlobs: readonly RoleGlob[];
  /** Rules in the order of the policy. The engine looks up those of an action when it is first asked about it. */
  readonly rules: readonly Rule[];
  /** The union of the rules' bits. */
  readonly reach: number;
  /** The derived roles that its rules name, sorted by name. */
  readonly derivedRoles: readonly DerivedRole[];
  /** Whether a rule has an output. */
  readonly hasOutputs: boolean;
  /** Whether a condition (including those of its derived roles) or an output reads `runtime`. */
  readonly readsRuntime: boolean;
  /** Only the root scope's are used (docs/spec/policy-language.md#which-schemas-apply). */
  readonly schemas?: SchemaReferences | undefined;
  /**
   * Its rules as one function, where a principal's roles can be decided together: whether a rule allows the action and
   * none denies it. For decisions where only the effect counts; absent if the engine has to walk the rules.
   */
  readonly decide?: Decide | undefined;
  /** Whether `decide` reads versions or scopes, which have to be filled in if a request leaves them out. */
  readonly readsPlace?: boolean | undefined;
}

/**
 * Whether a principal may do an action.
 * @param roles the bits of all its roles together.
 */
export type Decide = (roles: number, action: string, request: Request) => boolean;

export interface RoleGlob {
  readonly matches: Matcher;
  readonly bits: number;
}

/** Whether a glob matches a string (docs/spec/policy-language.md#globs). */
export type Matcher = (text: string) => boolean;

/** A name, `*` for every name, or other globs as a function, so that only policies with globs load their code. */
export type Pattern = string | Matcher;

/** One principal policy document. Its rules apply to everyone (roles -1). */
export interface PrincipalPolicy extends ScopedPolicy {
  readonly principal: string;
  /** Rules in the order of the policy; each has a resource. */
  readonly rules: readonly Rule[];
  readonly hasOutputs: boolean;
  readonly readsRuntime: boolean;
}

/** One role policy document: it can only restrict (docs/spec/policy-language.md#role-policies). */
export interface RolePolicy {
  /** `role.clerk.vdefault/acme`. */
  readonly key: string;
  readonly role: string;
  readonly version: string;
  readonly scope: string;
  readonly parentRoles: readonly string[];
  readonly rules: readonly RoleRule[];
  readonly hasOutputs: boolean;
  readonly readsRuntime: boolean;
}

/** One rule of a role policy. */
export interface RoleRule {
  /** Empty if the author did not set one. */
  readonly name: string;
  /**
   * Whether it applies to a kind (the sanitized kind of the request; the resource of the rule is not sanitized).
   */
  readonly covers: Matcher;
  readonly allows: Matcher;
  /** Absent: unconditional. */
  readonly when?: (request: Request) => boolean;
  readonly output?: Output;
  readonly memo?: string;
}

/** The JSON schemas of a resource policy. */
export interface SchemaReferences {
  readonly principal?: SchemaReference;
  readonly resource?: SchemaReference;
}

export interface SchemaReference {
  readonly ref: string;
  /** Whether an action is exempt (`ignoreWhen`). Absent: none is. */
  readonly ignores?: Matcher;
  /** All leaf violations of the attributes; empty when they satisfy the schema. */
  readonly violations: (attributes: Attributes) => readonly SchemaViolation[];
  /**
   * The same for a plan: the rows whose attributes satisfy the schema, given the facts that they satisfy anyway. Absent
   * if policies were compiled for checks only, and for principals.
   */
  readonly where?: (row: Row, facts: Residual) => Residual;
}

/**
 * Which roles tenants may give to roles of their own, and what these then allow at most
 * (docs/spec/policy-language.md#tenantroles).
 */
export interface TenantRoles {
  /** The scope above those of the tenants: `tenants` if they are `tenants.acme` and so on; empty: the root. */
  readonly scope: string;
  /** How the roles of tenants begin in requests: `tenant:`. */
  readonly rolePrefix: string;
  /** A role may have several. */
  readonly grants: readonly {
    readonly role: string;
    readonly resources: readonly GrantedResource[];
  }[];
}

/** Actions on a kind of resource, both with globs. */
export interface GrantedResource {
  readonly resource: string;
  readonly actions: readonly string[];
}

/** Policies by type. */
export interface PolicyLists {
  readonly resourcePolicies: readonly ResourcePolicy[];
  readonly principalPolicies: readonly PrincipalPolicy[];
  readonly rolePolicies: readonly RolePolicy[];
  /**
   * The residuals of the conditions of all policies. Absent if there are none, and if policies were compiled for checks
   * only. Anything else cannot be planned.
   */
  readonly filters?: readonly Filters[];
}

/** The `policies` export of a compiled bundle. */
export interface PolicyBundle extends PolicyLists {
  /** Hash of its policies: hexadecimal, for logs and ServerInfo. */
  readonly hash: string;
  /** Absent if tenants have no roles of their own. */
  readonly tenantRoles?: TenantRoles | undefined;
  /** What decisions read; present if the policies were compiled with `--facts`. */
  readonly facts?: BundleFacts | undefined;
}

/** Makes the policies that apply at a scope, as a request names it, unless they were made before. */
export type LoadScope = (scope: string) => void;

/**
 * A condition of the second emission: whether it holds, or the text of the expression that failed. A value that is not
 * a boolean does not hold (docs/spec/policy-language.md#results-of-conditions).
 */
export type TracedCondition = (request: Request) => boolean | string;

/**
 * The second emission of a bundle, for strict evaluation and for explaining. The key of a rule is `<policy key>#<rule
 * name>`, with `@<derived role>` if it has one; that of a derived role is its `key`, and that of a role rule `<policy
 * key>#<index>`. An unconditional one is absent.
 */
export interface TracedBundle {
  /** The file of each policy, by key, relative to the policy folder. */
  readonly sources?: ReadonlyMap<string, string>;
  readonly conditions: ReadonlyMap<string, TracedCondition>;
  /** Adds the conditions of a scope to these maps, where they are made on demand. */
  readonly load?: LoadScope;
}
