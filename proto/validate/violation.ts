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
export const FIELD_TYPES = { TYPE_UINT64: 4, TYPE_INT32: 5, TYPE_BOOL: 8, TYPE_STRING: 9, TYPE_MESSAGE: 11, TYPE_UINT32: 13, TYPE_ENUM: 14 } as const;
export type FieldType = keyof typeof FIELD_TYPES;

/** Of a request that keeps all rules. */
export const NONE: readonly Violation[] = Object.freeze([]);

/** Adds a violation about a field. */
export function report(found: Violation[], rule: Rule, field: readonly FieldElement[]): void {
  found.push({ field, rule, forKey: false });
}

/** Adds a violation about the key of a map entry. */
export function reportKey(found: Violation[], rule: Rule, field: readonly FieldElement[]): void {
  found.push({ field, rule, forKey: true });
}
