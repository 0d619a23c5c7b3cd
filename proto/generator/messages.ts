import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';

/** A request, and what is generated for it beside its types. */
export interface RequestRow {
  readonly message: string;
  /** The function that measures it, for the limit on message sizes. */
  readonly isMeasured: boolean;
  /** The function that writes it, for clients. */
  readonly isSent: boolean;
}

/** The requests of the API. Each gets types, a decoder, a reader of its JSON form and the function that gives its violations. */
export const REQUESTS: readonly RequestRow[] = [
  { message: 'authz.request.v1.CheckResourcesRequest', isMeasured: true, isSent: true },
  { message: 'authz.request.v1.PlanResourcesRequest', isMeasured: true, isSent: true },
  { message: 'authz.request.v1.CheckResourceSetRequest', isMeasured: true, isSent: false },
  { message: 'authz.request.v1.CheckResourceBatchRequest', isMeasured: true, isSent: false },
  { message: 'authz.request.v1.ListAuditLogEntriesRequest', isMeasured: false, isSent: false },
  { message: 'authzen.authorization.v1.AccessEvaluationRequest', isMeasured: true, isSent: false },
  { message: 'authzen.authorization.v1.AccessEvaluationBatchRequest', isMeasured: true, isSent: false },
];

/** The TypeScript names of messages whose own name is ambiguous or says too little. */
const TYPE_NAMES: { readonly [message: string]: string } = {
  'authz.engine.v1.PlanResourcesInput.Resource': 'PlanResource',
  'authz.request.v1.AuxData.JWT': 'Token',
  'authzen.authorization.v1.AccessEvaluationBatchRequest.Options': 'BatchOptions',
};

/** The TypeScript name of a message. */
export function typeName(message: DescMessage): string {
  return TYPE_NAMES[message.typeName] ?? message.name;
}

/** The module in gen/ that declares the type of a message. AuthZEN has names of its own, such as Resource. */
export function typeModule(message: DescMessage): string {
  return message.typeName.startsWith('authzen.') ? 'authzen-messages' : 'messages';
}

/** The message of a name. Throws when the module does not define it. */
export function messageNamed(name: string, registry: FileRegistry): DescMessage {
  const message = registry.getMessage(name);
  if (message === undefined) throw new Error(`no message ${name}`);
  return message;
}

/** Some messages and all messages in them, each before those that contain it. */
export function withInner(messages: readonly DescMessage[], found = new Set<DescMessage>()): ReadonlySet<DescMessage> {
  for (const message of messages) {
    if (found.has(message)) continue;
    withInner(
      message.fields.flatMap((field) => innerOf(field) ?? []),
      found,
    );
    found.add(message);
  }
  return found;
}

/** The message of a field, of its items or of its values, if it has a type of its own. */
export function innerOf(field: DescField): DescMessage | undefined {
  const form = formOf(field);
  return form === 'message' || form === 'messages' || form === 'messageMap' ? field.message : undefined;
}

/** How a field stands in TypeScript, in bytes and in JSON. */
export type FieldForm =
  | 'string'
  | 'bool'
  | 'uint32'
  | 'enum'
  | 'moment'
  | 'message'
  | 'strings'
  | 'messages'
  | 'values'
  | 'messageMap';

/** The form of a field. Throws for one that there is no code for. */
export function formOf(field: DescField): FieldForm {
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
      return MOMENTS.includes(field.message.typeName) ? 'moment' : ownMessage(field.message, 'message');
    case 'list':
      if (field.listKind === 'message') return ownMessage(field.message, 'messages');
      return field.listKind === 'scalar' && field.scalar === ScalarType.STRING ? 'strings' : undefined;
    case 'map':
      if (field.mapKey !== ScalarType.STRING || field.mapKind !== 'message') return undefined;
      return field.message.typeName === 'google.protobuf.Value' ? 'values' : ownMessage(field.message, 'messageMap');
  }
}

const SCALARS: { readonly [scalar: number]: FieldForm } = {
  [ScalarType.STRING]: 'string',
  [ScalarType.BOOL]: 'bool',
  [ScalarType.UINT32]: 'uint32',
};
const MOMENTS: readonly string[] = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];

function ownMessage(message: DescMessage, form: FieldForm): FieldForm | undefined {
  return message.typeName.startsWith('google.') ? undefined : form;
}

/** The fields of a message in the order of their numbers. */
export function fieldsOf(message: DescMessage): readonly DescField[] {
  return [...message.fields].sort((a, b) => a.number - b.number);
}

/** `requestId` is `RequestId`. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** `CheckResourcesRequest` is `checkResourcesRequest`. */
export function uncapitalized(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
