import { byAction } from '../by-action.js';
import type { CheckResourceSetRequest, CheckResourceSetResponse, InstanceDecision } from '../legacy-messages.js';
import { readJsonEntry } from './json-value.js';
import { type AuxDataDraft, type PrincipalDraft, readAuxData, readPrincipal } from './request-parts.js';
import { writeDecisionMeta, writeEffects, writeText, writeValidationErrors } from './response-parts.js';
import type { TextTable } from './text-table.js';
import { BYTES, VARINT, WireReader } from './wire-reader.js';
import type { WireWriter } from './wire-writer.js';

/** CheckResourceSetRequest from its protobuf encoding. Throws a WireError. */
export function decodeCheckResourceSetRequest(bytes: Buffer, texts?: TextTable): CheckResourceSetRequest {
  const reader = new WireReader(bytes, texts);
  const request: Draft = { requestId: '', actions: [], principal: undefined, resource: undefined, includeMeta: false, auxData: undefined };
  while (reader.at < bytes.length) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | BYTES:
        request.requestId = reader.string();
        break;
      case (2 << 3) | BYTES:
        request.actions.push(reader.string());
        break;
      case (3 << 3) | BYTES:
        request.principal = readPrincipal(reader, request.principal);
        break;
      case (4 << 3) | BYTES:
        request.resource = readResourceSet(reader, request.resource);
        break;
      case (5 << 3) | VARINT:
        request.includeMeta = reader.bool();
        break;
      case (6 << 3) | BYTES:
        request.auxData = readAuxData(reader, request.auxData);
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.checkEnd(bytes.length);
  return request;
}

/** CheckResourceSetResponse in its protobuf encoding; maps sorted by key. */
export function encodeCheckResourceSetResponse(response: CheckResourceSetResponse, writer: WireWriter): Buffer {
  const { instances } = response;
  writer.begin();
  if (response.includeMeta) {
    const mark = writer.mark();
    for (let index = instances.length - 1; index >= 0; index--) writeInstanceMeta(writer, instances[index] as InstanceDecision);
    writer.messageField(3, mark);
  }
  for (let index = instances.length - 1; index >= 0; index--) writeInstance(writer, instances[index] as InstanceDecision);
  writeText(writer, 1, response.requestId);
  return writer.finish();
}

interface Draft {
  requestId: string;
  actions: string[];
  principal: PrincipalDraft | undefined;
  resource: ResourceSetDraft | undefined;
  includeMeta: boolean;
  auxData: AuxDataDraft | undefined;
}

interface ResourceSetDraft {
  kind: string;
  policyVersion: string;
  instances: Map<string, AttributesDraft>;
  scope: string;
}

interface AttributesDraft {
  attr: Record<string, unknown>;
}

function readResourceSet(reader: WireReader, known: ResourceSetDraft | undefined): ResourceSetDraft {
  const set = known ?? { kind: '', policyVersion: '', instances: new Map(), scope: '' };
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | BYTES:
        set.kind = reader.string();
        break;
      case (2 << 3) | BYTES:
        set.policyVersion = reader.string();
        break;
      case (3 << 3) | BYTES:
        readInstance(reader, set.instances);
        break;
      case (4 << 3) | BYTES:
        set.scope = reader.string();
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.checkEnd(end);
  return set;
}

function readInstance(reader: WireReader, instances: Map<string, AttributesDraft>): void {
  const end = reader.messageEnd();
  const instance: AttributesDraft = { attr: {} };
  let id = '';
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) id = reader.string();
    else if (tag === ((2 << 3) | BYTES)) readAttributes(reader, instance);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  instances.set(id, instance);
}

function readAttributes(reader: WireReader, instance: AttributesDraft): void {
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) readJsonEntry(reader, instance.attr);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
}

function writeInstance(writer: WireWriter, { id, decision }: InstanceDecision): void {
  const entry = writer.mark();
  const value = writer.mark();
  writeValidationErrors(writer, 2, decision.validationErrors);
  writeEffects(writer, 1, byAction(decision.actions));
  writer.messageField(2, value);
  writer.stringField(1, id);
  writer.messageField(2, entry);
}

function writeInstanceMeta(writer: WireWriter, { id, decision }: InstanceDecision): void {
  const entry = writer.mark();
  const value = writer.mark();
  writeDecisionMeta(writer, byAction(decision.actions), decision.effectiveDerivedRoles);
  writer.messageField(2, value);
  writer.stringField(1, id);
  writer.messageField(1, entry);
}
