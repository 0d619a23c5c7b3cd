import type { ServerInfoResponse } from '../../../proto/messages.js';

/** ServerInfoResponse in its JSON form. All fields are always there: a build without a name says so. */
export function printServerInfo({ version, commit, buildDate, bundleHash }: ServerInfoResponse): string {
  return JSON.stringify({ version, commit, buildDate, bundleHash });
}

/** The same over REST, where these three fields are the whole answer (recorded case info-01). */
export function printRestServerInfo({ version, commit, buildDate }: ServerInfoResponse): string {
  return JSON.stringify({ version, commit, buildDate });
}
