import type {
  JsonValue,
  DerivedRole,
  Expression,
  PolicyFile,
  PrincipalPolicy,
  ResourcePolicy,
  RolePolicy,
} from './policy.js';

/** All that was loaded, with every name resolved: what `link` promises to `validate` and `lower`. Sorted by key. */
export interface PolicySet {
  readonly policies: readonly LinkedPolicy[];
  /** Every enabled document, including those that are not imported and therefore not linked. In path order. */
  readonly documents: readonly PolicyFile[];
}

export type LinkedPolicy = LinkedResourcePolicy | LinkedPrincipalPolicy | LinkedRolePolicy;

interface Linked<K extends string, P> {
  readonly kind: K;
  /** `resource.album.vdefault/acme` (docs/spec/policy-language.md#policy-keys-and-rule-names). */
  readonly key: string;
  readonly file: PolicyFile;
  readonly policy: P;
  readonly bindings: Bindings;
}

export interface LinkedResourcePolicy extends Linked<'resource', ResourcePolicy> {
  /**
   * Every definition of every imported set, sorted by key: all are compiled, used or not
   * (docs/spec/policy-language.md#importing-derived-roles).
   */
  readonly importedRoles: readonly LinkedDerivedRole[];
  /** Those that rules name, by name. */
  readonly derivedRoles: ReadonlyMap<string, LinkedDerivedRole>;
}
export type LinkedPrincipalPolicy = Linked<'principal', PrincipalPolicy>;
export type LinkedRolePolicy = Linked<'role', RolePolicy>;

/** A definition of a derived-roles document. One object for all policies that import it. */
export interface LinkedDerivedRole {
  /** `derived_roles.common_roles#owner`. */
  readonly key: string;
  /** Name of the set. */
  readonly set: string;
  readonly file: PolicyFile;
  readonly definition: DerivedRole;
  /** Of the whole document. */
  readonly bindings: Bindings;
}

/**
 * The variables and constants a document can name: imported, local and legacy ones
 * (docs/spec/policy-language.md#compiling-variables-and-constants).
 */
export interface Bindings {
  /** In dependency order, ties by name. */
  readonly variables: ReadonlyMap<string, LinkedVariable>;
  readonly constants: ReadonlyMap<string, LinkedConstant>;
}

export interface LinkedVariable {
  readonly name: string;
  readonly expression: Expression;
  /** The file that defines it. */
  readonly file: PolicyFile;
}

export interface LinkedConstant {
  readonly name: string;
  readonly value: JsonValue;
  readonly file: PolicyFile;
}
