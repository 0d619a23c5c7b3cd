import type { AuxDataInput, PrincipalInput, ResourceInput, TenantDocuments } from '../engine/index.js';
import type { Instant } from '../policy/index.js';
import type { Rows, UnknownFact } from './ask.js';

/** A check that needs facts. */
export interface FactsCheck {
  readonly principal: PrincipalInput;
  readonly resources: readonly { readonly resource: ResourceInput; readonly actions: readonly string[] }[];
  readonly auxData?: AuxDataInput | undefined;
  readonly tenants?: TenantDocuments | undefined;
  /** Whether derived roles are wanted, which may depend on more facts. */
  readonly includeMeta: boolean;
}

/** A plan that needs facts of the principal. */
export interface FactsPlan {
  readonly principal: PrincipalInput;
  readonly resource: Omit<ResourceInput, 'id'>;
  readonly actions: readonly string[];
  readonly tenants?: TenantDocuments | undefined;
}

/** The facts of one call, and the instant at which all of it is decided. */
export interface Gathered {
  readonly rows: Rows;
  readonly instant: Instant;
  /** When gathering began, in milliseconds since 1970. */
  readonly began: number;
}

/** A fact that a decision lacks; `not asked` if its source was not asked for it. */
export type LackingFact = Omit<UnknownFact, 'reason'> & { readonly reason: UnknownFact['reason'] | 'not asked' };
