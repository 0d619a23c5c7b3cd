import { byAction } from '../by-action.js';
import type { ActionDecision, CheckResourcesResponse, OutputEntry, Resource, ResultEntry, ValidationError } from '../messages.js';
import { writeJsonValue } from './json-value.js';
import type { WireWriter } from './wire-writer.js';

/** CheckResourcesResponse in its protobuf encoding (server.md 1.2), written from the decisions; maps sorted by key. */
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
  if (includeMeta) writeMeta(writer, actions, effectiveDerivedRoles);
  for (let index = validationErrors.length - 1; index >= 0; index--) {
    writeValidationError(writer, validationErrors[index] as ValidationError);
  }
  for (let index = actions.length - 1; index >= 0; index--) {
    const { action, effect } = actions[index] as ActionDecision;
    const mark = writer.mark();
    writer.varintField(2, effect);
    writer.stringField(1, action);
    writer.messageField(2, mark);
  }
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

function writeValidationError(writer: WireWriter, error: ValidationError): void {
  const mark = writer.mark();
  writer.varintField(3, error.source === 'SOURCE_PRINCIPAL' ? 1 : 2);
  writeText(writer, 2, error.message);
  writeText(writer, 1, error.path);
  writer.messageField(3, mark);
}

function writeMeta(writer: WireWriter, actions: readonly ActionDecision[], derivedRoles: readonly string[]): void {
  const mark = writer.mark();
  for (let index = derivedRoles.length - 1; index >= 0; index--) writer.stringField(2, derivedRoles[index] as string);
  for (let index = actions.length - 1; index >= 0; index--) {
    const { action, matchedPolicy, matchedScope } = actions[index] as ActionDecision;
    const entry = writer.mark();
    const effect = writer.mark();
    writeText(writer, 2, matchedScope);
    writeText(writer, 1, matchedPolicy);
    writer.messageField(2, effect);
    writer.stringField(1, action);
    writer.messageField(1, entry);
  }
  writer.messageField(4, mark);
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

function writeText(writer: WireWriter, field: number, text: string): void {
  if (text !== '') writer.stringField(field, text);
}
