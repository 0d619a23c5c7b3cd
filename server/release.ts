import type { ServerInfoResponse } from '../proto/gen/messages.js';

/** What is known when the program is built; the policies are not. */
export type Release = Omit<ServerInfoResponse, 'bundleHash' | 'bundleProvenance'>;

/** Put in by the build: `define: { AUTHZ_RELEASE: JSON.stringify({ version, commit, buildDate }) }`. */
declare const AUTHZ_RELEASE: Release;

/** Which build this is. */
export const release: Release =
  typeof AUTHZ_RELEASE === 'undefined'
    ? { version: '0.0.0-dev', commit: 'unknown', buildDate: 'unknown' }
    : AUTHZ_RELEASE;
