import type { ServerInfoResponse } from '../../proto/messages.js';
import type { CheckService } from './check-resources.js';
import type { Health } from './health.js';

/** What every transport answers from. */
export interface Services {
  readonly check: CheckService;
  readonly health: Health;
  readonly release: ServerInfoResponse;
  /** In bytes of the protobuf encoding, whatever the transport (server.md 1.7). */
  readonly maxMessageSize: number;
}

/** The services whose health is known by name (server.md 5.1). */
export const AUTHZ_SERVICE = 'authz.svc.v1.AuthzService';
