import { byAction } from '../by-action.js';
import type { CheckResourceSetResponse, InstanceDecision } from '../legacy-messages.js';
import { writeDecisionMeta, writeEffects, writeValidationErrors } from './response-parts.js';
import { type WireWriter, writeText } from '../wire/writer.js';

/** CheckResourceSetResponse in its protobuf encoding; maps sorted by key. */
export function encodeCheckResourceSetResponse(response: CheckResourceSetResponse, writer: WireWriter): Buffer {
  const { instances } = response;
  writer.begin();
  if (response.includeMeta) {
    const mark = writer.mark();
    for (let index = instances.length - 1; index >= 0; index--)
      writeInstanceMeta(writer, instances[index] as InstanceDecision);
    writer.messageField(3, mark);
  }
  for (let index = instances.length - 1; index >= 0; index--)
    writeInstance(writer, instances[index] as InstanceDecision);
  writeText(writer, 1, response.requestId);
  return writer.finish();
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
