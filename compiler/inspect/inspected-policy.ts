import type { JsonValue } from '../ast/policy.js';

/** What a policy document mentions (docs/spec/server.md#inspect); every list is sorted and free of duplicates. */
export interface InspectedPolicy {
  /** `resource.album.vdefault/acme`. */
  readonly policyId: string;
  /** The path of its file, relative to the policy folder. */
  readonly file: string;
  readonly disabled: boolean;
  /** The resource kind, principal id, role, or name of the set. */
  readonly name: string;
  /** Empty for sets, which have no version. */
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
  /** The id of the policy that defines it; absent if none does. */
  readonly source?: string;
}

/** A variable or constant that the document names or could name. */
export interface InspectedBinding<T> {
  readonly name: string;
  readonly kind: BindingKind;
  /** The value as written; absent when undefined. */
  readonly value?: T;
  /** The id of the policy that defines it; absent if none does. */
  readonly source?: string;
  /**
   * Whether a condition or an output reads it, directly or through other variables; for an exported one, whether this
   * is the case in any importing policy.
   */
  readonly used: boolean;
}

/** An undefined name is defined nowhere; an unknown one may belong to an imported set that does not exist. */
export type BindingKind = 'KIND_LOCAL' | 'KIND_IMPORTED' | 'KIND_EXPORTED' | 'KIND_UNDEFINED' | 'KIND_UNKNOWN';
