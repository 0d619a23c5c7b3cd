import type { Call } from '../service/call.js';

/**
 * The header, over gRPC the metadata, that names a call (docs/spec/server.md#call-id): not every answer has its id in
 * the body, and proxies look at headers.
 */
export const CALL_ID = 'Authz-Call-Id';

/** The header of a call, name and value; nothing for one that has no id. */
export function callHeader({ id }: Call): readonly string[] {
  return id === '' ? NONE : [CALL_ID, id];
}

const NONE: readonly string[] = [];
