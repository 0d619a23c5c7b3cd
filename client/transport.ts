import type {
  CheckResourcesRequest,
  CheckResourcesResponse,
  PlanResourcesRequest,
  PlanResourcesResponse,
  ServerInfoResponse,
} from '../proto/gen/messages.js';

/**
 * Sends messages to a decision point and returns its responses. Methods reject with an AuthzError, or with any other
 * error.
 */
export interface Transport {
  check(request: CheckResourcesRequest, signal: AbortSignal): Promise<CheckResourcesResponse>;
  plan(request: PlanResourcesRequest, signal: AbortSignal): Promise<PlanResourcesResponse>;
  serverInfo(signal: AbortSignal): Promise<ServerInfoResponse>;
  close(): void;
}
