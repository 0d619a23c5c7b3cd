import type { DescEnum, DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf';

/*
 * Settings of the generated code for messages and fields, beyond their definitions. They are here and not in the .proto
 * files, because reflection serves those, and clients compile them (docs/decisions/messages-and-transports.md#0019).
 * Names are those of the definitions; a name that does not exist fails the generator.
 */

/** The TypeScript names of messages whose proto name is ambiguous or too short. */
const TYPE_NAMES: { readonly [message: string]: string } = {
  'authz.audit.v1.ChainLogEntry.Lost': 'LostEntries',
  'authz.audit.v1.DecisionLogEntry.CheckResources': 'AuditedCheck',
  'authz.audit.v1.KeptFacts.Input': 'KeptInput',
  'authz.audit.v1.DecisionLogEntry.PlanResources': 'AuditedPlan',
  'authz.engine.v1.PlanResourcesFilter': 'PlanFilter',
  'authz.engine.v1.PlanResourcesFilter.Expression': 'PlanExpression',
  'authz.engine.v1.PlanResourcesFilter.Expression.Operand': 'PlanOperand',
  'authz.engine.v1.PlanResourcesInput': 'PlanInput',
  'authz.engine.v1.PlanResourcesInput.Resource': 'PlanResource',
  'authz.engine.v1.PlanResourcesOutput': 'PlanOutput',
  'authz.policy.v1.PrincipalRule.Action': 'PrincipalAction',
  'authz.policy.v1.Schemas.Schema': 'SchemaReference',
  'authz.request.v1.AuxData.JWT': 'Token',
  'authz.response.v1.CheckResourceBatchResponse.ActionEffectMap': 'BatchResult',
  'authz.response.v1.CheckResourceSetResponse.ActionEffectMap': 'InstanceResult',
  'authz.response.v1.CheckResourceSetResponse.Meta': 'InstancesMeta',
  'authz.response.v1.CheckResourceSetResponse.Meta.ActionMeta': 'InstanceMeta',
  'authz.response.v1.CheckResourceSetResponse.Meta.EffectMeta': 'InstanceEffectMeta',
  'authz.response.v1.CheckResourcesResponse.ResultEntry.Meta': 'ResultMeta',
  'authz.response.v1.CheckResourcesResponse.ResultEntry.Resource': 'ResultResource',
  'authz.response.v1.InspectPoliciesResponse.Attribute': 'InspectedAttribute',
  'authz.response.v1.InspectPoliciesResponse.Constant': 'InspectedConstant',
  'authz.response.v1.InspectPoliciesResponse.DerivedRole': 'InspectedDerivedRole',
  'authz.response.v1.InspectPoliciesResponse.Result': 'InspectedPolicy',
  'authz.response.v1.InspectPoliciesResponse.Variable': 'InspectedVariable',
  'authz.response.v1.PlanResourcesResponse.Meta': 'PlanMeta',
  'authzen.authorization.v1.AccessEvaluationBatchRequest.Options': 'BatchOptions',
  'authzen.authorization.v1.ActionSearchRequest.Page': 'WantedPage',
  'authzen.authorization.v1.ResourceSearchRequest.Resources': 'SearchedResources',
  'authzen.authorization.v1.SubjectSearchRequest.Subjects': 'SearchedSubjects',
  'authzen.authorization.v1.ActionSearchResponse.Page': 'SearchPage',
};

/** Messages whose type is their JSON form, as the engine creates them: enums by name, empty fields absent. */
const JSON_TYPES: ReadonlySet<string> = new Set([
  'authz.engine.v1.OutputEntry',
  'authz.engine.v1.PlanResourcesFilter',
  'authz.engine.v1.PlanResourcesFilter.Expression',
  'authz.engine.v1.PlanResourcesFilter.Expression.Operand',
  'authz.schema.v1.ValidationError',
  'grpc.health.v1.HealthCheckResponse',
]);

/** Fields of responses that are printed even when they are empty, and that types require. */
const ALWAYS: ReadonlySet<string> = new Set([
  'authz.audit.v1.AccessLogEntry.call_id',
  'authz.audit.v1.AccessLogEntry.method',
  'authz.audit.v1.AccessLogEntry.timestamp',
  'authz.audit.v1.ChainLink.hash',
  'authz.audit.v1.ChainLink.id',
  'authz.audit.v1.ChainLink.previous',
  'authz.audit.v1.ChainLink.sequence',
  'authz.audit.v1.ChainLogEntry.event',
  'authz.audit.v1.ChainLogEntry.timestamp',
  'authz.audit.v1.ChainLogEntry.Lost.after',
  'authz.audit.v1.ChainLogEntry.Lost.from',
  'authz.audit.v1.ChainLogEntry.Lost.to',
  'authz.audit.v1.DecisionLogEntry.audit_trail',
  'authz.audit.v1.DecisionLogEntry.call_id',
  'authz.audit.v1.DecisionLogEntry.CheckResources.inputs',
  'authz.audit.v1.DecisionLogEntry.CheckResources.outputs',
  'authz.audit.v1.DecisionLogEntry.PlanResources.input',
  'authz.audit.v1.DecisionLogEntry.timestamp',
  'authz.audit.v1.MetaValues.values',
  'authz.engine.v1.Actor.id',
  'authz.engine.v1.CheckInput.actions',
  'authz.engine.v1.CheckInput.principal',
  'authz.engine.v1.CheckInput.resource',
  'authz.engine.v1.CheckOutput.actions',
  'authz.engine.v1.CheckOutput.ActionEffect.effect',
  'authz.engine.v1.CheckOutput.resource_id',
  'authz.engine.v1.EvaluationError.CELError.expression',
  'authz.engine.v1.EvaluationError.CELError.message',
  'authz.engine.v1.OutputEntry.action',
  'authz.engine.v1.OutputEntry.src',
  'authz.engine.v1.PlanResourcesFilter.Expression.operator',
  'authz.engine.v1.PlanResourcesFilter.kind',
  'authz.engine.v1.PlanResourcesInput.principal',
  'authz.engine.v1.PlanResourcesInput.resource',
  'authz.engine.v1.PlanResourcesInput.Resource.kind',
  'authz.engine.v1.PlanResourcesOutput.filter',
  'authz.engine.v1.PlanResourcesOutput.kind',
  'authz.engine.v1.Principal.id',
  'authz.engine.v1.Resource.kind',
  'authz.response.v1.CheckResourceBatchResponse.ActionEffectMap.actions',
  'authz.response.v1.CheckResourceBatchResponse.ActionEffectMap.resource_id',
  'authz.response.v1.CheckResourceBatchResponse.results',
  'authz.response.v1.CheckResourceSetResponse.ActionEffectMap.actions',
  'authz.response.v1.CheckResourceSetResponse.Meta.ActionMeta.actions',
  'authz.response.v1.CheckResourceSetResponse.Meta.EffectMeta.matched_policy',
  'authz.response.v1.CheckResourceSetResponse.Meta.resource_instances',
  'authz.response.v1.CheckResourceSetResponse.resource_instances',
  'authz.response.v1.CheckResourcesResponse.ResultEntry.actions',
  'authz.response.v1.CheckResourcesResponse.ResultEntry.Meta.actions',
  'authz.response.v1.CheckResourcesResponse.ResultEntry.Meta.EffectMeta.matched_policy',
  'authz.response.v1.CheckResourcesResponse.ResultEntry.resource',
  'authz.response.v1.CheckResourcesResponse.ResultEntry.Resource.id',
  'authz.response.v1.CheckResourcesResponse.ResultEntry.Resource.kind',
  'authz.response.v1.CheckResourcesResponse.results',
  'authz.response.v1.PlanResourcesResponse.filter',
  'authz.response.v1.ServerInfoResponse.build_date',
  'authz.response.v1.ServerInfoResponse.commit',
  'authz.response.v1.ServerInfoResponse.version',
  'authz.schema.v1.ValidationError.message',
  'authz.schema.v1.ValidationError.path',
  'authz.schema.v1.ValidationError.source',
  'authzen.authorization.v1.AccessEvaluationResponse.decision',
  'authzen.authorization.v1.ActionSearchResponse.Page.next_token',
  'authzen.authorization.v1.ActionSearchResponse.results',
  'authzen.authorization.v1.MetadataResponse.access_evaluation_endpoint',
  'authzen.authorization.v1.MetadataResponse.access_evaluations_endpoint',
  'authzen.authorization.v1.MetadataResponse.policy_decision_point',
  'authzen.authorization.v1.MetadataResponse.search_action_endpoint',
  'authzen.authorization.v1.ResourceSearchResponse.results',
  'authzen.authorization.v1.SubjectSearchResponse.results',
  'buf.validate.FieldPath.elements',
  'buf.validate.FieldPathElement.field_name',
  'buf.validate.FieldPathElement.field_number',
  'buf.validate.FieldPathElement.field_type',
  'buf.validate.Violation.message',
  'buf.validate.Violation.rule_id',
  'buf.validate.Violations.violations',
  'google.protobuf.Any.type_url',
  'google.protobuf.Any.value',
  'google.rpc.Status.code',
  'google.rpc.Status.details',
  'google.rpc.Status.message',
  'grpc.health.v1.HealthCheckResponse.status',
  'grpc.health.v1.HealthListResponse.statuses',
]);

/** Properties that types require although responses may omit the field. */
const REQUIRED: ReadonlySet<string> = new Set(['authz.engine.v1.PlanResourcesFilter.Expression.operands']);

/** A map that is a list of objects in TypeScript, sorted by its creator: decisions are written without a copy. */
export interface Entries {
  /** The property that is the key. */
  readonly key: string;
  /** The property that is the value; if absent: the object has the properties of the value. */
  readonly value?: string;
}

const EFFECTS: Entries = { key: 'action', value: 'effect' };
const ENTRIES: { readonly [field: string]: Entries } = {
  'authz.response.v1.CheckResourceBatchResponse.ActionEffectMap.actions': EFFECTS,
  'authz.response.v1.CheckResourceSetResponse.ActionEffectMap.actions': EFFECTS,
  'authz.response.v1.CheckResourceSetResponse.Meta.ActionMeta.actions': { key: 'action' },
  'authz.response.v1.CheckResourceSetResponse.Meta.resource_instances': { key: 'id' },
  'authz.response.v1.CheckResourceSetResponse.resource_instances': { key: 'id' },
  'authz.response.v1.CheckResourcesResponse.ResultEntry.actions': EFFECTS,
  'authz.response.v1.CheckResourcesResponse.ResultEntry.Meta.actions': { key: 'action' },
  'authz.response.v1.CheckResourcesResponse.ResultEntry.Meta.unknown': { key: 'action' },
};

/** Strings, or keys of maps, that recur in every response: their quoted form is cached. */
const RECURRING: ReadonlySet<string> = new Set([
  'authz.response.v1.CheckResourceBatchResponse.ActionEffectMap.actions',
  'authz.response.v1.CheckResourceSetResponse.ActionEffectMap.actions',
  'authz.response.v1.CheckResourcesResponse.ResultEntry.actions',
  'authz.response.v1.CheckResourcesResponse.ResultEntry.Resource.kind',
  'authz.response.v1.CheckResourcesResponse.ResultEntry.Resource.policy_version',
]);

/** A map from string to Value with one entry, whose value is a message in its JSON form. */
export interface Holder {
  /** The property in TypeScript: the message, or undefined. */
  readonly member: string;
  readonly key: string;
  readonly message: string;
}

const CHECK: Holder = { member: 'response', key: 'authz.response', message: 'CheckResourcesResponse' };
const HOLDERS: { readonly [field: string]: Holder } = {
  'authzen.authorization.v1.AccessEvaluationBatchResponse.context': CHECK,
  'authzen.authorization.v1.AccessEvaluationResponse.context': CHECK,
};

/** The handling of a value that JSON cannot represent: another field reports it, or printing fails with this error. */
export type Unprintable = { readonly field: string } | { readonly error: string };

const UNPRINTABLE: { readonly [field: string]: Unprintable } = {
  'authz.engine.v1.OutputEntry.val': { field: 'error' },
  'authz.engine.v1.PlanResourcesFilter.Expression.Operand.value': {
    error: 'the filter has a value that is too deep, or a number that JSON cannot represent',
  },
};

/** Messages in which clients reject unknown fields: if one were ignored, a filter would select other rows. */
const CLOSED: ReadonlySet<string> = new Set([
  'authz.engine.v1.PlanResourcesFilter.Expression',
  'authz.engine.v1.PlanResourcesFilter.Expression.Operand',
]);

/** Values of enums that no response has. */
const UNSENT: ReadonlySet<string> = new Set(['EFFECT_NO_MATCH']);

export function typeName(message: DescMessage): string {
  return TYPE_NAMES[message.typeName] ?? message.name;
}

/** Whether the type of a message is its JSON form. */
export function isJsonType(message: DescMessage): boolean {
  return JSON_TYPES.has(message.typeName);
}

export function isAlways(field: DescField): boolean {
  return ALWAYS.has(fullName(field));
}

/** Whether the property is always present in the type of a message in its JSON form. */
export function isRequiredMember(field: DescField): boolean {
  return isAlways(field) || REQUIRED.has(fullName(field));
}

export function isRecurring(field: DescField): boolean {
  return RECURRING.has(fullName(field));
}

export function isClosed(message: DescMessage): boolean {
  return CLOSED.has(message.typeName);
}

export function findEntries(field: DescField): Entries | undefined {
  return ENTRIES[fullName(field)];
}

export function findHolder(field: DescField): Holder | undefined {
  return HOLDERS[fullName(field)];
}

export function findUnprintable(field: DescField): Unprintable {
  return UNPRINTABLE[fullName(field)] ?? { error: `\`${field.localName}\` has a value that JSON cannot represent` };
}

/** The enum values that responses have, by number. */
export function sentValues({ values }: DescEnum): ReadonlyMap<number, string> {
  return new Map(
    values.filter(({ number, name }) => number > 0 && !UNSENT.has(name)).map(({ number, name }) => [number, name]),
  );
}

/** `authz.request.v1.CheckResourcesRequest.request_id`. */
export function fullName(field: DescField): string {
  return `${field.parent.typeName}.${field.name}`;
}

/** Throws for an option whose target is not in the definitions. */
export function checkOptions(registry: FileRegistry): void {
  for (const name of [...Object.keys(TYPE_NAMES), ...JSON_TYPES, ...CLOSED])
    if (registry.getMessage(name) === undefined) throw new Error(`an option is about ${name}, which does not exist`);
  for (const name of [
    ...ALWAYS,
    ...REQUIRED,
    ...Object.keys({ ...ENTRIES, ...HOLDERS, ...UNPRINTABLE }),
    ...RECURRING,
  ]) {
    const [, message = '', field] = /^(.*)\.(\w+)$/.exec(name) ?? [];
    if (!registry.getMessage(message)?.fields.some((one) => one.name === field))
      throw new Error(`an option is about ${name}, which does not exist`);
  }
}
