import type { ServerInfoResponse } from '../../proto/messages.js';
import type { AdminService } from './admin.js';
import type { CheckService } from './check-resources.js';
import type { Health } from './health.js';
import type { Report } from './rpc-error.js';
import type { Deliver } from './watcher.js';

/** What every transport answers from. */
export interface Services extends CheckService {
  readonly health: Health;
  /** Whether every process of the server takes part; absent: this is the only one. */
  readonly allTurn?: (() => Promise<boolean>) | undefined;
  /** Another object once other policies are in force. */
  readonly release: ServerInfoResponse;
  /** In bytes of the protobuf encoding, whatever the transport (docs/spec/server.md#limits-and-deadlines). */
  readonly maxMessageSize: number;
  /** What replies wait for; absent: for nothing (`audit.delivery`). */
  readonly deliver?: Deliver | undefined;
  /** Told of bugs. */
  readonly report: Report;
  /** Undefined: the admin API is off. */
  readonly admin?: AdminService | undefined;
}

export const AUTHZ_SERVICE = 'authz.svc.v1.AuthzService';
export const AUTHZEN_SERVICE = 'authzen.authorization.v1.AuthorizationService';
export const ADMIN_SERVICE = 'authz.svc.v1.AuthzAdminService';

/**
 * The names whose health is known (docs/spec/server.md#health), without the admin API; the empty one is the whole
 * server.
 */
export const HEALTH_NAMES: readonly string[] = ['', AUTHZ_SERVICE, AUTHZEN_SERVICE];
