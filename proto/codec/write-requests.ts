import type { AuxData, CheckResourcesRequest, PlanResource, PlanResourcesRequest, Principal, RequestContext, Resource, ResourceEntry, Token } from '../messages.js';
import { writeJsonEntries } from './json-value.js';
import { writeText, writeTexts } from './response-parts.js';
import type { WireWriter } from './wire-writer.js';

/** CheckResourcesRequest in its protobuf encoding: the caller's half of `decodeCheckResourcesRequest`. */
export function encodeCheckResourcesRequest(request: CheckResourcesRequest, writer: WireWriter): Buffer {
  const { principal, resources, auxData, requestContext } = request;
  writer.begin();
  if (requestContext !== undefined) writeMessage(writer, 6, () => writeContext(writer, requestContext));
  if (auxData !== undefined) writeMessage(writer, 5, () => writeAuxData(writer, auxData));
  for (const entry of [...resources].reverse()) writeMessage(writer, 4, () => writeEntry(writer, entry));
  if (principal !== undefined) writeMessage(writer, 3, () => writePrincipal(writer, principal));
  if (request.includeMeta) writer.varintField(2, 1);
  writeText(writer, 1, request.requestId);
  return writer.finish();
}

/** PlanResourcesRequest, likewise. */
export function encodePlanResourcesRequest(request: PlanResourcesRequest, writer: WireWriter): Buffer {
  const { principal, resource, auxData, requestContext } = request;
  writer.begin();
  if (requestContext !== undefined) writeMessage(writer, 8, () => writeContext(writer, requestContext));
  writeTexts(writer, 7, request.actions);
  if (request.includeMeta) writer.varintField(6, 1);
  if (auxData !== undefined) writeMessage(writer, 5, () => writeAuxData(writer, auxData));
  if (resource !== undefined) writeMessage(writer, 4, () => writePlanResource(writer, resource));
  if (principal !== undefined) writeMessage(writer, 3, () => writePrincipal(writer, principal));
  writeText(writer, 2, request.action);
  writeText(writer, 1, request.requestId);
  return writer.finish();
}

function writeMessage(writer: WireWriter, field: number, write: () => void): void {
  const mark = writer.mark();
  write();
  writer.messageField(field, mark);
}

function writePrincipal(writer: WireWriter, { id, policyVersion, roles, attr, scope }: Principal): void {
  writeText(writer, 5, scope);
  writeJsonEntries(writer, 4, attr);
  writeTexts(writer, 3, roles);
  writeText(writer, 2, policyVersion);
  writeText(writer, 1, id);
}

function writeEntry(writer: WireWriter, { actions, resource }: ResourceEntry): void {
  if (resource !== undefined) writeMessage(writer, 2, () => writeResource(writer, resource));
  writeTexts(writer, 1, actions);
}

function writeResource(writer: WireWriter, { kind, policyVersion, id, attr, scope }: Resource): void {
  writeText(writer, 5, scope);
  writeJsonEntries(writer, 4, attr);
  writeText(writer, 3, id);
  writeText(writer, 2, policyVersion);
  writeText(writer, 1, kind);
}

function writePlanResource(writer: WireWriter, { kind, policyVersion, attr, scope }: PlanResource): void {
  writeText(writer, 4, scope);
  writeText(writer, 3, policyVersion);
  writeJsonEntries(writer, 2, attr);
  writeText(writer, 1, kind);
}

function writeAuxData(writer: WireWriter, { jwt, jwts }: AuxData): void {
  for (const [name, token] of [...jwts].reverse()) {
    writeMessage(writer, 2, () => {
      writeMessage(writer, 2, () => writeToken(writer, token));
      writer.stringField(1, name);
    });
  }
  if (jwt !== undefined) writeMessage(writer, 1, () => writeToken(writer, jwt));
}

function writeToken(writer: WireWriter, { token, keySetId }: Token): void {
  writeText(writer, 2, keySetId);
  writeText(writer, 1, token);
}

function writeContext(writer: WireWriter, { annotations }: RequestContext): void {
  writeJsonEntries(writer, 1, annotations);
}
