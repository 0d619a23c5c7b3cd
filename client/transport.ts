import type {
  CheckResourcesRequest,
  CheckResourcesResponse,
  PlanResourcesRequest,
  PlanResourcesResponse,
  ServerInfoResponse,
} from '../proto/gen/messages.js';

/** How messages get to a decision point and back. Methods reject with an AuthzError, or with whatever went wrong. */
export interface Transport {
  check(request: CheckResourcesRequest, signal: AbortSignal): Promise<CheckResourcesResponse>;
  plan(request: PlanResourcesRequest, signal: AbortSignal): Promise<PlanResourcesResponse>;
  serverInfo(signal: AbortSignal): Promise<ServerInfoResponse>;
  close(): void;
}
