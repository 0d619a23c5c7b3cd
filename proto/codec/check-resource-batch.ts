import { byAction } from '../by-action.js';
import type { CheckResourceBatchResponse, InstanceDecision } from '../legacy-messages.js';
import { writeEffects, writeValidationErrors } from './response-parts.js';
import { type WireWriter, writeText } from '../wire/writer.js';

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
