import { VARIABLES } from './type-names.js';
import { Message, type Value } from './values.js';

/**
 * A field of a message type (docs/spec/conditions.md#variables-in-scope): what it reads as when unset, and the
 * lowerCamel name it also has.
 */
export interface MessageField {
  readonly name: string;
  readonly jsonName: string;
  readonly empty: Value;
  /** `has` of it is true whatever it holds (docs/spec/conditions.md#has-on-request-fields). */
  readonly alwaysSet?: true;
}

export const REQUEST = 'authz.engine.v1.Request';
export const PRINCIPAL = 'authz.engine.v1.Request.Principal';
export const RESOURCE = 'authz.engine.v1.Request.Resource';
export const AUX_DATA = 'authz.engine.v1.AuxData';
export const JWT = 'authz.engine.v1.AuxData.JWT';
export const RUNTIME = 'authz.engine.v1.Runtime';

/** The field of a message that a name stands for, by either of its names; undefined when the type has none. */
export function messageField(message: Message, name: string): MessageField | undefined {
  if (message.typeName === VARIABLES) return { name, jsonName: name, empty: null };
  return FIELDS.get(message.typeName)?.find((field) => field.name === name || field.jsonName === name);
}

const POLICY_VERSION: MessageField = { name: 'policy_version', jsonName: 'policyVersion', empty: '' };

const FIELDS: ReadonlyMap<string, readonly MessageField[]> = new Map([
  [
    REQUEST,
    [
      plain('principal', new Message(PRINCIPAL, {})),
      plain('resource', new Message(RESOURCE, {})),
      { name: 'aux_data', jsonName: 'auxData', empty: new Message(AUX_DATA, {}) },
    ],
  ],
  [PRINCIPAL, [plain('id', ''), plain('roles', []), plain('attr', {}), POLICY_VERSION, plain('scope', '')]],
  [RESOURCE, [plain('kind', ''), plain('id', ''), plain('attr', {}), POLICY_VERSION, plain('scope', '')]],
  [AUX_DATA, [plain('jwt', {}), plain('jwts', {})]],
  [JWT, [plain('claims', {})]],
  [RUNTIME, [{ name: 'effective_derived_roles', jsonName: 'effectiveDerivedRoles', empty: [], alwaysSet: true }]],
]);

function plain(name: string, empty: Value): MessageField {
  return { name, jsonName: name, empty };
}
