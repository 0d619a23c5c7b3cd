import type { Expression, JsonValue } from '../ast/policy.js';
import type { Span } from '../diagnostics/span.js';
import type { SchemaAddress, SchemaModule } from './schema.js';
import type { TenantRoles } from './tenant-roles.js';
import type { Value } from './value.js';

/** The policies as they will be emitted, with all names resolved. One module per document, sorted by path. */
export interface Program {
  readonly modules: readonly Module[];
  /** The JSON schemas that resource policies reference, one module per file, sorted by file. */
  readonly schemas: readonly SchemaModule[];
  /** Absent if tenants have no roles of their own. */
  readonly tenantRoles?: TenantRoles | undefined;
}

export type Module = ResourceModule | PrincipalModule | RoleModule | DerivedRolesModule;

interface ModuleBase {
  /** `resource.album.vdefault/acme`, `derived_roles.common_roles`. */
  readonly key: string;
  /** The policy's file, relative to the policy folder. */
  readonly sourcePath: string;
  readonly description: string;
  /** Used variables in dependency order. */
  readonly variables: readonly Variable[];
  /** Used constants by name. */
  readonly constants: readonly Constant[];
}

export interface ResourceModule extends ModuleBase {
  readonly kind: 'resource';
  /** The kind as written in the policy; `kindName` is sanitized. */
  readonly resource: string;
  readonly kindName: string;
  readonly version: string;
  readonly scope: string;
  readonly overridesParent: boolean;
  readonly roles: RoleBits;
  readonly rules: readonly Rule[];
  readonly table: ActionTable;
  readonly derivedRoles: readonly DerivedRoleReference[];
  readonly schemas: { readonly principal: Schema | undefined; readonly resource: Schema | undefined };
  readonly readsRuntime: boolean;
  /** Whether a condition or an output reads a version or the scope of the principal or the resource. */
  readonly readsPlace: boolean;
}

export interface PrincipalModule extends ModuleBase {
  readonly kind: 'principal';
  readonly principal: string;
  readonly version: string;
  readonly scope: string;
  readonly overridesParent: boolean;
  readonly rules: readonly Rule[];
  /** One for each kind that a rule names literally. */
  readonly kinds: readonly { readonly kind: string; readonly table: ActionTable }[];
  /** Indexes of the rules whose resource is a glob. */
  readonly otherKinds: readonly number[];
  readonly readsRuntime: boolean;
}

export interface RoleModule extends ModuleBase {
  readonly kind: 'role';
  readonly role: string;
  readonly version: string;
  readonly scope: string;
  readonly parentRoles: readonly string[];
  readonly rules: readonly RoleRule[];
  readonly readsRuntime: boolean;
}

/** The derived roles of one document, limited to those that some policy names. */
export interface DerivedRolesModule extends ModuleBase {
  readonly kind: 'derived-roles';
  readonly name: string;
  readonly definitions: readonly DerivedRole[];
}

/** The roles that a policy distinguishes, one bit each. */
export interface RoleBits {
  /** Literal role names in order of first appearance; several share a bit if no rule distinguishes them. */
  readonly literals: readonly { readonly role: string; readonly bit: number; readonly alsoGlobs: readonly number[] }[];
  readonly globs: readonly { readonly pattern: string; readonly bit: number }[];
  /** Whether there are more roles than bits, so that rules must also list their roles (`among`). */
  readonly crowded: boolean;
}

/** The rules that match an action, as indexes into the module's rules, in the order of the policy. */
export interface ActionTable {
  readonly actions: readonly { readonly action: string; readonly rules: readonly number[] }[];
  readonly otherActions: readonly number[];
}

export type Effect = 'allow' | 'deny';

/** A rule as lowered (runtime/policy `Rule`). */
export interface Rule {
  readonly span: Span;
  readonly name: string;
  readonly named: boolean;
  readonly effect: Effect;
  /** The effect as written, for the comment: ALLOW even if parental consent turned it into a DENY. */
  readonly written: Effect;
  /** Actions as written. */
  readonly actions: readonly string[];
  /** Role names: the rule's own, or the derived role's parents. `['*']` matches every principal. */
  readonly roles: readonly string[];
  /** The resource of a principal rule, sanitized. */
  readonly resource: string | undefined;
  readonly derivedRole: DerivedRoleReference | undefined;
  readonly condition: Match | undefined;
  /** The effect applies when the condition does not hold: a conditional ALLOW under parental consent. */
  readonly inverted: boolean;
  readonly output: Output | undefined;
  /** Rules with equal memo share the first result within a check. */
  readonly memo: string | undefined;
}

export interface RoleRule {
  readonly span: Span;
  readonly name: string;
  readonly resource: string;
  readonly allowActions: readonly string[];
  readonly condition: Match | undefined;
  readonly output: Output | undefined;
}

export interface DerivedRole {
  readonly span: Span;
  readonly name: string;
  readonly parentRoles: readonly string[];
  readonly condition: Match | undefined;
}

/** A derived role in another module. */
export interface DerivedRoleReference {
  /** Key of the module: `derived_roles.common_roles`. */
  readonly module: string;
  readonly name: string;
  readonly parentRoles: readonly string[];
}

/**
 * A condition: the tree as written, with lowered expressions. `polarity.ts` derives the predicate that decides a rule.
 */
export type Match =
  | { readonly kind: 'expr'; readonly expression: AuthoredText; readonly value: Value }
  | { readonly kind: 'all' | 'any' | 'none'; readonly of: readonly Match[] };

/** An expression as its author wrote it, and the place of each part in the file. */
export type AuthoredText = Pick<Expression, 'text' | 'spanOf'>;

export interface Output {
  readonly ruleActivated: Value | undefined;
  readonly conditionNotMet: Value | undefined;
  /** Both as their author wrote them. */
  readonly expressions: {
    readonly ruleActivated: AuthoredText | undefined;
    readonly conditionNotMet: AuthoredText | undefined;
  };
}

export interface Variable {
  readonly name: string;
  readonly expression: AuthoredText;
  readonly value: Value;
}

export interface Constant {
  readonly name: string;
  readonly value: JsonValue;
  /** Where its value was written. */
  readonly span: Span;
}

export interface Schema {
  readonly ref: string;
  readonly ignoredActions: readonly string[];
  /**
   * The address of its definition, or the violation to report instead: the schema could not be loaded, and the
   * configuration does not treat that as an error (docs/spec/policy-language.md#enforcement).
   */
  readonly validator: SchemaAddress | { readonly unavailable: string };
}
