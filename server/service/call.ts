import type { TenantDocument } from '../../runtime/engine/index.js';
import type { DecidingBundle } from './decider.js';
import type { ViolationBudget } from './few-violations.js';

/** The protocol of a call. REST, Connect and gRPC-Web share the HTTP listener. */
export type Protocol = 'rest' | 'connect' | 'grpc-web' | 'grpc';

/**
 * One call of an RPC from its first byte to its response, as the service and its watchers see it. Properties that only
 * a watcher needs (peer, metadata) are computed on demand.
 */
export interface Call {
  /** `/authz.svc.v1.AuthzService/CheckResources`, for every protocol (docs/spec/server.md#access-entries). */
  readonly method: string;
  readonly protocol: Protocol;
  /** When it was received, in milliseconds since 1970. */
  readonly timestamp: number;
  /** The same time by `performance.now()`, in milliseconds. */
  readonly start: number;
  /** The call id (docs/spec/server.md#call-id); empty until the request has been found valid. */
  id: string;
  /**
   * Set by the tracer as soon as the call is received, and opaque to all other code; a call with a trace is sampled,
   * and its parts must be timed.
   */
  trace?: object | undefined;
  /** The remaining budget for listing schema violations in the response; absent until there are any. */
  violations?: ViolationBudget | undefined;
  /** How many characters of the request its response repeats; absent until there are any. */
  repeated?: number | undefined;
  /** The documents of tenants with which the call is decided, by tenant; absent until one is needed. */
  tenants?: Map<string, LoadedTenant> | undefined;
  /** The facts that were fetched for it; absent unless there are sources. */
  facts?: CallFacts | undefined;
  /** The bundle that decides it; undefined until it is chosen. */
  bundle?: DecidingBundle | undefined;
  /** The caller (docs/spec/server.md#peer). */
  readonly peer: () => Peer;
  /**
   * Headers or gRPC metadata as sent: lower-case names, values in order; nothing of the connection
   * (docs/spec/server.md#metadata).
   */
  readonly metadata: () => ReadonlyMap<string, readonly string[]>;
  /** One header or metadata value by its lower-case name: several are joined by commas. */
  readonly header: (name: string) => string | undefined;
  /**
   * The header `authorization` of the client of a proxy that asks about its request; absent if the call is not of a proxy:
   * then its own header counts. Throws an RpcError if it cannot be read.
   */
  clientAuthorization?: () => string | undefined;
  /** The host and port that the caller named (`Host`, `:authority`); empty if it named none. */
  readonly host: () => string;
  /** Whether it was received over TLS, for every protocol. */
  readonly isEncrypted: () => boolean;
  /** Aborted if the caller disconnects, or cancels the call, before it is answered; absent if the transport cannot tell. */
  readonly abandoned?: () => AbortSignal;
}

/** The facts of one call, opaque to all but those who fetch them. */
export interface CallFacts {
  /** Whether something could not be decided, as `sources.onFailure: deny` lets the call be answered nevertheless. */
  isUnknown: boolean;
}

/** The document of a tenant. */
export interface LoadedTenant {
  /** Undefined if the tenant has no roles of its own. */
  readonly document: TenantDocument | undefined;
  /** SHA-256 of its text, in hexadecimal; empty without a document. */
  readonly digest: string;
}

/** The other end of a call (docs/spec/server.md#peer). Absent parts are empty. */
export interface Peer {
  /** `ip:port` of the TCP peer, `@` for a Unix socket. */
  readonly address: string;
  /** The kind of transport security; empty for plaintext. */
  readonly authInfo: string;
  readonly userAgent: string;
  readonly forwardedFor: string;
}
