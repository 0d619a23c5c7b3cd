import type { Source } from '../diagnostics/source.js';
import type { Located, Place, Span } from '../diagnostics/span.js';
import type { Expr } from '../../packages/cel/ast/expr.js';
import type { SyntaxError } from '../../packages/cel/ast/syntax-error.js';

/**
 * One policy document with a valid structure: the output of `parse` and input of `link`
 * (docs/spec/policy-language.md#document-fields).
 */
export interface PolicyFile {
  readonly source: Source;
  /** The whole document: its anchor is the colon after the first key (docs/spec/policy-language.md#reports). */
  readonly place: Place;
  readonly disabled: boolean;
  readonly description: string;
  readonly annotations: Readonly<Record<string, string>>;
  /**
   * The deprecated top-level `variables`, merged into the local variables of the policy
   * (docs/spec/policy-language.md#compiling-variables-and-constants).
   */
  readonly legacyVariables: readonly VariableDefinition[];
  readonly policy: Policy;
}

export type Policy =
  | ResourcePolicy
  | PrincipalPolicy
  | RolePolicy
  | DerivedRoles
  | ExportVariables
  | ExportConstants
  | Invariants
  | TenantRoles;

/** ALLOW/DENY rules for one resource kind, per version and scope (docs/spec/policy-language.md#resourcepolicy). */
export interface ResourcePolicy {
  readonly kind: 'resource';
  readonly resource: Located<string>;
  readonly version: Located<string>;
  readonly scope: string;
  readonly scopePermissions: ScopePermissions;
  readonly importDerivedRoles: readonly Located<string>[];
  readonly variables: Variables;
  readonly constants: Constants;
  readonly rules: readonly ResourceRule[];
  readonly schemas: Schemas | undefined;
}

export type ScopePermissions = 'unspecified' | 'override-parent' | 'require-parental-consent';
export type Effect = 'allow' | 'deny';

export interface ResourceRule {
  readonly place: Place;
  readonly name: Located<string> | undefined;
  readonly actions: readonly Located<string>[];
  readonly effect: Effect;
  readonly roles: readonly Located<string>[];
  readonly derivedRoles: readonly Located<string>[];
  readonly condition: Condition | undefined;
  readonly output: Output | undefined;
}

/** Overrides for one principal id (docs/spec/policy-language.md#principalpolicy). */
export interface PrincipalPolicy {
  readonly kind: 'principal';
  readonly principal: Located<string>;
  readonly version: Located<string>;
  readonly scope: string;
  readonly scopePermissions: ScopePermissions;
  readonly variables: Variables;
  readonly constants: Constants;
  readonly rules: readonly PrincipalRule[];
}

export interface PrincipalRule {
  readonly place: Place;
  readonly resource: Located<string>;
  readonly actions: readonly PrincipalAction[];
}

export interface PrincipalAction {
  readonly place: Place;
  readonly name: Located<string> | undefined;
  readonly action: Located<string>;
  readonly effect: Effect;
  readonly condition: Condition | undefined;
  readonly output: Output | undefined;
}

/** An allow-list that narrows one role (docs/spec/policy-language.md#rolepolicy). */
export interface RolePolicy {
  readonly kind: 'role';
  readonly role: Located<string>;
  /** `default` if absent or empty. */
  readonly version: string;
  readonly scope: string;
  readonly parentRoles: readonly Located<string>[];
  readonly scopePermissions: ScopePermissions;
  readonly variables: Variables;
  readonly constants: Constants;
  readonly rules: readonly RoleRule[];
}

export interface RoleRule {
  readonly place: Place;
  readonly name: Located<string> | undefined;
  readonly resource: Located<string>;
  readonly allowActions: readonly Located<string>[];
  readonly condition: Condition | undefined;
  readonly output: Output | undefined;
}

/** A named set of derived roles (docs/spec/policy-language.md#derivedroles). */
export interface DerivedRoles {
  readonly kind: 'derived-roles';
  readonly name: Located<string>;
  readonly variables: Variables;
  readonly constants: Constants;
  readonly definitions: readonly DerivedRole[];
}

export interface DerivedRole {
  readonly place: Place;
  readonly name: Located<string>;
  readonly parentRoles: readonly Located<string>[];
  readonly condition: Condition | undefined;
}

/** A named set of variables for others to import (docs/spec/policy-language.md#exportvariables). */
export interface ExportVariables {
  readonly kind: 'export-variables';
  readonly name: Located<string>;
  readonly definitions: readonly VariableDefinition[];
}

/** A named set of constants for others to import (docs/spec/policy-language.md#exportconstants). */
export interface ExportConstants {
  readonly kind: 'export-constants';
  readonly name: Located<string>;
  readonly definitions: readonly ConstantDefinition[];
}

/** Statements about all policies that `authzc verify` proves or refutes (docs/spec/analysis.md#invariants). */
export interface Invariants {
  readonly kind: 'invariants';
  readonly name: Located<string>;
  readonly variables: Variables;
  readonly constants: Constants;
  readonly statements: readonly Statement[];
}

export interface Statement {
  readonly place: Place;
  readonly name: Located<string>;
  readonly claim: Claim;
}

/** Which roles tenants may give to roles of their own (docs/spec/policy-language.md#tenantroles). */
export interface TenantRoles {
  readonly kind: 'tenant-roles';
  /** Their scopes, as in `tenants.*`. */
  readonly tenantScope: Located<string>;
  /** How the roles of tenants begin in requests, as in `tenant:`. */
  readonly rolePrefix: string;
  readonly grants: readonly Grant[];
}

/** A role that tenants may give, and what it then allows at most. */
export interface Grant {
  readonly role: Located<string>;
  readonly resources: readonly GrantedResource[];
}

export interface GrantedResource {
  /** A kind or a glob. */
  readonly resource: Located<string>;
  /** Actions and globs. */
  readonly actions: readonly Located<string>[];
}

/** What a statement says (docs/spec/analysis.md#forms). */
export type Claim =
  | { readonly form: 'never' | 'always' | 'reachable'; readonly about: About }
  /** What is allowed for an action that it is about is allowed for all of `also`. */
  | { readonly form: 'implies'; readonly about: About; readonly also: readonly Located<string>[] }
  /** Wherever the DENY rule applies, the decision is deny. */
  | { readonly form: 'final'; readonly rule: Located<string> };

/** The requests that a statement is about (docs/spec/analysis.md#about). */
export interface About {
  /** A kind or a glob; undefined for all kinds. */
  readonly resource: Located<string> | undefined;
  readonly version: Located<string> | undefined;
  /** Undefined for all scopes. */
  readonly scope: Located<string> | undefined;
  /** Actions and globs; empty for all actions. */
  readonly actions: readonly Located<string>[];
  readonly principal: AboutPrincipal;
  /** Must be true. */
  readonly when: Condition | undefined;
  /** A request is left out only where this is true. */
  readonly unless: Condition | undefined;
}

/** An empty list says nothing. */
export interface AboutPrincipal {
  readonly id: Located<string> | undefined;
  /** The principal has at least one of them. */
  readonly roles: readonly Located<string>[];
  readonly allRoles: readonly Located<string>[];
  /** The principal has none of them. */
  readonly notRoles: readonly Located<string>[];
}

/** The `variables` block (docs/spec/policy-language.md#variables-and-constants). */
export interface Variables {
  readonly imports: readonly Located<string>[];
  readonly local: readonly VariableDefinition[];
}

/** The `constants` block (docs/spec/policy-language.md#variables-and-constants). */
export interface Constants {
  readonly imports: readonly Located<string>[];
  readonly local: readonly ConstantDefinition[];
}

export interface VariableDefinition {
  readonly name: Located<string>;
  readonly expression: Expression;
}

export interface ConstantDefinition {
  readonly name: Located<string>;
  readonly value: Located<JsonValue>;
}

/** Any JSON value; every number is an IEEE double (docs/spec/policy-language.md#variables-and-constants). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The `condition` of a rule (docs/spec/policy-language.md#condition). */
export interface Condition {
  readonly place: Place;
  readonly match: Match;
}

export type Match =
  | { readonly kind: 'expr'; readonly expression: Expression }
  | { readonly kind: 'all' | 'any' | 'none'; readonly of: readonly Match[] }
  /** Parsed so that it can be rejected at its location. */
  | { readonly kind: 'script'; readonly place: Place };

/** The `output` of a rule (docs/spec/policy-language.md#output). `legacy` is the deprecated `expr`. */
export interface Output {
  readonly place: Place;
  readonly ruleActivated: Expression | undefined;
  readonly conditionNotMet: Expression | undefined;
  readonly legacy: Expression | undefined;
}

/** References to JSON schemas (docs/spec/policy-language.md#schemas). */
export interface Schemas {
  readonly principal: SchemaReference | undefined;
  readonly resource: SchemaReference | undefined;
}

export interface SchemaReference {
  readonly ref: Located<string>;
  /** Globs; empty if absent. */
  readonly ignoredActions: readonly Located<string>[];
}

/** A CEL expression in a policy and its syntax tree. */
export interface Expression {
  readonly text: string;
  readonly place: Place;
  /**
   * Absent if the expression has `syntaxErrors`. These are reported only when the policy is compiled
   * (docs/spec/policy-language.md#documents, docs/spec/policy-language.md#compiling-variables-and-constants).
   */
  readonly ast: Expr | undefined;
  readonly syntaxErrors: readonly SyntaxError[];
  /** The span in the file for a range of the expression, through YAML escapes, folding and indentation. */
  spanOf(start: number, end: number): Span;
}
