import { byAction } from '../by-action.js';
import type { CheckResourceBatchRequest, CheckResourceBatchResponse, InstanceDecision } from '../legacy-messages.js';
import { type AuxDataDraft, type PrincipalDraft, readAuxData, readPrincipal, readResourceEntry, type ResourceEntryDraft } from './request-parts.js';
import { writeEffects, writeText, writeValidationErrors } from './response-parts.js';
import type { TextTable } from './text-table.js';
import { BYTES, WireReader } from './wire-reader.js';
import type { WireWriter } from './wire-writer.js';

/** CheckResourceBatchRequest from its protobuf encoding. Throws a WireError. */
export function decodeCheckResourceBatchRequest(bytes: Buffer, texts?: TextTable): CheckResourceBatchRequest {
  const reader = new WireReader(bytes, texts);
  const request: Draft = { requestId: '', principal: undefined, resources: [], auxData: undefined };
  while (reader.at < bytes.length) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | BYTES:
        request.requestId = reader.string();
        break;
      case (2 << 3) | BYTES:
        request.principal = readPrincipal(reader, request.principal);
        break;
      case (3 << 3) | BYTES:
        request.resources.push(readResourceEntry(reader));
        break;
      case (4 << 3) | BYTES:
        request.auxData = readAuxData(reader, request.auxData);
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.checkEnd(bytes.length);
  return request;
}

/** CheckResourceBatchResponse in its protobuf encoding; maps sorted by key. */
export function encodeCheckResourceBatchResponse(response: CheckResourceBatchResponse, writer: WireWriter): Buffer {
  writer.begin();
  for (let index = response.results.length - 1; index >= 0; index--) {
    const { id, decision } = response.results[index] as InstanceDecision;
    const mark = writer.mark();
    writeValidationErrors(writer, 3, decision.validationErrors);
    writeEffects(writer, 2, byAction(decision.actions));
    writeText(writer, 1, id);
    writer.messageField(2, mark);
  }
  writeText(writer, 1, response.requestId);
  return writer.finish();
}

interface Draft {
  requestId: string;
  principal: PrincipalDraft | undefined;
  resources: ResourceEntryDraft[];
  auxData: AuxDataDraft | undefined;
}
