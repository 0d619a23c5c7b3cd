import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import { findEntries, findHolder, isJsonType } from './options.js';

/** A request, and the code that is generated for it beside its types. */
export interface RequestRow {
  readonly message: string;
  /** The function that computes its size, for the limit on message sizes. */
  readonly isMeasured: boolean;
  /** The function that writes it, for clients. */
  readonly isSent: boolean;
}

/**
 * The requests of the API. Each gets types, a decoder, a reader of its JSON form and the function that returns its
 * violations.
 */
export const REQUESTS: readonly RequestRow[] = [
  { message: 'authz.request.v1.CheckResourcesRequest', isMeasured: true, isSent: true },
  { message: 'authz.request.v1.PlanResourcesRequest', isMeasured: true, isSent: true },
  { message: 'authz.request.v1.CheckResourceSetRequest', isMeasured: true, isSent: false },
  { message: 'authz.request.v1.CheckResourceBatchRequest', isMeasured: true, isSent: false },
  { message: 'authz.request.v1.ListAuditLogEntriesRequest', isMeasured: false, isSent: false },
  { message: 'authz.request.v1.ExplainDecisionRequest', isMeasured: true, isSent: false },
  { message: 'authz.request.v1.ListPoliciesRequest', isMeasured: true, isSent: false },
  { message: 'authz.request.v1.GetPolicyRequest', isMeasured: true, isSent: false },
  { message: 'authz.request.v1.InspectPoliciesRequest', isMeasured: true, isSent: false },
  { message: 'authz.request.v1.ListSchemasRequest', isMeasured: false, isSent: false },
  { message: 'authz.request.v1.GetSchemaRequest', isMeasured: true, isSent: false },
  { message: 'authz.request.v1.ReloadStoreRequest', isMeasured: false, isSent: false },
  { message: 'authz.request.v1.GetRolloutRequest', isMeasured: false, isSent: false },
  { message: 'authz.request.v1.ListSourcesRequest', isMeasured: false, isSent: false },
  { message: 'authz.request.v1.SetRolloutRequest', isMeasured: false, isSent: false },
  { message: 'authz.request.v1.PromoteBundleRequest', isMeasured: true, isSent: false },
  { message: 'authz.request.v1.RollBackBundleRequest', isMeasured: true, isSent: false },
  { message: 'authz.request.v1.ServerInfoRequest', isMeasured: false, isSent: false },
  { message: 'authzen.authorization.v1.AccessEvaluationRequest', isMeasured: true, isSent: false },
  { message: 'authzen.authorization.v1.AccessEvaluationBatchRequest', isMeasured: true, isSent: false },
  { message: 'authzen.authorization.v1.ActionSearchRequest', isMeasured: true, isSent: false },
  { message: 'authzen.authorization.v1.SubjectSearchRequest', isMeasured: true, isSent: false },
  { message: 'authzen.authorization.v1.ResourceSearchRequest', isMeasured: true, isSent: false },
  { message: 'authzen.authorization.v1.MetadataRequest', isMeasured: false, isSent: false },
  { message: 'envoy.service.auth.v3.CheckRequest', isMeasured: false, isSent: false },
  { message: 'grpc.health.v1.HealthCheckRequest', isMeasured: false, isSent: false },
  { message: 'grpc.health.v1.HealthListRequest', isMeasured: false, isSent: false },
];

/** A response of the API, and whether clients read it. */
export interface ResponseRow {
  readonly message: string;
  /** Whether clients read it. */
  readonly isRead: boolean;
}

/** The responses of the API. Each gets types, an encoder and the function that prints its JSON form. */
export const RESPONSES: readonly ResponseRow[] = [
  { message: 'authz.response.v1.CheckResourcesResponse', isRead: true },
  { message: 'authz.response.v1.PlanResourcesResponse', isRead: true },
  { message: 'authz.response.v1.ServerInfoResponse', isRead: true },
  { message: 'authz.response.v1.CheckResourceSetResponse', isRead: false },
  { message: 'authz.response.v1.CheckResourceBatchResponse', isRead: false },
  { message: 'authz.response.v1.ListPoliciesResponse', isRead: false },
  { message: 'authz.response.v1.ListSchemasResponse', isRead: false },
  { message: 'authzen.authorization.v1.AccessEvaluationResponse', isRead: false },
  { message: 'authzen.authorization.v1.AccessEvaluationBatchResponse', isRead: false },
  { message: 'authzen.authorization.v1.ActionSearchResponse', isRead: false },
  { message: 'authzen.authorization.v1.SubjectSearchResponse', isRead: false },
  { message: 'authzen.authorization.v1.ResourceSearchResponse', isRead: false },
  { message: 'authzen.authorization.v1.MetadataResponse', isRead: false },
  { message: 'grpc.health.v1.HealthCheckResponse', isRead: false },
  { message: 'grpc.health.v1.HealthListResponse', isRead: false },
];

/** Messages that are only written, and whose types are their JSON form. */
export interface WrittenModule {
  /** The module in gen/wire with their functions. */
  readonly file: string;
  /** The module in gen/ with their types. */
  readonly types: string;
  readonly roots: readonly DescMessage[];
  /** The roots and their nested messages, without those whose type is their JSON form everywhere. */
  readonly messages: readonly DescMessage[];
}

const WRITTEN: readonly Readonly<Record<'file' | 'types', string> & { roots: readonly string[] }>[] = [
  {
    file: 'audit',
    types: 'audit-messages',
    roots: [
      'authz.audit.v1.AccessLogEntry',
      'authz.audit.v1.ChainLogEntry',
      'authz.audit.v1.DecisionLogEntry',
      'authz.response.v1.ListAuditLogEntriesResponse',
    ],
  },
  { file: 'explain', types: 'explain-messages', roots: ['authz.response.v1.ExplainDecisionResponse'] },
  {
    file: 'policy',
    types: 'policy-messages',
    roots: [
      'authz.response.v1.GetPolicyResponse',
      'authz.response.v1.GetSchemaResponse',
      'authz.response.v1.InspectPoliciesResponse',
    ],
  },
  { file: 'ext-authz', types: 'ext-authz-answers', roots: ['envoy.service.auth.v3.CheckResponse'] },
  {
    file: 'rollout',
    types: 'rollout-messages',
    roots: [
      'authz.response.v1.GetRolloutResponse',
      'authz.response.v1.SetRolloutResponse',
      'authz.response.v1.PromoteBundleResponse',
      'authz.response.v1.RollBackBundleResponse',
    ],
  },
  { file: 'sources', types: 'source-messages', roots: ['authz.response.v1.ListSourcesResponse'] },
  { file: 'error', types: 'error-messages', roots: ['google.rpc.Status', 'buf.validate.Violations'] },
];

/** Which code is generated for which messages. */
export class Reach {
  readonly requests: readonly DescMessage[];
  readonly responses: readonly DescMessage[];
  /** Messages in requests. */
  readonly received: ReadonlySet<DescMessage>;
  readonly measured: ReadonlySet<DescMessage>;
  /** Messages in requests that clients send. */
  readonly sent: ReadonlySet<DescMessage>;
  /** Messages in responses. */
  readonly answered: ReadonlySet<DescMessage>;
  /** Messages in responses that clients read. */
  readonly read: ReadonlySet<DescMessage>;
  readonly all: ReadonlySet<DescMessage>;
  readonly written: readonly WrittenModule[];

  constructor(registry: FileRegistry) {
    const named = (rows: readonly { readonly message: string }[]): readonly DescMessage[] =>
      rows.map(({ message }) => messageNamed(message, registry));
    this.requests = named(REQUESTS);
    this.responses = named(RESPONSES);
    this.received = withInner(this.requests);
    this.measured = withInner(named(REQUESTS.filter(({ isMeasured }) => isMeasured)));
    this.sent = withInner(named(REQUESTS.filter(({ isSent }) => isSent)));
    this.answered = withInner(this.responses);
    this.read = withInner(named(RESPONSES.filter(({ isRead }) => isRead)));
    this.all = new Set([...this.received, ...this.answered]);
    this.written = WRITTEN.map((module) => {
      const roots = module.roots.map((name) => messageNamed(name, registry));
      return { ...module, roots, messages: [...withInner(roots)].filter((message) => !isJsonType(message)) };
    });
    const both = [...this.received].find((message) => this.read.has(message));
    if (both !== undefined) throw new Error(`${both.typeName} is both in requests and in responses`);
  }

  isRoot(message: DescMessage): boolean {
    return this.requests.includes(message) || this.responses.includes(message);
  }
}

/** The module in gen/ that declares the type of a message. AuthZEN has its own names, such as Resource. */
export function typeModule({ typeName }: DescMessage): string {
  if (typeName.startsWith('authzen.')) return 'authzen-messages';
  if (typeName.startsWith('envoy.')) return 'ext-authz-messages';
  return typeName.startsWith('grpc.health.') ? 'health-messages' : 'messages';
}

/** The message with a name. Throws if the module does not define it. */
export function messageNamed(name: string, registry: FileRegistry): DescMessage {
  const message = registry.getMessage(name);
  if (message === undefined) throw new Error(`no message ${name}`);
  return message;
}

/** The given messages and all their nested messages, each before those that contain it. */
function withInner(messages: readonly DescMessage[]): ReadonlySet<DescMessage> {
  const begun = new Set<DescMessage>();
  const found = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    // A message may contain itself.
    if (begun.has(message)) return;
    begun.add(message);
    for (const field of message.fields) {
      const inner = innerMessage(field);
      if (inner !== undefined) visit(inner);
    }
    found.add(message);
  };
  for (const message of messages) visit(message);
  return found;
}

/** Whether a message may contain itself. */
export function isRecursive(message: DescMessage): boolean {
  if (message.typeName.startsWith('google.')) return false;
  return [...withInner(message.fields.flatMap((field) => innerMessage(field) ?? []))].includes(message);
}

/** The message types of the fields of a message. */
export function innerMessages(message: DescMessage): readonly DescMessage[] {
  return message.fields.flatMap((field) => innerMessage(field) ?? []);
}

/** The message type of a field, of its items or of its values, if it has a separate type. */
export function innerMessage(field: DescField): DescMessage | undefined {
  if (findHolder(field) !== undefined) return undefined;
  const form = fieldForm(field);
  return form === 'message' || form === 'messages' || form === 'messageMap' ? field.message : undefined;
}

/** The representation of a field in TypeScript, in bytes and in JSON. */
export type FieldForm =
  | 'string'
  | 'bool'
  | 'uint32'
  | 'int32'
  | 'int64'
  | 'bytes'
  | 'enum'
  | 'moment'
  | 'message'
  | 'strings'
  | 'messages'
  | 'values'
  | 'value'
  | 'messageMap'
  | 'enumMap'
  | 'stringMap';

/** The form of a field. Throws for an unsupported field. */
export function fieldForm(field: DescField): FieldForm {
  const form = formOrNone(field);
  if (form === undefined) throw new Error(`no code for the type of ${field.parent.typeName}.${field.name}`);
  return form;
}

function formOrNone(field: DescField): FieldForm | undefined {
  switch (field.fieldKind) {
    case 'scalar':
      return SCALARS[field.scalar];
    case 'enum':
      return 'enum';
    case 'message':
      if (field.message.typeName === 'google.protobuf.Value') return 'value';
      return MOMENTS.includes(field.message.typeName) ? 'moment' : ownMessage(field.message, 'message');
    case 'list':
      if (field.listKind === 'message') return ownMessage(field.message, 'messages');
      return field.listKind === 'scalar' && field.scalar === ScalarType.STRING ? 'strings' : undefined;
    case 'map':
      if (field.mapKey !== ScalarType.STRING) return undefined;
      if (field.mapKind === 'enum') return findEntries(field) === undefined ? undefined : 'enumMap';
      if (field.mapKind === 'scalar') return field.scalar === ScalarType.STRING ? 'stringMap' : undefined;
      return field.message.typeName === 'google.protobuf.Value' ? 'values' : ownMessage(field.message, 'messageMap');
  }
}

const SCALARS: { readonly [scalar: number]: FieldForm } = {
  [ScalarType.STRING]: 'string',
  [ScalarType.BOOL]: 'bool',
  [ScalarType.UINT32]: 'uint32',
  [ScalarType.INT32]: 'int32',
  [ScalarType.INT64]: 'int64',
  [ScalarType.UINT64]: 'int64',
  [ScalarType.BYTES]: 'bytes',
};
const MOMENTS: readonly string[] = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];

function ownMessage(message: DescMessage, form: FieldForm): FieldForm | undefined {
  const isOwn = !message.typeName.startsWith('google.protobuf.') || message.typeName === 'google.protobuf.Any';
  return isOwn ? form : undefined;
}

/** The fields of a message, ordered by number. */
export function sortedFields(message: DescMessage): readonly DescField[] {
  return [...message.fields].sort((a, b) => a.number - b.number);
}

/** `CheckResourcesRequest` becomes `checkResourcesRequest`. */
export function uncapitalized(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
