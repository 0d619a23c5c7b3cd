/**
 * How the messages that have rules stand in TypeScript: the file in proto/ and the name there. A field is named in camel case; an absent
 * message is undefined, a map from name to JSON value is an object, a map from name to message is a Map, an enum is a number. A oneof is the
 * field that is set, `{ by: its name, value }`, or undefined.
 */
export const MESSAGE_TYPES: { readonly [message: string]: readonly [file: string, type: string] } = {
  'authz.engine.v1.Principal': ['messages', 'Principal'],
  'authz.engine.v1.Resource': ['messages', 'Resource'],
  'authz.engine.v1.PlanResourcesInput.Resource': ['messages', 'PlanResource'],
  'authz.request.v1.AuxData': ['messages', 'AuxData'],
  'authz.request.v1.AuxData.JWT': ['messages', 'Token'],
  'authz.request.v1.RequestContext': ['messages', 'RequestContext'],
  'authz.request.v1.CheckResourcesRequest': ['messages', 'CheckResourcesRequest'],
  'authz.request.v1.CheckResourcesRequest.ResourceEntry': ['messages', 'ResourceEntry'],
  'authz.request.v1.PlanResourcesRequest': ['messages', 'PlanResourcesRequest'],
  'authz.request.v1.CheckResourceSetRequest': ['legacy-messages', 'CheckResourceSetRequest'],
  'authz.request.v1.ResourceSet': ['legacy-messages', 'ResourceSet'],
  'authz.request.v1.CheckResourceBatchRequest': ['legacy-messages', 'CheckResourceBatchRequest'],
  'authz.request.v1.CheckResourceBatchRequest.BatchEntry': ['messages', 'ResourceEntry'],
  'authz.request.v1.ListAuditLogEntriesRequest': ['audit-request', 'ListAuditLogEntriesRequest'],
  'authz.request.v1.ListAuditLogEntriesRequest.TimeRange': ['audit-request', 'TimeRange'],
  'authzen.authorization.v1.Subject': ['authzen-messages', 'Subject'],
  'authzen.authorization.v1.Resource': ['authzen-messages', 'Resource'],
  'authzen.authorization.v1.Action': ['authzen-messages', 'Action'],
  'authzen.authorization.v1.AccessEvaluationRequest': ['authzen-messages', 'AccessEvaluationRequest'],
  'authzen.authorization.v1.AccessEvaluationBatchRequest': ['authzen-messages', 'AccessEvaluationBatchRequest'],
  'authzen.authorization.v1.AccessEvaluationBatchRequest.Evaluation': ['authzen-messages', 'Evaluation'],
  'authzen.authorization.v1.AccessEvaluationBatchRequest.Options': ['authzen-messages', 'BatchOptions'],
};

/** The requests that are validated: each gets a function that gives its violations. */
export const VALIDATED: readonly string[] = [
  'authz.request.v1.CheckResourcesRequest',
  'authz.request.v1.PlanResourcesRequest',
  'authz.request.v1.CheckResourceSetRequest',
  'authz.request.v1.CheckResourceBatchRequest',
  'authz.request.v1.ListAuditLogEntriesRequest',
  'authzen.authorization.v1.AccessEvaluationRequest',
  'authzen.authorization.v1.AccessEvaluationBatchRequest',
];
