import type { AccessRequest } from '../../../runtime/engine/index.js';
import type { Attributes } from '../../../runtime/policy/index.js';

/** A request, and what else its decision depends on. */
export interface Situation {
  readonly request: AccessRequest;
  readonly globals: Attributes;
  /** RFC 3339. */
  readonly now: string;
}

/** The time of situations where it does not matter. */
export const DEFAULT_NOW = '2025-01-01T00:00:00Z';

/** A request without globals, when the time does not matter. */
export function makeSituation(request: AccessRequest): Situation {
  return { request, globals: {}, now: DEFAULT_NOW };
}
