import type { AccessEvaluationBatchRequest, AccessEvaluationRequest, Action, BatchOptions, Evaluation, Resource, Subject } from '../../../proto/authzen-messages.js';
import { attributes, message, messageReader, messages, readDocument, text } from './message-reader.js';

/** AccessEvaluationRequest from its JSON form (server.md 1.2). Throws an RpcError that says what is wrong and where. */
export function readAccessEvaluationRequest(body: Buffer): AccessEvaluationRequest {
  return readDocument(body, evaluation);
}

/** AccessEvaluationBatchRequest from its JSON form. */
export function readAccessEvaluationBatchRequest(body: Buffer): AccessEvaluationBatchRequest {
  return readDocument(body, batch);
}

/** MetadataRequest from its JSON form: an object without fields. */
export function readMetadataRequest(body: Buffer): Record<string, never> {
  return readDocument(body, metadata);
}

const fields = {
  subject: message(messageReader<Subject>({ type: text, id: text, properties: attributes })),
  resource: message(messageReader<Resource>({ type: text, id: text, properties: attributes })),
  action: message(messageReader<Action>({ name: text, properties: attributes })),
  context: attributes,
};
const evaluation = messageReader<Evaluation>(fields);
const batch = messageReader<AccessEvaluationBatchRequest>({
  ...fields,
  evaluations: messages(evaluation),
  options: message(messageReader<BatchOptions>({ evaluationsSemantic: text })),
});
const metadata = messageReader<Record<string, never>>({});
