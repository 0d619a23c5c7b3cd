import type { ActorInput, PrincipalInput, ResourceInput } from '../../../runtime/engine/index.js';
import type { SqlDialect, SqlUsers } from '../../../runtime/residual/sql/index.js';
import type { SelectRows } from '../tables/stored-table.js';

/** One action on one resource, by whoever may do it; through an actor, if one acts for them. */
export interface ReviewedCell {
  readonly resource: ResourceInput;
  readonly action: string;
  readonly through: ActorInput | undefined;
}

/** Somebody who may do something. */
export interface ReviewedPair extends ReviewedCell {
  readonly principal: PrincipalInput;
}

/** Why it is not known who may do something. */
export interface Unevaluated extends ReviewedCell {
  readonly reason: string;
  /** The line of the policy, if it is one. */
  readonly place: string;
}

/** Who may do one action on one resource, or why that is not known. */
export type EvaluatedCell = { readonly allowed: readonly ReviewedPair[] } | { readonly unevaluated: Unevaluated };

/** Where users are asked for: in a database, or among those that a file lists. */
export type UserStore =
  | { readonly kind: 'table'; readonly users: SqlUsers; readonly dialect: SqlDialect; readonly select: SelectRows }
  | { readonly kind: 'file' };
