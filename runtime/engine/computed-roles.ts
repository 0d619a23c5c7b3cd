import type { EnginePart } from './options.js';

/**
 * Lets an engine decide for principals without roles. For callers that computed the roles from those of a request, such
 * as what the roles of a tenant stand for: they may stand for none.
 */
export const computedRoles: EnginePart = (engine) => {
  engine.mayLackRoles = true;
};
