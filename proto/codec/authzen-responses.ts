import type { AccessEvaluationBatchResponse, AccessEvaluationResponse, MetadataResponse } from '../authzen-messages.js';
import { checkResponseValue } from './check-response-value.js';
import { writeJsonValue } from '../wire/value.js';
import { type WireWriter, writeText } from '../wire/writer.js';

/** AccessEvaluationResponse in its protobuf encoding; a denial is written too (docs/spec/server.md#json-mapping). */
export function encodeAccessEvaluationResponse(response: AccessEvaluationResponse, writer: WireWriter): Buffer {
  writer.begin();
  writeEvaluation(writer, response, SINGLE);
  return writer.finish();
}

/** AccessEvaluationBatchResponse in its protobuf encoding. */
export function encodeAccessEvaluationBatchResponse(
  response: AccessEvaluationBatchResponse,
  writer: WireWriter,
): Buffer {
  writer.begin();
  if ('decision' in response) writeEvaluation(writer, response, IN_BATCH);
  else writeEvaluations(writer, response.evaluations);
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

/** The numbers of the fields that hold an answer. */
const SINGLE = { decision: 1, context: 2 } as const;
const IN_BATCH = { decision: 100, context: 101 } as const;

function writeEvaluations(writer: WireWriter, evaluations: readonly AccessEvaluationResponse[]): void {
  for (let index = evaluations.length - 1; index >= 0; index--) {
    const mark = writer.mark();
    writeEvaluation(writer, evaluations[index] as AccessEvaluationResponse, SINGLE);
    writer.messageField(1, mark);
  }
}

function writeEvaluation(
  writer: WireWriter,
  { decision, response }: AccessEvaluationResponse,
  fields: typeof SINGLE | typeof IN_BATCH,
): void {
  if (response !== undefined) {
    const entry = writer.mark();
    const value = writer.mark();
    writeJsonValue(writer, checkResponseValue(response));
    writer.messageField(2, value);
    writer.stringField(1, 'authz.response');
    writer.messageField(fields.context, entry);
  }
  writer.varintField(fields.decision, decision ? 1 : 0);
}
