import type { ServerInfoResponse } from '../../proto/gen/messages.js';
import { NONE } from '../../proto/wire/violation.js';
import type { Call } from './call.js';
import { accept } from './check-resources.js';
import type { Services } from './services.js';

/** ServerInfo: which build answers, by which policies. */
export function serverInfo(services: Services, call: Call): ServerInfoResponse {
  accept(services, call, NONE);
  return services.release;
}
