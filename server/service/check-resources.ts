import type { AuxData, CheckResourcesRequest, CheckResourcesResponse, Decision, Principal, ResultEntry } from '../../proto/messages.js';
import type { CallIds } from './call-id.js';
import type { CheckEntry, Decider, VerifiedAuxData } from './decider.js';
import { RpcError, refused } from './rpc-error.js';
import { checkResourcesViolations } from './validate-check-resources.js';
import { violationsMessage } from './violation.js';

/** What a check needs beside the request. */
export interface CheckService {
  readonly decider: Decider;
  readonly callIds: CallIds;
  readonly limits: RequestLimits;
  /** Verifies the tokens of a request; rejects when one of them is not good, for whatever reason. */
  readonly verify: (auxData: AuxData) => Promise<VerifiedAuxData>;
}

export interface RequestLimits {
  readonly maxActionsPerResource: number;
  readonly maxResourcesPerRequest: number;
}

/**
 * CheckResources: validation, number of resources, tokens, numbers of actions, decisions, in this order (server.md 1.7).
 * Answers at once unless there are tokens to verify. Throws, or rejects with, an RpcError.
 */
export function checkResources(
  service: CheckService,
  request: CheckResourcesRequest,
): CheckResourcesResponse | Promise<CheckResourcesResponse> {
  const violations = checkResourcesViolations(request);
  if (violations.length > 0) throw new RpcError('invalid_argument', violationsMessage(violations), violations);
  const authzCallId = service.callIds.next();
  limitResources(request.resources.length, service.limits);
  return withClaims(service, request.auxData, (claims) => decide(service, request, authzCallId, claims));
}

/** Goes on with the claims of the tokens: at once when there are none to verify. */
export function withClaims<T>(service: Pick<CheckService, 'verify'>, auxData: AuxData | undefined, goOn: (claims: VerifiedAuxData) => T): T | Promise<T> {
  if (auxData === undefined || (auxData.jwt === undefined && auxData.jwts.size === 0)) return goOn(NO_CLAIMS);
  return verified(service, auxData).then(goOn);
}

const NO_CLAIMS: VerifiedAuxData = { jwt: {}, jwts: {} };

function limitResources(count: number, limits: RequestLimits): void {
  const limit = limits.maxResourcesPerRequest;
  if (count <= limit) return;
  throw refused(`number of resources in batch (${count}) exceeds configured limit (${limit})`);
}

/** The reason goes to nobody: whoever sends a bad token learns only that it is bad (3.5). */
async function verified(service: Pick<CheckService, 'verify'>, auxData: AuxData): Promise<VerifiedAuxData> {
  try {
    return await service.verify(auxData);
  } catch {
    throw refused('invalid auxData');
  }
}

function decide(
  service: CheckService,
  request: CheckResourcesRequest,
  authzCallId: string,
  auxData: VerifiedAuxData,
): CheckResourcesResponse {
  limitActions(request, service.limits);
  const { includeMeta } = request;
  // Validation has seen to it that principal and resources are there.
  const entries = request.resources as readonly CheckEntry[];
  const decisions = service.decider.check({ principal: request.principal as Principal, resources: entries, auxData, includeMeta });
  const results: ResultEntry[] = [];
  for (let index = 0; index < entries.length; index++) {
    results.push({ resource: (entries[index] as CheckEntry).resource, decision: decisions[index] as Decision });
  }
  return { requestId: request.requestId, results, includeMeta, authzCallId };
}

function limitActions(request: CheckResourcesRequest, limits: RequestLimits): void {
  const limit = limits.maxActionsPerResource;
  for (const { actions } of request.resources) {
    if (actions.length <= limit) continue;
    throw refused(`number of actions (${actions.length}) exceeds configured limit (${limit})`);
  }
}
