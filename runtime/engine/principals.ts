import type { RuleTable } from './rule-table.js';

/** The principal policies of a bundle that has some. */
export interface Principals {
  /**
   * The policies of a principal; the version is that of the resource (docs/spec/policy-language.md#versions).
   * Undefined: it has none there.
   */
  chain(id: string, version: string, scope: string): PrincipalChain | undefined;
  /**
   * Whether the list of scopes for principal policies is not empty (docs/spec/policy-language.md#preparing-a-check).
   */
  existAt(scope: string): boolean;
  /**
   * Whether any principal, whoever it is, has a policy of a version in the listed scopes
   * (docs/spec/policy-language.md#preparing-a-check).
   */
  exist(version: string, scope: string): boolean;
  /**
   * What decisions name for a principal, whether or not it has a policy
   * (docs/spec/policy-language.md#combining-decisions).
   */
  keyOf(id: string, version: string, scope: string): string;
}

/**
 * The policies of one principal that judge its requests, from the scope requested to the root
 * (docs/spec/policy-language.md#principal-policies).
 */
export interface PrincipalChain {
  readonly steps: readonly PrincipalStep[];
  readonly hasOutputs: boolean;
  readonly readsRuntime: boolean;
}

/** One scope of a chain. */
export interface PrincipalStep {
  readonly scope: string;
  /** Whether an ALLOW of this scope needs that of a parent (docs/spec/policy-language.md#combining-decisions). */
  readonly consents: boolean;
  /** For each kind some rule names literally, sanitised. */
  readonly kinds: ReadonlyMap<string, RuleTable>;
  /** For any other kind. */
  readonly otherKinds: RuleTable;
}
