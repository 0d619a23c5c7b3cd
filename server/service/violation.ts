/** A rule of the request messages that a request breaks (server.md 1.6), in the terms of buf.validate.Violation. */
export interface Violation {
  /** From the request down; empty for a rule about the whole request. */
  readonly field: readonly FieldElement[];
  readonly rule: Rule;
  /** Whether the key of the map entry that `field` ends in broke the rule. */
  readonly forKey: boolean;
}

/** One step of a field path: a field, perhaps one item or one entry of it. */
export interface FieldElement {
  readonly number: number;
  /** As the .proto file has it: snake_case. */
  readonly name: string;
  readonly type: FieldType;
  readonly index?: number;
  /** An entry of a map from string to message. */
  readonly key?: string;
}

export interface Rule {
  readonly id: string;
  readonly message: string;
  /** Where the rule stands in buf.validate.FieldRules; empty for a rule written as an expression. */
  readonly path: readonly FieldElement[];
}

/** The numbers of google.protobuf.FieldDescriptorProto.Type. */
export const FIELD_TYPES = { TYPE_UINT64: 4, TYPE_BOOL: 8, TYPE_STRING: 9, TYPE_MESSAGE: 11 } as const;
export type FieldType = keyof typeof FIELD_TYPES;

const string: FieldElement = { number: 14, name: 'string', type: 'TYPE_MESSAGE' };
const repeated: FieldElement = { number: 18, name: 'repeated', type: 'TYPE_MESSAGE' };
const items: FieldElement = { number: 4, name: 'items', type: 'TYPE_MESSAGE' };
const map: FieldElement = { number: 19, name: 'map', type: 'TYPE_MESSAGE' };
const keys: FieldElement = { number: 4, name: 'keys', type: 'TYPE_MESSAGE' };
const minLength: FieldElement = { number: 2, name: 'min_len', type: 'TYPE_UINT64' };

export const REQUIRED: Rule = {
  id: 'required',
  message: 'value is required',
  path: [{ number: 25, name: 'required', type: 'TYPE_BOOL' }],
};

export const ITEM_NOT_EMPTY: Rule = {
  id: 'string.min_len',
  message: 'must be at least 1 characters',
  path: [repeated, items, string, minLength],
};

export const KEY_NOT_EMPTY: Rule = { ...ITEM_NOT_EMPTY, path: [map, keys, string, minLength] };

export const UNIQUE: Rule = {
  id: 'repeated.unique',
  message: 'repeated value must contain unique items',
  path: [repeated, { number: 3, name: 'unique', type: 'TYPE_BOOL' }],
};

export const ONE_TOKEN_FIELD: Rule = {
  id: 'AuxData.only_one_jwt_field',
  message: 'Only one of the jwt or jwts fields must be set',
  path: [],
};

/** The rule that a list has no more items than so many. */
export function atMostRule(count: number): Rule {
  return {
    id: 'repeated.max_items',
    message: `must contain no more than ${count} item(s)`,
    path: [repeated, { number: 2, name: 'max_items', type: 'TYPE_UINT64' }],
  };
}

/** The rule of a plan that names its actions in one way. */
export const ONE_ACTION_FIELD: Rule = {
  id: 'exclusiveFieldsActionOrActions',
  message: "Exactly one of 'action' or 'actions' field must be set",
  path: [],
};

/** The rule that a text matches a pattern; the pattern is part of the message. */
export function patternRule(pattern: RegExp): Rule {
  return {
    id: 'string.pattern',
    message: `does not match regex pattern \`${pattern.source}\``,
    path: [string, { number: 6, name: 'pattern', type: 'TYPE_STRING' }],
  };
}

/** `validation error: PATH: TEXT`, or all of them, a line each. */
export function violationsMessage(violations: readonly Violation[]): string {
  const lines = violations.map((violation) => {
    const path = pathText(violation.field);
    return path === '' ? violation.rule.message : `${path}: ${violation.rule.message}`;
  });
  if (lines.length === 1) return `validation error: ${lines[0]}`;
  return `validation errors:${lines.map((line) => `\n - ${line}`).join('')}`;
}

function pathText(path: readonly FieldElement[]): string {
  return path.map((element) => element.name + subscript(element)).join('.');
}

function subscript(element: FieldElement): string {
  if (element.index !== undefined) return `[${element.index}]`;
  if (element.key !== undefined) return `[${JSON.stringify(element.key)}]`;
  return '';
}
