import type { Call } from '../service/call.js';

/**
 * The header, in gRPC the metadata, that carries the call id (docs/spec/server.md#call-id): not every response has the
 * id in its body, and proxies read headers.
 */
export const CALL_ID = 'Authz-Call-Id';

/** The header of a call, as name and value; empty if the call has no id. */
export function callHeader({ id }: Call): readonly string[] {
  return id === '' ? NONE : [CALL_ID, id];
}

const NONE: readonly string[] = [];
