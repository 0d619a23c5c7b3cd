import type { AccessEvaluationBatchResponse, AccessEvaluationResponse, MetadataResponse } from '../authzen-messages.js';
import { checkResponseValue } from './check-response-value.js';
import { writeJsonValue } from './json-value.js';
import { writeText } from './response-parts.js';
import type { WireWriter } from './wire-writer.js';

/** AccessEvaluationResponse in its protobuf encoding; a denial is written too (server.md 1.4). */
export function encodeAccessEvaluationResponse(response: AccessEvaluationResponse, writer: WireWriter): Buffer {
  writer.begin();
  writeEvaluation(writer, response);
  return writer.finish();
}

/** AccessEvaluationBatchResponse in its protobuf encoding. */
export function encodeAccessEvaluationBatchResponse({ evaluations }: AccessEvaluationBatchResponse, writer: WireWriter): Buffer {
  writer.begin();
  for (let index = evaluations.length - 1; index >= 0; index--) {
    const mark = writer.mark();
    writeEvaluation(writer, evaluations[index] as AccessEvaluationResponse);
    writer.messageField(1, mark);
  }
  return writer.finish();
}

/** MetadataResponse in its protobuf encoding. */
export function encodeMetadataResponse(response: MetadataResponse, writer: WireWriter): Buffer {
  writer.begin();
  writeText(writer, 3, response.accessEvaluationsEndpoint);
  writeText(writer, 2, response.accessEvaluationEndpoint);
  writeText(writer, 1, response.policyDecisionPoint);
  return writer.finish();
}

function writeEvaluation(writer: WireWriter, { decision, response }: AccessEvaluationResponse): void {
  if (response !== undefined) {
    const entry = writer.mark();
    const value = writer.mark();
    writeJsonValue(writer, checkResponseValue(response));
    writer.messageField(2, value);
    writer.stringField(1, 'authz.response');
    writer.messageField(2, entry);
  }
  writer.varintField(1, decision ? 1 : 0);
}
