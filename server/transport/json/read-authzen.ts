import type { AccessEvaluationBatchRequest, AccessEvaluationRequest, Action, BatchOptions, Evaluation, Resource, Subject } from '../../../proto/authzen-messages.js';
import { attributes, message, messages, readDocument, text, tolerantReader } from './message-reader.js';

/**
 * AccessEvaluationRequest from its JSON form (server.md 1.2). Fields that nobody knows are ignored: AuthZEN asks for it, unlike the rest of
 * the interface. Throws an RpcError that says what is wrong and where.
 */
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
  subject: message(tolerantReader<Subject>({ type: text, id: text, properties: attributes })),
  resource: message(tolerantReader<Resource>({ type: text, id: text, properties: attributes })),
  action: message(tolerantReader<Action>({ name: text, properties: attributes })),
  context: attributes,
};
const evaluation = tolerantReader<Evaluation>(fields);
const batch = tolerantReader<AccessEvaluationBatchRequest>({
  ...fields,
  evaluations: messages(evaluation),
  options: message(tolerantReader<BatchOptions>({ evaluationsSemantic: text })),
});
const metadata = tolerantReader<Record<string, never>>({});
