import { createEngine } from 'authz/runtime';
import { policies } from './generated/index.js';
import type { Policies } from './generated/types.js';

/** Decides with the policies of this project. Kinds, actions and attributes that they do not have are type errors. */
export const engine = createEngine<Policies>(policies);

export { selects } from './generated/index.js';
export type { Actions } from './generated/types.js';
