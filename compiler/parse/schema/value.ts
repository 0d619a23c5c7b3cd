import type { JsonValue } from '../../ast/policy.js';
import type { Located, Place } from '../../diagnostics/span.js';
import type { YamlNode, YamlText } from '../yaml/node.js';
import type { Field, MessageType } from './field.js';

/** A document mapped onto its tables: every value has the kind that its field declares. */
export type Value = TextValue | BoolValue | NumberValue | JsonConstant | ListValue | MapValue | ObjectValue;

export interface TextValue {
  readonly kind: 'text';
  readonly text: string;
  readonly node: YamlText;
}

export interface BoolValue {
  readonly kind: 'bool';
  readonly value: boolean;
}

/** The number of an enum value, or of a uint64 that is never read. */
export interface NumberValue {
  readonly kind: 'number';
  readonly number: number;
}

export interface JsonConstant {
  readonly kind: 'json';
  readonly value: JsonValue;
}

export interface ListValue {
  readonly kind: 'list';
  readonly items: readonly { readonly value: Value; readonly place: Place }[];
}

export interface MapValue {
  readonly kind: 'map';
  readonly entries: readonly { readonly name: Located<string>; readonly value: Value; readonly place: Place }[];
}

export interface ObjectValue {
  readonly kind: 'object';
  readonly type: MessageType;
  readonly node: YamlNode;
  /** Fields that are present, by lowerCamelCase name. */
  readonly fields: ReadonlyMap<string, FieldValue>;
}

export interface FieldValue {
  readonly field: Field;
  readonly value: Value;
  /** Anchored at the key (docs/spec/policy-language.md#reports). */
  readonly place: Place;
}
