import type {
  CheckResourcesRequest,
  CheckResourcesResponse,
  PlanResourcesRequest,
  PlanResourcesResponse,
  ServerInfoResponse,
} from '../../proto/gen/messages.js';

/** How a message is sent. */
export interface Sending {
  readonly signal: AbortSignal;
  /** The bundle that the caller demands. */
  readonly minBundle?: string | undefined;
}

/** A response, with its metadata. */
export interface Received<Message> {
  readonly message: Message;
  /** Hash of the bundle that decided; empty if it is not known. */
  readonly bundleHash: string;
}

/**
 * Sends messages to a decision point and returns its responses. Methods reject with an AuthzError, or with any other
 * error.
 */
export interface Transport {
  check(request: CheckResourcesRequest, sending: Sending): Promise<Received<CheckResourcesResponse>>;
  plan(request: PlanResourcesRequest, sending: Sending): Promise<Received<PlanResourcesResponse>>;
  serverInfo(signal: AbortSignal): Promise<ServerInfoResponse>;
  close(): void;
}

/** The header or metadata that demands a bundle, and the one with the hash of the bundle that decided. */
export const MIN_BUNDLE = 'authz-min-bundle';
export const BUNDLE_HASH = 'authz-bundle-hash';
