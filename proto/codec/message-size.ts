import type { CheckResourceBatchRequest, CheckResourceSetRequest, ResourceSet } from '../legacy-messages.js';
import type { CheckResourcesRequest, PlanResource, PlanResourcesRequest } from '../messages.js';
import { auxDataSize, entrySize, field, mapSize, principalSize, text, texts } from './field-size.js';

/**
 * The size of a CheckResourcesRequest in its protobuf encoding, in bytes: what the message limit is measured on, also for
 * requests that came as JSON (server.md 1.7). Attribute values may be nested without bound.
 */
export function checkResourcesRequestSize(request: CheckResourcesRequest): number {
  let size = text(request.requestId) + (request.includeMeta ? 2 : 0);
  if (request.principal !== undefined) size += field(principalSize(request.principal));
  for (const entry of request.resources) size += field(entrySize(entry));
  if (request.auxData !== undefined) size += field(auxDataSize(request.auxData));
  if (request.requestContext !== undefined) size += field(mapSize(request.requestContext.annotations));
  return size;
}

/** The size of a PlanResourcesRequest, measured alike. */
export function planResourcesRequestSize(request: PlanResourcesRequest): number {
  let size = text(request.requestId) + text(request.action) + texts(request.actions) + (request.includeMeta ? 2 : 0);
  if (request.principal !== undefined) size += field(principalSize(request.principal));
  if (request.resource !== undefined) size += field(planResourceSize(request.resource));
  if (request.auxData !== undefined) size += field(auxDataSize(request.auxData));
  if (request.requestContext !== undefined) size += field(mapSize(request.requestContext.annotations));
  return size;
}

/** The size of a CheckResourceSetRequest. */
export function checkResourceSetRequestSize(request: CheckResourceSetRequest): number {
  let size = text(request.requestId) + texts(request.actions) + (request.includeMeta ? 2 : 0);
  if (request.principal !== undefined) size += field(principalSize(request.principal));
  if (request.resource !== undefined) size += field(resourceSetSize(request.resource));
  if (request.auxData !== undefined) size += field(auxDataSize(request.auxData));
  return size;
}

/** The size of a CheckResourceBatchRequest. */
export function checkResourceBatchRequestSize(request: CheckResourceBatchRequest): number {
  let size = text(request.requestId);
  if (request.principal !== undefined) size += field(principalSize(request.principal));
  for (const entry of request.resources) size += field(entrySize(entry));
  if (request.auxData !== undefined) size += field(auxDataSize(request.auxData));
  return size;
}

function planResourceSize(resource: PlanResource): number {
  return text(resource.kind) + mapSize(resource.attr) + text(resource.policyVersion) + text(resource.scope);
}

function resourceSetSize({ kind, policyVersion, instances, scope }: ResourceSet): number {
  let size = text(kind) + text(policyVersion) + text(scope);
  for (const [id, { attr }] of instances) size += field(field(Buffer.byteLength(id)) + field(mapSize(attr)));
  return size;
}
