import type { JsonValue } from '../ast/policy.js';

/** What a policy document mentions (docs/spec/server.md#inspect); every list is sorted and has an entry once. */
export interface InspectedPolicy {
  /** `resource.album.vdefault/acme`. */
  readonly policyId: string;
  /** Where it is written, below the folder of the policies. */
  readonly file: string;
  readonly disabled: boolean;
  /** The resource kind, principal id, role, or name of the set. */
  readonly name: string;
  /** Empty for sets, which have none. */
  readonly version: string;
  readonly scope: string;
  readonly actions: readonly string[];
  readonly attributes: readonly InspectedAttribute[];
  readonly derivedRoles: readonly InspectedDerivedRole[];
  readonly variables: readonly InspectedBinding<string>[];
  readonly constants: readonly InspectedBinding<JsonValue>[];
}

/** An attribute that an expression of the policy reads. */
export interface InspectedAttribute {
  readonly kind: 'KIND_PRINCIPAL_ATTRIBUTE' | 'KIND_RESOURCE_ATTRIBUTE';
  readonly name: string;
}

/** A derived role that the rules name, or that the document defines for others. */
export interface InspectedDerivedRole {
  readonly name: string;
  readonly kind: 'KIND_IMPORTED' | 'KIND_EXPORTED' | 'KIND_UNDEFINED';
  /** The id of the policy that defines it; absent when there is none. */
  readonly source?: string;
}

/** A variable or constant that the document can name, or names. */
export interface InspectedBinding<T> {
  readonly name: string;
  readonly kind: BindingKind;
  /** The value as written; absent when undefined. */
  readonly value?: T;
  /** The id of the policy that defines it; absent when there is none. */
  readonly source?: string;
  /**
   * Whether a condition or an output comes to read it, by other variables too; of an exported one, whether that is so
   * in a policy that imports it.
   */
  readonly used: boolean;
}

/** Nobody defines an undefined one; an unknown one may be in a set that is imported and not there. */
export type BindingKind = 'KIND_LOCAL' | 'KIND_IMPORTED' | 'KIND_EXPORTED' | 'KIND_UNDEFINED' | 'KIND_UNKNOWN';
