import type { Span } from '../diagnostics/span.js';
import type { DerivedRolesModule } from './program.js';

/**
 * A document of invariants with all names resolved. It is not part of a `Program`: nothing is emitted for it.
 */
export interface InvariantSet {
  /** `invariants.contacts`. */
  readonly key: string;
  readonly name: string;
  /** The file, relative to the policy folder. */
  readonly sourcePath: string;
  readonly statements: readonly Statement[];
  /**
   * The conditions of the statements by name, with the variables and constants that they read. They have the shape of
   * derived roles that nobody has, so what is done to conditions of policies can be done to them.
   */
  readonly conditions: DerivedRolesModule;
}

export interface Statement {
  readonly name: string;
  readonly span: Span;
  readonly claim: Claim;
}

/** What a statement says (docs/spec/analysis.md#forms). */
export type Claim =
  | { readonly form: 'never' | 'always' | 'reachable'; readonly about: About }
  | { readonly form: 'implies'; readonly about: About; readonly also: readonly string[] }
  /** The rule as `resource.album.vdefault#locked`. */
  | { readonly form: 'final'; readonly rule: string };

/** The requests that a statement is about (docs/spec/analysis.md#about). */
export interface About {
  /** A kind or a glob. */
  readonly resource: string;
  /** Undefined for all versions. */
  readonly version: string | undefined;
  /** Undefined for all scopes. */
  readonly scope: string | undefined;
  /** Actions and globs; empty for all actions. */
  readonly actions: readonly string[];
  readonly principal: AboutPrincipal;
  /** The names of conditions. */
  readonly when: string | undefined;
  readonly unless: string | undefined;
}

/** An empty list says nothing. */
export interface AboutPrincipal {
  readonly id: string | undefined;
  /** The principal has at least one of them. */
  readonly roles: readonly string[];
  readonly allRoles: readonly string[];
  /** The principal has none of them. */
  readonly notRoles: readonly string[];
}
