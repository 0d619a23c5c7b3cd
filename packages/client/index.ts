/**
 * The client of a decision point: one interface, over REST, over Connect and in process; gRPC is in `./grpc.js`. It
 * only needs `fetch`, and no specific platform.
 */
export type {
  AccessRequest,
  AuthzClient,
  AuxData,
  CallOptions,
  CheckAllAnswer,
  CheckAllRequest,
  CheckAnswer,
  CheckMeta,
  CheckRequest,
  ClientOptions,
  PlanAnswer,
  PlanMeta,
  PlanRequest,
  PreparedPrincipal,
  PrincipalOptions,
  RequestExtras,
  ResourceAnswer,
  ServerInfo,
  Token,
  ValidationError,
} from './authz-client.js';
export type { BundleProvenance } from '../../proto/gen/messages.js';
export type {
  ActionOf,
  ActorOf,
  AnyPermissions,
  Json,
  KindOf,
  KindPermissions,
  OutputOf,
  Permissions,
  PlannedResourceOf,
  PrincipalOf,
  ResourceActionsOf,
  ResourceOf,
  RoleOf,
  WithActions,
} from '../../runtime/policy/index.js';
export { AuthzError, type AuthzErrorCode } from './authz-error.js';
export { capabilities, type CapabilitiesRequest } from './capabilities.js';
export { connectClient } from './connect-client.js';
export type { HeaderValues, HttpOptions } from './http-transport.js';
export { inProcessClient, type InProcessOptions, type TokensByName } from './in-process-client.js';
export { restClient } from './rest-client.js';
