/**
 * The shape of policy documents as data (docs/spec/policy-language.md#document-fields): one `MessageType` for each kind
 * of object, in `tables.ts`. `decode.ts` maps YAML onto it, `structure.ts` validates the result.
 */
export interface MessageType {
  readonly fields: readonly Field[];
  /** Groups of fields of which one must be present; `name` is printed in the message. */
  readonly alternatives: readonly { readonly name: string; readonly of: readonly string[] }[];
  /** Groups of fields of which at most one may be present. */
  readonly exclusive: readonly (readonly string[])[];
  /** Fields by each spelling that a file may use. */
  readonly bySpelling: ReadonlyMap<string, Field>;
}

export interface Field {
  /** lowerCamelCase; `$schema` is the only exception. */
  readonly name: string;
  /** What it means, as editors show it: a phrase in Markdown, without a period. */
  readonly description: string;
  readonly kind: Kind;
  readonly rules: readonly Rule[];
}

export type Kind =
  | { readonly kind: 'text' | 'bool' | 'uint64' | 'json' }
  | { readonly kind: 'enum'; readonly names: readonly string[] }
  | { readonly kind: 'list'; readonly item: Kind; readonly itemRules: readonly Rule[] }
  | {
      readonly kind: 'map';
      readonly value: Kind;
      readonly valueRules: readonly Rule[];
      readonly keyRules: readonly Rule[];
    }
  | { readonly kind: 'object'; readonly type: () => MessageType };

/** The structural rules of a value. */
export type Rule =
  /** Absent, null, empty string, empty list, empty map and enum value 0 are all rejected. */
  | { readonly rule: 'required' }
  | { readonly rule: 'not-empty' }
  | { readonly rule: 'unique' }
  | { readonly rule: 'pattern'; readonly pattern: Pattern }
  | { readonly rule: 'equals'; readonly text: string }
  /** Allowed numbers of the enum, with their names. */
  | { readonly rule: 'among'; readonly choices: ReadonlyMap<number, string> };

/** A pattern as messages print it, and a test for it that takes linear time. */
export interface Pattern {
  readonly text: string;
  readonly accepts: RegExp;
}

/** Declares an object: its fields in order, and its groups of fields that exclude each other. */
export function messageType(
  fields: Readonly<Record<string, DescribedField>>,
  alternatives: Readonly<Record<string, readonly string[]>> = {},
  exclusive: readonly (readonly string[])[] = [],
): MessageType {
  const list = Object.entries(fields).map(([name, declared]) => ({ name, ...declared }));
  return {
    fields: list,
    alternatives: Object.entries(alternatives).map(([name, of]) => ({ name, of })),
    exclusive: [...Object.values(alternatives), ...exclusive],
    bySpelling: new Map(
      list.flatMap((field) => [[field.name, field] as const, [snakeCase(field.name), field] as const]),
    ),
  };
}

export interface Declared {
  readonly kind: Kind;
  readonly rules: readonly Rule[];
}

export interface DescribedField extends Declared {
  readonly description: string;
}

export const field = (description: string, declared: Declared): DescribedField => ({ description, ...declared });

export const text = (...rules: readonly Rule[]): Declared => ({ kind: { kind: 'text' }, rules });
export const bool = (): Declared => ({ kind: { kind: 'bool' }, rules: [] });
export const uint64 = (): Declared => ({ kind: { kind: 'uint64' }, rules: [] });
export const json = (): Declared => ({ kind: { kind: 'json' }, rules: [] });
export const choice = (names: readonly string[], ...rules: readonly Rule[]): Declared => ({
  kind: { kind: 'enum', names },
  rules,
});
export const list = (item: Declared, ...rules: readonly Rule[]): Declared => ({
  kind: { kind: 'list', item: item.kind, itemRules: item.rules },
  rules,
});
export const map = (value: Declared, ...rules: readonly Rule[]): Declared => ({
  kind: { kind: 'map', value: value.kind, valueRules: value.rules, keyRules: [] },
  rules,
});
/** A map whose keys must not be empty. */
export const named = (value: Declared, ...rules: readonly Rule[]): Declared => ({
  kind: { kind: 'map', value: value.kind, valueRules: value.rules, keyRules: [{ rule: 'not-empty' }] },
  rules,
});
export const object = (type: () => MessageType, ...rules: readonly Rule[]): Declared => ({
  kind: { kind: 'object', type },
  rules,
});

function snakeCase(name: string): string {
  if (name === '$schema') return 'json_schema';
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
