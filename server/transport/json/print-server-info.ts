import type { ServerInfoResponse } from '../../../proto/messages.js';

/** ServerInfoResponse in its JSON form. All three fields are always there: a build without a name says so. */
export function printServerInfo({ version, commit, buildDate }: ServerInfoResponse): string {
  return JSON.stringify({ version, commit, buildDate });
}
