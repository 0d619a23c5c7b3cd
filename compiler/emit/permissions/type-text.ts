import { quote } from '../quote.js';

/** A type of `types.ts`, as JSON. Its text is only put together, never read. */
export interface TypeText {
  readonly text: string;
  /** The types of the runtime in it. */
  readonly mentions: readonly RuntimeType[];
  /** Whether it is a name, a literal or one pair of braces: it then needs no parentheses. */
  readonly isOne: boolean;
}

/** The types that `types.ts` imports. */
const RUNTIME_TYPES = ['Attributes', 'Json'] as const;
type RuntimeType = (typeof RUNTIME_TYPES)[number];

export const JSON_TYPE: TypeText = { text: 'Json', mentions: ['Json'], isOne: true };
export const ATTRIBUTES: TypeText = { text: 'Attributes', mentions: ['Attributes'], isOne: true };

/** A type that is one name, such as `string`. */
export function namedType(name: string): TypeText {
  return { text: name, mentions: [], isOne: true };
}

/** The type of one string. */
export function stringType(value: string): TypeText {
  return namedType(quote(value));
}

/** A type of several parts. */
export function composedType(parts: readonly (string | TypeText)[], isOne = false): TypeText {
  const types = parts.flatMap((part) => (typeof part === 'string' ? [] : [part]));
  return {
    text: parts.map((part) => (typeof part === 'string' ? part : part.text)).join(''),
    mentions: mentionsIn(types),
    isOne,
  };
}

/** Types with a separator between each two; the type itself if it is only one. */
export function joinedTypes(types: readonly TypeText[], separator: string): TypeText {
  const [first] = types;
  if (first !== undefined && types.length === 1) return first;
  return composedType(types.flatMap((type, index) => (index === 0 ? [type] : [separator, type])));
}

/** The types of the runtime in some types. */
export function mentionsIn(types: readonly TypeText[]): readonly RuntimeType[] {
  return RUNTIME_TYPES.filter((name) => types.some(({ mentions }) => mentions.includes(name)));
}

/** Each type once. */
export function differentTypes(types: readonly TypeText[]): readonly TypeText[] {
  return [...new Map(types.map((type) => [type.text, type])).values()];
}

/** The order of types in a union. */
export function byText(a: TypeText, b: TypeText): number {
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}
