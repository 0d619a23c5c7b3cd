import type { Attributes, Effect, OutputValue } from '../policy/index.js';

/**
 * One call: may this principal do these actions on these resources (docs/spec/policy-language.md#requests)? Attributes
 * are plain JSON, names are not empty.
 */
export interface CheckRequest {
  readonly principal: PrincipalInput;
  readonly resources: readonly ResourceActions[];
  readonly auxData?: AuxDataInput | undefined;
  /** Whether the active derived roles are wanted. */
  readonly includeMeta?: boolean | undefined;
}

/** One action of one resource, for use in process. */
export interface AccessRequest {
  readonly principal: PrincipalInput;
  readonly resource: ResourceInput;
  readonly action: string;
  readonly auxData?: AuxDataInput | undefined;
}

export interface ResourceActions {
  readonly resource: ResourceInput;
  /** Unique. */
  readonly actions: readonly string[];
}

/**
 * Who asks. An absent version or scope is the engine's default; the scope `.` is the root
 * (docs/spec/policy-language.md#preparing-a-check).
 */
export interface PrincipalInput {
  readonly id: string;
  /** Unique; without any, everything is denied. */
  readonly roles: readonly string[];
  readonly attr?: Attributes | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}

export interface ResourceInput {
  readonly kind: string;
  readonly id: string;
  readonly attr?: Attributes | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}

/** Claims of tokens that are verified already (docs/spec/conditions.md#token-claims). */
export interface AuxDataInput {
  readonly jwt?: Attributes | undefined;
  readonly jwts?: { readonly [name: string]: { readonly claims: Attributes } } | undefined;
}

/** What was decided about one resource of a request. */
export interface CheckResult {
  /** In the order of the request. */
  readonly actions: readonly ActionDecision[];
  /**
   * The union over the scopes entered, sorted; empty unless the request includes meta
   * (docs/spec/policy-language.md#effective-derived-roles).
   */
  readonly effectiveDerivedRoles: readonly string[];
  /** In the order of evaluation (docs/spec/policy-language.md#when-outputs-are-emitted). */
  readonly outputs: readonly OutputEntry[];
  /** Those of the principal first (docs/spec/policy-language.md#validation-errors). */
  readonly validationErrors: readonly ValidationError[];
}

export interface ActionDecision {
  readonly action: string;
  readonly effect: Effect;
  /** `resource.album.vdefault/acme`, or `NO_MATCH` (docs/spec/policy-language.md#matched-policy-and-scope). */
  readonly matchedPolicy: string;
  /** The scope of the rule that decided; empty also where none did. */
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
