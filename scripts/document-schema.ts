import type { Field, Kind, MessageType, Rule } from '../compiler/parse/schema/field.js';

/** A JSON Schema, as the object to print. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The JSON Schema of documents of a type, for editors. It is draft 7, the newest draft that all of them understand.
 *
 * It refuses nothing that the compiler accepts. Editors type scalars by the core schema of YAML 1.2, which differs from
 * docs/spec/policy-language.md#scalars: `1e3` is a number there and a string here, `0b1` the other way round.
 */
export function documentSchema(type: MessageType, title: string): JsonSchema {
  const names = namesOf(type);
  const refTo = (target: MessageType): string => {
    const name = names.get(target);
    return name === undefined ? '#' : `#/definitions/${name}`;
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    ...objectSchema(type, refTo),
    definitions: Object.fromEntries([...names].map(([target, name]) => [name, objectSchema(target, refTo)])),
  };
}

/** The types below a type, named by the path where each was found first: `resourcePolicy.rules`. */
function namesOf(root: MessageType): ReadonlyMap<MessageType, string> {
  const names = new Map<MessageType, string>();
  const queue: (readonly [MessageType, path: string])[] = [[root, '']];
  for (const [type, path] of queue) {
    for (const { name, kind } of type.fields) {
      const target = typeIn(kind);
      if (target === undefined || names.has(target)) continue;
      names.set(target, `${path}${name}`);
      queue.push([target, `${path}${name}.`]);
    }
  }
  return names;
}

function typeIn(kind: Kind): MessageType | undefined {
  if (kind.kind === 'object') return kind.type();
  if (kind.kind === 'list') return typeIn(kind.item);
  return kind.kind === 'map' ? typeIn(kind.value) : undefined;
}

type RefTo = (type: MessageType) => string;

function objectSchema(type: MessageType, refTo: RefTo): JsonSchema {
  const constraints = [
    ...type.fields.filter(isRequired).map((field) => oneOf([field.name], type)),
    ...type.alternatives.map(({ of }) => oneOf(of, type)),
    ...type.exclusive
      .filter((names) => !type.alternatives.some(({ of }) => of === names))
      .map((names) => atMostOne(names, type)),
  ];
  const others = [...type.bySpelling].filter(([spelling, { name }]) => spelling !== name);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(type.fields.map((field) => [field.name, fieldSchema(field, refTo)])),
    // Editors do not suggest keys of patterns, so they only suggest the first spelling.
    ...(others.length > 0 && {
      patternProperties: Object.fromEntries(
        others.map(([spelling, { name }]) => [`^${spelling}$`, { $ref: `${refTo(type)}/properties/${name}` }]),
      ),
    }),
    ...(constraints.length > 0 && { allOf: constraints }),
  };
}

function isRequired({ rules }: Field): boolean {
  return rules.some(({ rule }) => rule === 'required');
}

/** Exactly one of the fields is present, in one of its spellings. */
function oneOf(names: readonly string[], type: MessageType): JsonSchema {
  const present = spellingsOf(names, type);
  return present.length === 1 ? (present[0] as JsonSchema) : { oneOf: present };
}

function atMostOne(names: readonly string[], type: MessageType): JsonSchema {
  const present = spellingsOf(names, type);
  return { oneOf: [...present, { not: { anyOf: present } }] };
}

function spellingsOf(names: readonly string[], type: MessageType): readonly JsonSchema[] {
  return [...type.bySpelling]
    .filter(([, { name }]) => names.includes(name))
    .map(([spelling]) => ({ required: [spelling] }));
}

// Keywords beside `$ref` are ignored in this draft, so only the description stands there.
function fieldSchema({ description, kind, rules }: Field, refTo: RefTo): JsonSchema {
  return { description, ...valueSchema(kind, rules, refTo) };
}

function valueSchema(kind: Kind, rules: readonly Rule[], refTo: RefTo): JsonSchema {
  const isNotEmpty = rules.some(({ rule }) => rule === 'required');
  switch (kind.kind) {
    case 'text':
      return textSchema(rules);
    case 'bool':
      return { type: 'boolean' };
    case 'uint64':
      return { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }, NUMERAL] };
    case 'enum':
      return enumSchema(kind.names, rules);
    case 'json':
      return {};
    case 'list':
      return {
        type: 'array',
        items: valueSchema(kind.item, kind.itemRules, refTo),
        ...(isNotEmpty && { minItems: 1 }),
        ...(rules.some(({ rule }) => rule === 'unique') && UNIQUE_STRINGS),
      };
    case 'map':
      return {
        type: 'object',
        additionalProperties: valueSchema(kind.value, kind.valueRules, refTo),
        ...(isNotEmpty && { minProperties: 1 }),
        ...(kind.keyRules.length > 0 && { propertyNames: { minLength: 1 } }),
      };
    case 'object':
      return { $ref: refTo(kind.type()) };
  }
}

/** Numbers in notations that only the compiler reads, such as `0b1`. */
const NUMERAL: JsonSchema = { type: 'string', pattern: '^[+-]?[0-9]' };

// Equal for editors, `True` and `true` are two strings for the compiler; so are some notations of a number.
const UNIQUE_STRINGS: JsonSchema = { anyOf: [{ uniqueItems: true }, { contains: { not: { type: 'string' } } }] };

function textSchema(rules: readonly Rule[]): JsonSchema {
  const constraints: { [keyword: string]: unknown } = {};
  let acceptsEmpty = true;
  for (const rule of rules) {
    switch (rule.rule) {
      case 'required':
      case 'not-empty':
        constraints['minLength'] = 1;
        acceptsEmpty = false;
        break;
      case 'pattern':
        constraints['pattern'] = rule.pattern.accepts.source;
        acceptsEmpty &&= rule.pattern.accepts.test('');
        break;
      case 'equals':
        return { const: rule.text };
      case 'unique':
      case 'among':
        break;
    }
  }
  // Null is the empty string.
  return { type: ['string', 'number', 'boolean', ...(acceptsEmpty ? ['null'] : [])], ...constraints };
}

function enumSchema(names: readonly string[], rules: readonly Rule[]): JsonSchema {
  const among = rules.find((rule) => rule.rule === 'among');
  const isSet = rules.some(({ rule }) => rule === 'required');
  const choices = [...(among?.choices ?? new Map(names.entries()))].filter(([number]) => !(isSet && number === 0));
  const numbers = choices.map(([number]) => number);
  // A range rather than a list, because editors would suggest the numbers of a list.
  return {
    anyOf: [
      { enum: choices.map(([, name]) => name) },
      { type: 'integer', minimum: Math.min(...numbers), maximum: Math.max(...numbers) },
      ...(numbers.includes(0) ? [{ type: 'null' }] : []),
      NUMERAL,
    ],
  };
}
