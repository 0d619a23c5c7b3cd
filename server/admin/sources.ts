import type { ListSourcesRequest } from '../../proto/gen/messages.js';
import type { ListSourcesResponse, Source } from '../../proto/gen/source-messages.js';
import { rfc3339 } from '../../proto/wire/moment.js';
import { NONE } from '../../proto/wire/violation.js';
import type { Call } from '../service/call.js';
import { accept } from '../service/check-resources.js';
import type { KnownSource } from '../service/facts.js';
import { authenticated, type Services } from '../service/services.js';

/**
 * ListSources: what became of the sources of facts, in the process that answers; none if none are configured. Authenticates
 * the caller as the admin first. Rejects with an RpcError.
 */
export async function listSources(services: Services, call: Call, _: ListSourcesRequest): Promise<ListSourcesResponse> {
  await authenticated(services.admin, call);
  accept(services, call, NONE);
  const sources = services.sources?.() ?? [];
  return sources.length === 0 ? {} : { sources: sources.map(toMessage) };
}

function toMessage({ name, lastSuccess, lastFailure, lastError, ...counts }: KnownSource): Source {
  const { requests, failures, fetched, unknown } = counts;
  return {
    name,
    ...(requests > 0 && { requests: String(requests) }),
    ...(failures > 0 && { failures: String(failures) }),
    ...(fetched > 0 && { fetched: String(fetched) }),
    ...(unknown > 0 && { unknown: String(unknown) }),
    ...(lastSuccess !== undefined && { lastSuccess: rfc3339(lastSuccess) }),
    ...(lastFailure !== undefined && { lastFailure: rfc3339(lastFailure) }),
    ...(lastError !== undefined && { lastError }),
  };
}
