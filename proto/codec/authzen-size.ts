import type { AccessEvaluationBatchRequest, AccessEvaluationRequest, Action, Evaluation, Subject } from '../authzen-messages.js';
import { field, mapSize, text } from './field-size.js';

/** The size of an AccessEvaluationRequest in its protobuf encoding, in bytes (message-size.ts). */
export function accessEvaluationRequestSize(request: AccessEvaluationRequest): number {
  return evaluationSize(request);
}

/** The size of an AccessEvaluationBatchRequest. */
export function accessEvaluationBatchRequestSize(request: AccessEvaluationBatchRequest): number {
  let size = evaluationSize(request);
  for (const evaluation of request.evaluations) size += field(evaluationSize(evaluation));
  if (request.options !== undefined) size += field(text(request.options.evaluationsSemantic));
  return size;
}

function evaluationSize({ subject, resource, action, context }: Evaluation): number {
  let size = mapSize(context);
  if (subject !== undefined) size += field(entitySize(subject));
  if (resource !== undefined) size += field(entitySize(resource));
  if (action !== undefined) size += field(actionSize(action));
  return size;
}

/** A resource looks like a subject. */
function entitySize({ type, id, properties }: Subject): number {
  return text(type) + text(id) + mapSize(properties);
}

function actionSize({ name, properties }: Action): number {
  return text(name) + mapSize(properties);
}
