import type { AccessRequest, DecidingRoles } from '../../runtime/engine/index.js';
import type { Explanation, SearchOptions } from '../../runtime/engine/parts.js';
import type { ListAuditLogEntriesRequest, ServerInfoResponse } from '../../proto/gen/messages.js';
import type { ListAuditLogEntriesResponse } from '../../proto/gen/audit-messages.js';
import type { AliasConfig } from '../config/aliases.js';
import { isLoopbackHost } from '../config/plain-http.js';
import type { DecidingBundle } from './decider.js';
import type { SearchService } from './authzen-search.js';
import type { Bundle, PolicyTexts } from './bundle.js';
import type { KnownSource } from './facts.js';
import type { RolloutCommand, RolloutOutcome } from './rollout-command.js';
import type { Health } from './health.js';
import { type Caller, refuseForeignPage } from './foreign-page.js';
import { type Report, RpcError } from './rpc-error.js';
import type { Deliver } from './watcher.js';

/** What every transport answers from. */
export interface Services extends SearchService {
  readonly health: Health;
  /** Other names of the same RPCs; absent: there are none. */
  readonly aliases?: readonly AliasConfig[] | undefined;
  /** Whether every process of the server takes part; absent: this is the only one. */
  readonly allTurn?: (() => Promise<boolean>) | undefined;
  /** A different object after each swap of the policies. */
  readonly release: ServerInfoResponse;
  /** Limit in bytes of the protobuf encoding, whatever the transport (docs/spec/server.md#limits-and-deadlines). */
  readonly maxMessageSize: number;
  /** What replies wait for; absent: for nothing (`audit.delivery`). */
  readonly deliver?: Deliver | undefined;
  /** Told of bugs. */
  readonly report: Report;
  /** Undefined: the admin API is off. */
  readonly admin?: AdminService | undefined;
  /** The bundle in use, whose policies the admin API lists. Absent: unknown. */
  readonly bundle?: (() => Bundle) | undefined;
  /** Absent: the policies do not come from a bundle file. */
  readonly reload?: Reload | undefined;
  /** What the source of the bundle is to the bundle that is served. Absent: there is no source that is asked. */
  readonly source?: (() => SourceHealth) | undefined;
  /** Absent: the server has no candidates. */
  readonly rollout?: RunRollout | undefined;
  /** The sources of facts. Absent: there are none. */
  readonly sources?: (() => readonly KnownSource[]) | undefined;
  /** Undefined: decisions are not explained. */
  readonly explainer?: Explainer | undefined;
  /** Callers on this machine see policies and explanations without credentials. Absent: only the admin does. */
  readonly local?: LocalAccess | undefined;
  /** What requests can name of the policies in use. Absent: unknown. */
  readonly names?: (() => readonly KindNames[]) | undefined;
}

/**
 * Checks the bundle file and uses a new version of it in every process. Resolves with the reason why the content of the
 * file is not in use; undefined if it is.
 */
export type Reload = () => Promise<string | undefined>;

/** What the source of the bundle has to do with the bundle that is served; decisions do not depend on it. */
export interface SourceHealth {
  /**
   * `current`: the source has it. `stale`: the source cannot be reached, or has one that must not run.
   * `last_known_good`: the same, and the bundle comes from the disk.
   */
  readonly state: 'current' | 'stale' | 'last_known_good';
  /** The reason why the source has no bundle that can be served, and when it last had the one that is (RFC 3339). */
  readonly reason?: string;
  readonly confirmed?: string;
}

/** What the health says of a source. */
export function sourceHealth({ fromCache, problem, confirmed }: ObservedSource): SourceHealth {
  if (problem === undefined && !fromCache) return { state: 'current' };
  return {
    state: fromCache ? 'last_known_good' : 'stale',
    ...(problem !== undefined && { reason: problem.reason }),
    ...(confirmed > 0 && { confirmed: new Date(confirmed).toISOString() }),
  };
}

/** Times are milliseconds since 1970. */
interface ObservedSource {
  readonly fromCache: boolean;
  readonly problem: { readonly reason: string } | undefined;
  readonly confirmed: number;
}

/** Carries out a request about the rollout in every process (docs/rollout.md). */
export type RunRollout = (command: RolloutCommand) => Promise<RolloutOutcome>;

/** What requests about a kind of resource can name. */
export interface KindNames {
  readonly kind: string;
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  readonly policyVersions: readonly string[];
  /** The root is the empty string. */
  readonly scopes: readonly string[];
  /** Attributes that satisfy the schema of the resource. Absent: the contents of schemas are not known. */
  readonly attr?: { readonly [name: string]: unknown };
}

/** Explains decisions of the policies in use. */
export interface Explainer {
  /** The roles with which the bundle of the call decides; undefined if tenants have no roles of their own. */
  readonly rolesFor?:
    | ((request: AccessRequest, bundle: DecidingBundle | undefined) => DecidingRoles | undefined)
    | undefined;
  /**
   * Explains by the bundle of the call, or else by the current one. Throws an RpcError if the bundle cannot explain.
   */
  readonly explain: (
    request: AccessRequest,
    search?: SearchOptions,
    bundle?: DecidingBundle | undefined,
  ) => Explanation;
  /** The texts of policies and schemas. Throws an RpcError if the bundle has none. */
  readonly texts: () => PolicyTexts;
}

/** The admin API. Policies are part of the build, so no call changes them (docs/spec/server.md#endpoints). */
export interface AdminService {
  /**
   * Authenticates an `authorization` header or metadata. Rejects with code 16 unless it is the admin's
   * (docs/spec/server.md#admin-authentication), with code 8 when too many try. To be called before anything else.
   */
  readonly authenticate: (authorization: string | undefined) => Promise<void>;
  /** Throws, or rejects with, an RpcError. */
  readonly listAuditLogEntries: (request: ListAuditLogEntriesRequest) => AsyncIterable<ListAuditLogEntriesResponse>;
}

export const AUTHZ_SERVICE = 'authz.svc.v1.AuthzService';
export const AUTHZEN_SERVICE = 'authzen.authorization.v1.AuthorizationService';
export const ADMIN_SERVICE = 'authz.svc.v1.AuthzAdminService';
/** docs/spec/server.md#health */
export const HEALTH_SERVICE = 'grpc.health.v1.Health';

/**
 * The names whose health is known (docs/spec/server.md#health), without the admin API; the empty one is the whole
 * server.
 */
export const HEALTH_NAMES: readonly string[] = ['', AUTHZ_SERVICE, AUTHZEN_SERVICE];

/** The reason why calls of the admin API fail on a server without one. */
export const ADMIN_DISABLED = 'Admin service is disabled by the configuration';

/** The reason why no call changes policies and schemas. */
export const COMPILED_IN = 'policies and schemas are compiled into the build';

/**
 * Returns the admin API to a caller with valid credentials. Rejects with an RpcError for other callers, and if the
 * admin API is off.
 */
export async function authenticated(admin: AdminService | undefined, caller: Caller): Promise<AdminService> {
  if (admin === undefined) throw new RpcError('unimplemented', ADMIN_DISABLED);
  refuseForeignPage(caller);
  await admin.authenticate(caller.header('authorization'));
  return admin;
}

/** What a server that listens on this machine alone shows without credentials. */
export interface LocalAccess {
  /** The tests of the policies, which no bundle has. */
  readonly tests: () => PolicyTexts;
}

/**
 * Authenticates a caller who asks for policies or explanations: the admin, or anybody on this machine where the server
 * allows it. Rejects with an RpcError.
 */
export async function authenticatedToRead(
  { admin, local }: Pick<Services, 'admin' | 'local'>,
  caller: Caller,
): Promise<void> {
  if (local === undefined) {
    await authenticated(admin, caller);
    return;
  }
  refuseForeignPage(caller);
  // Pages of a site whose name leads to this machine would be pages of this server.
  const host = caller.host();
  if (host !== '' && !isLoopbackHost(host))
    throw new RpcError('permission_denied', 'policies are shown at loopback addresses only, such as `localhost`');
}

/** Authenticates the caller before the request is read. Rejects with an RpcError. */
export async function* listAuditLogEntries(
  { admin }: Pick<Services, 'admin'>,
  { caller }: { readonly caller: Caller },
  read: () => ListAuditLogEntriesRequest,
): AsyncGenerator<ListAuditLogEntriesResponse, void> {
  const service = await authenticated(admin, caller);
  yield* service.listAuditLogEntries(read());
}

/**
 * Refuses a call of the admin API for a reason that only callers with its credentials learn. Always rejects, with an
 * RpcError.
 */
export async function refuseAdminCall(admin: AdminService | undefined, caller: Caller, reason: string): Promise<never> {
  await authenticated(admin, caller);
  throw new RpcError('unimplemented', reason);
}

/** Caches a value for each release, as long as it is in use: canaries answer by two. */
export function byRelease<T extends object>(
  make: (release: ServerInfoResponse) => T,
): (release: ServerInfoResponse) => T {
  const known = new WeakMap<ServerInfoResponse, T>();
  return (release) => {
    let made = known.get(release);
    if (made === undefined) {
      made = make(release);
      known.set(release, made);
    }
    return made;
  };
}
