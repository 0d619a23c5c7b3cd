import type { ServerInfoResponse } from '../proto/messages.js';

/** Put in by the build: `define: { AUTHZ_RELEASE: JSON.stringify({ version, commit, buildDate }) }`. */
declare const AUTHZ_RELEASE: ServerInfoResponse;

/** Which build this is. */
export const release: ServerInfoResponse =
  typeof AUTHZ_RELEASE === 'undefined' ? { version: '0.0.0-dev', commit: 'unknown', buildDate: 'unknown' } : AUTHZ_RELEASE;
