import type { PlanResource, PlanResourcesRequest } from '../../../proto/messages.js';
import { attributes, flag, message, messageReader, readDocument, text, texts } from './message-reader.js';
import { readAuxData, readPrincipal, readRequestContext } from './read-check-resources.js';

/** PlanResourcesRequest from its JSON form (planner.md 1.2). Throws an RpcError that says what is wrong and where. */
export function readPlanResourcesRequest(body: Buffer): PlanResourcesRequest {
  return readDocument(body, planRequest);
}

const planRequest = messageReader<PlanResourcesRequest>({
  requestId: text,
  action: text,
  principal: message(readPrincipal),
  resource: message(messageReader<PlanResource>({ kind: text, attr: attributes, policyVersion: text, scope: text })),
  auxData: message(readAuxData),
  includeMeta: flag,
  actions: texts,
  requestContext: message(readRequestContext),
});
