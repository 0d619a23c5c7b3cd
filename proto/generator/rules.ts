import { type DescField, type DescMessage, type FileRegistry, getOption, toJson } from '@bufbuild/protobuf';

/** The annotations of a field that the generator understands, in the JSON form of buf.validate.FieldRules. */
export interface FieldRules {
  readonly required?: boolean;
  readonly string?: { readonly minLen?: string; readonly pattern?: string; readonly in?: readonly string[] };
  readonly repeated?: { readonly minItems?: string; readonly maxItems?: string; readonly unique?: boolean; readonly items?: FieldRules };
  readonly map?: { readonly keys?: FieldRules };
}

/** A rule about a whole message, in CEL. */
export interface ExpressionRule {
  readonly id: string;
  readonly message: string;
  readonly expression: string;
}

/** Reads the annotations of fields and messages. Throws for one that would be left out of the generated code. */
export interface Annotations {
  readonly ofField: (field: DescField) => FieldRules;
  readonly ofMessage: (message: DescMessage) => readonly ExpressionRule[];
}

export function annotationsOf(registry: FileRegistry): Annotations {
  const field = registry.getExtension('buf.validate.field');
  const message = registry.getExtension('buf.validate.message');
  const fieldRules = registry.getMessage('buf.validate.FieldRules');
  const messageRules = registry.getMessage('buf.validate.MessageRules');
  if (field === undefined || message === undefined || fieldRules === undefined || messageRules === undefined) throw new Error('the module does not have buf.validate');
  return {
    ofField: (desc) => {
      const rules = toJson(fieldRules, getOption(desc, field) as never) as unknown as FieldRules;
      refuseUnknown(rules, UNDERSTOOD, `${desc.parent.typeName}.${desc.name}`);
      return rules;
    },
    ofMessage: (desc) => (toJson(messageRules, getOption(desc, message) as never) as unknown as { readonly cel?: readonly ExpressionRule[] }).cel ?? [],
  };
}

/** True: of a kind that is looked at as a whole. `1`: the one value that there is code for. */
type Understood = { readonly [name: string]: true | '1' | Understood };

const NOT_EMPTY: Understood = { string: { minLen: '1' } };
const UNDERSTOOD: Understood = {
  required: true,
  string: { minLen: '1', pattern: true, in: true },
  repeated: { minItems: true, maxItems: true, unique: true, items: NOT_EMPTY },
  map: { keys: NOT_EMPTY },
};

function refuseUnknown(rules: object, understood: Understood, place: string): void {
  for (const [name, value] of Object.entries(rules)) {
    const known = understood[name];
    if (known === true || known === value) continue;
    if (typeof known !== 'object') throw new Error(`no code for the rule ${name} = ${JSON.stringify(value)} of ${place}`);
    refuseUnknown(value, known, place);
  }
}
