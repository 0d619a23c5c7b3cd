import { byAction } from '../by-action.js';
import type { CheckResourcesResponse, OutputEntry, Resource, ResultEntry } from '../messages.js';
import { writeJsonValue } from '../wire/value.js';
import { writeDecisionMeta, writeEffects, writeValidationErrors } from './response-parts.js';
import { type WireWriter, writeText } from '../wire/writer.js';

/**
 * CheckResourcesResponse in its protobuf encoding (docs/spec/server.md#check-messages), written from the decisions;
 * maps sorted by key.
 */
export function encodeCheckResourcesResponse(response: CheckResourcesResponse, writer: WireWriter): Buffer {
  writer.begin();
  writeText(writer, 3, response.authzCallId);
  for (let index = response.results.length - 1; index >= 0; index--) {
    const mark = writer.mark();
    writeResult(writer, response.results[index] as ResultEntry, response.includeMeta);
    writer.messageField(2, mark);
  }
  writeText(writer, 1, response.requestId);
  return writer.finish();
}

function writeResult(writer: WireWriter, result: ResultEntry, includeMeta: boolean): void {
  const { outputs, validationErrors, effectiveDerivedRoles } = result.decision;
  const actions = byAction(result.decision.actions);
  for (let index = outputs.length - 1; index >= 0; index--) writeOutput(writer, outputs[index] as OutputEntry);
  if (includeMeta) {
    const mark = writer.mark();
    writeDecisionMeta(writer, actions, effectiveDerivedRoles);
    writer.messageField(4, mark);
  }
  writeValidationErrors(writer, 3, validationErrors);
  writeEffects(writer, 2, actions);
  writeResource(writer, result.resource);
}

function writeResource(writer: WireWriter, resource: Resource): void {
  const mark = writer.mark();
  writeText(writer, 4, resource.scope);
  writeText(writer, 3, resource.policyVersion);
  writeText(writer, 2, resource.kind);
  writeText(writer, 1, resource.id);
  writer.messageField(1, mark);
}

function writeOutput(writer: WireWriter, output: OutputEntry): void {
  const mark = writer.mark();
  if ('error' in output) writeText(writer, 4, output.error);
  writeText(writer, 3, output.action);
  if ('val' in output) {
    const value = writer.mark();
    writeJsonValue(writer, output.val);
    writer.messageField(2, value);
  }
  writeText(writer, 1, output.src);
  writer.messageField(5, mark);
}
