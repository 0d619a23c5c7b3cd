import type { Call } from '../service/call.js';
import { AUTHZ_SERVICE, AUTHZEN_SERVICE } from '../service/services.js';

/** What a header may be that all servers read alike. */
const VISIBLE = /^[!-~](?:[ -~]*[!-~])?$/;

/** The header `authorization` that is sent on to sources; undefined if there is none, or several, or it is not for them. */
export function readForwarded(call: Call): string | undefined {
  const [value, ...others] = readAuthorization(call);
  return value !== undefined && others.length === 0 && VISIBLE.test(value) ? value : undefined;
}

function readAuthorization(call: Call): readonly (string | undefined)[] {
  if (call.clientAuthorization !== undefined) return [call.clientAuthorization()];
  // That of the admin is a password of this server.
  const isForSources = [AUTHZ_SERVICE, AUTHZEN_SERVICE].some((service) => call.method.startsWith(`/${service}/`));
  return isForSources ? (call.metadata().get('authorization') ?? []) : [];
}
