import type { ViolationBudget } from './few-violations.js';

/** How a call came in. REST, Connect and gRPC-Web share the HTTP listener. */
export type Protocol = 'rest' | 'connect' | 'grpc-web' | 'grpc';

/**
 * One call of an RPC from its first byte to its answer, as the service and its watchers see it. What only a watcher
 * needs (peer, metadata) is made when asked for.
 */
export interface Call {
  /** `/authz.svc.v1.AuthzService/CheckResources`, whatever the protocol (docs/spec/server.md#access-entries). */
  readonly method: string;
  readonly protocol: Protocol;
  /** When it came in, in milliseconds since 1970. */
  readonly timestamp: number;
  /** The same moment by `performance.now()`, in milliseconds. */
  readonly start: number;
  /** The call id (docs/spec/server.md#call-id); empty until the request has been found valid. */
  id: string;
  /**
   * Put here by who traces, as soon as the call has come in, and understood by nobody else; a call that has it is
   * sampled, and its parts are to be timed.
   */
  trace?: object | undefined;
  /** What its answer may still list of attributes that violate their schemas; absent until there are any. */
  violations?: ViolationBudget | undefined;
  /** How many characters of the request its answer repeats; absent until there are any. */
  repeated?: number | undefined;
  /** The caller (docs/spec/server.md#peer). */
  readonly peer: () => Peer;
  /**
   * Headers or gRPC metadata as sent: lower-case names, values in order; nothing of the connection
   * (docs/spec/server.md#metadata).
   */
  readonly metadata: () => ReadonlyMap<string, readonly string[]>;
  /** The host and port that the caller named (`Host`, `:authority`); empty when it named none. */
  readonly host: () => string;
  /** Whether it came in by TLS, whatever the protocol. */
  readonly isEncrypted: () => boolean;
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
