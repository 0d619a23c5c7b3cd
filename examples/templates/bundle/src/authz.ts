import { createEngine } from 'authz/runtime';
// Turbopack does not resolve imports of TypeScript modules by their `.js` names, which generated modules have. The
// bundle has the same policies in one file.
import { type Policies, policies } from '../dist/policies.js';

/** Decides with the policies of this project. Kinds, actions and attributes that they do not have are type errors. */
export const engine = createEngine<Policies>(policies);

export { type Actions, selects } from '../dist/policies.js';
