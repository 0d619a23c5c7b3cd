import type { Place } from '../diagnostics/span.js';
import type {
  JsonValue,
  DerivedRole,
  Expression,
  Invariants,
  PolicyFile,
  PrincipalPolicy,
  ResourcePolicy,
  RolePolicy,
} from './policy.js';

/**
 * All loaded policies with every name resolved: the output of `link` and input of `validate` and `lower`. Sorted by
 * key.
 */
export interface PolicySet {
  readonly policies: readonly LinkedPolicy[];
  /** Every enabled document, including those that are not imported and therefore not linked. In path order. */
  readonly documents: readonly PolicyFile[];
  /** Sorted by key. */
  readonly invariants: readonly LinkedInvariants[];
  /** Whether documents are missing, or parts of them, which others may need. */
  readonly isPartial?: boolean;
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
  /** The definitions that rules name, by name. */
  readonly derivedRoles: ReadonlyMap<string, LinkedDerivedRole>;
}
export type LinkedPrincipalPolicy = Linked<'principal', PrincipalPolicy>;
export type LinkedRolePolicy = Linked<'role', RolePolicy>;

/** A document of statements about the policies. */
export type LinkedInvariants = Linked<'invariants', Invariants>;

/** A definition in a derived-roles document. All policies that import it share one object. */
export interface LinkedDerivedRole {
  /** `derived_roles.common_roles#owner`. */
  readonly key: string;
  /** The name of the set. */
  readonly set: string;
  readonly file: PolicyFile;
  readonly definition: DerivedRole;
  /** The variables and constants of the whole document. */
  readonly bindings: Bindings;
}

/**
 * The variables and constants that a document can name: imported, local and legacy ones
 * (docs/spec/policy-language.md#compiling-variables-and-constants).
 */
export interface Bindings {
  /** Variables in dependency order, ties by name. */
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
  /** Where the value was written. */
  readonly place: Place;
  readonly file: PolicyFile;
}
