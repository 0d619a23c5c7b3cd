import type { AccessRequest } from '#runtime/engine';
import type { Attributes } from '#runtime/policy';

/** A request, and what else its decision depends on. */
export interface Situation {
  readonly request: AccessRequest;
  readonly globals: Attributes;
  /** RFC 3339. */
  readonly now: string;
}
