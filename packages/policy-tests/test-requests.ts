import type { AccessRequest } from '../../runtime/engine/index.js';
import type { TestCall } from './run-tests.js';

/** The number of requests of tests that a search begins with. */
const MOST_SEEDS = 50;

/** What tests ask: each principal with each resource once. */
export function listRequests(calls: readonly TestCall[]): readonly AccessRequest[] {
  const found = new Map<string, AccessRequest>();
  for (const { question } of calls) {
    const { principal, resource, auxData, actions } = question;
    const [action = ''] = actions;
    const key = JSON.stringify([principal, resource, auxData]);
    if (!found.has(key) && found.size < MOST_SEEDS) found.set(key, { principal, resource, auxData, action });
  }
  return [...found.values()];
}
