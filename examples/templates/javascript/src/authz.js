import { createEngine } from 'authz/runtime';
import { policies } from '../dist/policies.js';

/**
 * Decides with the policies of this project. In editors, kinds, actions and attributes that they do not have are errors.
 *
 * @type {import('authz/runtime').Engine<import('../dist/policies.js').Policies>}
 */
export const engine = createEngine(policies);

export { selects } from '../dist/policies.js';
