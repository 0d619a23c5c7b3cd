import type { AccessEvaluationBatchRequest, Resource, Subject } from '../../proto/authzen-messages.js';

/**
 * A batch whose evaluations are as whole as they get: the type or id that a subject or resource leaves out is that of
 * the batch, nothing else of it (the certification scenario of AuthZEN, 3.2.7; docs/spec/server.md#authzen: whole
 * objects). A default that only lends such parts need not be whole itself.
 */
export function withDefaults(request: AccessEvaluationBatchRequest): AccessEvaluationBatchRequest {
  const { subject, resource } = request;
  if (
    isWhole(subject) &&
    isWhole(resource) &&
    request.evaluations.every((one) => isWhole(one.subject) && isWhole(one.resource))
  )
    return request;
  const evaluations = request.evaluations.map((one) => ({
    ...one,
    subject: filled(one.subject, subject),
    resource: filled(one.resource, resource),
  }));
  const lendsSubject = evaluations.length > 0 && evaluations.every((one) => one.subject !== undefined);
  const lendsResource = evaluations.length > 0 && evaluations.every((one) => one.resource !== undefined);
  return {
    ...request,
    evaluations,
    subject: lendsSubject && !isWhole(subject) ? undefined : subject,
    resource: lendsResource && !isWhole(resource) ? undefined : resource,
  };
}

function isWhole(entity: Subject | Resource | undefined): boolean {
  return entity === undefined || (entity.type !== '' && entity.id !== '');
}

function filled<T extends Subject | Resource>(own: T | undefined, shared: T | undefined): T | undefined {
  if (own === undefined || shared === undefined || isWhole(own)) return own;
  return { ...own, type: own.type || shared.type, id: own.id || shared.id };
}
