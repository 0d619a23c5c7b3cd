import {
  type DescField,
  type DescMessage,
  type DescOneof,
  type FileRegistry,
  getOption,
  type MessageShape,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';

/** The annotations of a field that the generator understands, in the JSON form of buf.validate.FieldRules. */
export interface FieldRules {
  readonly required?: boolean;
  readonly string?: StringRules;
  readonly uint32?: { readonly gte?: number; readonly lte?: number };
  readonly enum?: { readonly in?: readonly number[] };
  readonly timestamp?: { readonly ltNow?: boolean };
  readonly repeated?: {
    readonly minItems?: string;
    readonly maxItems?: string;
    readonly unique?: boolean;
    readonly items?: { readonly string?: StringRules };
  };
  readonly map?: { readonly keys?: { readonly string?: StringRules } };
}

export interface StringRules {
  readonly minLen?: string;
  readonly maxLen?: string;
  readonly pattern?: string;
  readonly in?: readonly string[];
}

/** A rule about a whole message, in CEL. */
export interface ExpressionRule {
  readonly id: string;
  readonly message: string;
  readonly expression: string;
}

/** Reads the annotations of fields, oneofs and messages. Throws for any that the generated code would omit. */
export interface Annotations {
  readonly ofField: (field: DescField) => FieldRules;
  readonly isRequiredOneof: (oneof: DescOneof) => boolean;
  readonly ofMessage: (message: DescMessage) => readonly ExpressionRule[];
}

export function readAnnotations(registry: FileRegistry): Annotations {
  const reader = (name: string, understood: Understood) => {
    const option = registry.getExtension(`buf.validate.${name}`);
    if (option?.message === undefined) throw new Error('the module does not have buf.validate');
    const type = option.message;
    return <T>(desc: DescField | DescOneof | DescMessage): T => {
      const message = getOption(desc as DescField, option) as MessageShape<DescMessage>;
      refuseUnread(message, type, formatPlace(desc));
      // With the registry, rules added to the standard ones as extensions are recognized as well.
      const rules = toJson(type, message, { registry }) as unknown as object;
      refuseUnknown(rules, understood, formatPlace(desc));
      return rules as T;
    };
  };
  const ofField = reader('field', FIELD);
  const ofOneof = reader('oneof', { required: true });
  const ofMessage = reader('message', { cel: { each: { id: true, message: true, expression: true } } });
  return {
    ofField: (field) => ofField<FieldRules>(field),
    isRequiredOneof: (oneof) => ofOneof<{ readonly required?: boolean }>(oneof).required === true,
    ofMessage: (message) => ofMessage<{ readonly cel?: readonly ExpressionRule[] }>(message).cel ?? [],
  };
}

/**
 * True: the generator handles the annotation as a whole. `1`: the only supported value. `each`: the same for every item
 * of a list.
 */
type Understood = { readonly [name: string]: true | '1' | Understood };

const FIELD: Understood = {
  required: true,
  string: { pattern: true, in: true },
  uint32: { gte: true, lte: true },
  enum: { in: true },
  timestamp: { ltNow: true },
  repeated: { minItems: true, maxItems: true, unique: true, items: { string: { minLen: '1', maxLen: true } } },
  map: { keys: { string: { minLen: '1' } } },
};

function refuseUnknown(rules: object, understood: Understood, place: string): void {
  for (const [name, value] of Object.entries(rules)) {
    const known = Array.isArray(rules) ? understood['each'] : understood[name];
    if (known === true || known === value) continue;
    if (typeof known !== 'object')
      throw new Error(`no code for the rule ${name} = ${JSON.stringify(value)} of ${place}`);
    refuseUnknown(value, known, place);
  }
}

/** A later version may have rules that the module's own definition lacks. */
function refuseUnread(message: MessageShape<DescMessage>, type: DescMessage, place: string): void {
  if (toBinary(type, message).length > toBinary(type, message, { writeUnknownFields: false }).length)
    throw new Error(`${place} has a rule that buf/validate/validate.proto does not define`);
}

function formatPlace(desc: DescField | DescOneof | DescMessage): string {
  return desc.kind === 'message' ? desc.typeName : `${desc.parent.typeName}.${desc.name}`;
}
