import type { CompiledBundle } from '../engine/index.js';
import type { ReadSet, ReadSetOptions, ReadSetQuery } from '../policy/index.js';

/**
 * What the decisions about a kind and an action read.
 *
 * @example
 * import { readSetOf } from 'authz/facts';
 * import { policies } from './dist/policies.js';
 *
 * // The policies were compiled with `authzc compile --facts`.
 * console.log([...readSetOf(policies, { kind: 'album', action: 'edit' }).facts]);
 * // => [ 'resource.attr.owner', 'resource.attr.status' ]
 *
 * @throws an Error if the policies were compiled without `--facts`.
 */
export function readSetOf(policies: CompiledBundle, query: ReadSetQuery, options: ReadSetOptions = {}): ReadSet {
  const { facts } = policies;
  if (facts === undefined)
    throw new Error('the policies have no read sets: compile them with `authzc compile --facts`');
  return facts.readSets(options)(query);
}
