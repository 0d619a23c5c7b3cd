import type { Call } from '../service/call.js';

/**
 * The header, in gRPC the metadata, that carries the call id (docs/spec/server.md#call-id): not every response has the
 * id in its body, and proxies read headers.
 */
export const CALL_ID = 'Authz-Call-Id';

/** The header, in gRPC the metadata, with the hash of the bundle that decided (docs/spec/server.md#bundle-of-an-answer). */
export const BUNDLE_HASH = 'Authz-Bundle-Hash';

/** The header, in gRPC the metadata, of an answer with a denial because a fact was not available. */
export const FACTS = 'Authz-Facts';

/** The headers of a call, names and values alternating; empty if the call has no id. */
export function callHeader({ id, bundle, facts }: Call): readonly string[] {
  if (id === '') return NONE;
  const own = bundle === undefined ? [CALL_ID, id] : [CALL_ID, id, BUNDLE_HASH, bundle.release.bundleHash];
  // Caches must not keep such an answer.
  return facts?.isUnknown === true ? [...own, FACTS, 'unknown'] : own;
}

const NONE: readonly string[] = [];
