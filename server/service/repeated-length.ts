import type { Decision } from './decider.js';
import { RpcError } from './rpc-error.js';

/** A call whose answer repeats parts of its request. */
export interface Repeating {
  /** How many characters its answer repeats so far; absent until there are any. */
  repeated?: number | undefined;
}

/** Length in characters. With 500 resources of 500 actions, names of policies may have 130. */
const MAX_REPEATED = 32 * 1024 * 1024;

/**
 * Counts what an answer repeats. The metadata of every action name a policy, which may contain the kind of the request,
 * and those of an AuthZEN batch have the resource and the request id in every evaluation: an answer must not be 50
 * times as long as its request. Throws an RpcError beyond 32 MiB.
 */
export function countRepeated(call: Repeating, length: number): void {
  call.repeated = (call.repeated ?? 0) + length;
  if (call.repeated > MAX_REPEATED)
    throw new RpcError('resource_exhausted', 'the metadata of the response would be longer than 32 MiB');
}

/** How long the metadata of decisions are, without the names of their actions. */
export function metadataLength(decisions: readonly Decision[]): number {
  let length = 0;
  for (const { actions } of decisions)
    for (const { matchedPolicy, matchedScope } of actions) length += matchedPolicy.length + matchedScope.length;
  return length;
}
