import type { Attributes } from '../../../runtime/policy/index.js';
import type { JsonNode } from '../../../compiler/ir/json-node.js';
import type { SchemaAddress, SchemaModule, SchemaTerm } from '../../../compiler/ir/schema.js';
import type { AssumedSchema } from '../question/question.js';

/**
 * A small value that a JSON schema accepts, as far as types, constants, required properties, least and greatest numbers
 * and least sizes say. What other keywords ask for is not considered.
 *
 * @param also properties that it has besides, if the schema knows them.
 */
export function schemaExample(
  at: SchemaAddress,
  modules: readonly SchemaModule[],
  also: ReadonlySet<string> = NOTHING,
): unknown {
  const termAt = ({ file, pointer }: SchemaAddress): SchemaTerm | undefined =>
    modules.find((module) => module.file === file)?.definitions.find((definition) => definition.pointer === pointer)
      ?.schema;
  const term = termAt(at);
  return term && new ExampleMaker(termAt).make(term, 0, also);
}

const NOTHING: ReadonlySet<string> = new Set();

/** Attributes with what schemas require besides, as far as examples of the schemas have it. */
export function withRequired(
  attributes: Attributes,
  attributesOf: AssumedSchema['attributesOf'],
  schemas: readonly AssumedSchema[],
): Attributes {
  const own = schemas.filter((schema) => schema.attributesOf === attributesOf);
  // Of a property that one schema requires, another one may know the values.
  const required = new Set(
    own.flatMap(({ at, modules }) => {
      const example = schemaExample(at, modules);
      return isObject(example) ? Object.keys(example) : [];
    }),
  );
  return own.reduce(
    (whole, { at, modules }) => completed(whole, schemaExample(at, modules, required)) as Attributes,
    attributes,
  );
}

function completed(value: unknown, example: unknown): unknown {
  if (value === undefined) return example;
  if (!isObject(value) || !isObject(example)) return value;
  const names = [...Object.keys(value), ...Object.keys(example).filter((name) => !Object.hasOwn(value, name))];
  const own = (object: { readonly [name: string]: unknown }, name: string): unknown =>
    Object.hasOwn(object, name) ? object[name] : undefined;
  return Object.fromEntries(names.map((name) => [name, completed(own(value, name), own(example, name))]));
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How deep examples are nested. */
const MOST_LEVELS = 8;

class ExampleMaker {
  constructor(private readonly termAt: (at: SchemaAddress) => SchemaTerm | undefined) {}

  make(term: SchemaTerm, level: number, also: ReadonlySet<string> = NOTHING): unknown {
    if (level > MOST_LEVELS) return undefined;
    const keywords = [term, ...listArguments(term)];
    const target = listArguments(keywords.find((own) => isCall(own, 'ref')))[0];
    if (target?.kind === 'definition') {
      const referred = this.termAt(target.at);
      return referred && this.make(referred, level + 1, also);
    }
    const constant = listArguments(keywords.find((own) => isCall(own, 'is') || isCall(own, 'isIn')))[0];
    if (constant?.kind === 'value') return toJson(constant.node);
    const alternative = listArguments(
      keywords.find((own) => ['allOf', 'anyOf', 'oneOf'].some((name) => isCall(own, name))),
    )[0];
    const type = isCall(term, 'type') ? firstText(listArguments(term)[0]) : undefined;
    switch (type) {
      case 'string':
        return (
          FORMATS[firstText(listArguments(keywords.find((own) => isCall(own, 'format')))[0]) ?? ''] ??
          'x'.repeat(Math.min(Math.max(1, readNumber(keywords, 'minLength') ?? 1), LONGEST))
        );
      case 'number':
      case 'integer':
        return numberBetween(keywords);
      case 'boolean':
        return false;
      case 'array':
        return this.array(keywords, level);
      case 'null':
        return null;
      case undefined:
        if (alternative !== undefined) return this.make(alternative, level + 1, also);
        return also.size > 0 || keywords.some((own) => isCall(own, 'required'))
          ? this.object(keywords, level, also)
          : undefined;
      default:
        return this.object(keywords, level, also);
    }
  }

  private object(keywords: readonly SchemaTerm[], level: number, also: ReadonlySet<string>): unknown {
    const required = keywords.filter((own) => isCall(own, 'required')).flatMap(listArguments);
    const members = new Map(keywords.flatMap(listProperties));
    const names = [
      ...required.flatMap((name) => firstText(name) ?? []),
      ...[...members.keys()].filter((name) => also.has(name)),
    ];
    return Object.fromEntries(
      names.map((name) => {
        const own = members.get(name);
        return [name, (own && this.make(own, level + 1)) ?? 'x'] as const;
      }),
    );
  }

  private array(keywords: readonly SchemaTerm[], level: number): unknown {
    const items = listArguments(keywords.find((own) => isCall(own, 'items')))[0];
    const item = (items && this.make(items, level + 1)) ?? 'x';
    return Array.from({ length: Math.min(readNumber(keywords, 'minItems') ?? 0, LONGEST) }, () => item);
  }
}

/** The length of strings and arrays. */
const LONGEST = 100;

/** Zero, or what is nearest to it. */
function numberBetween(keywords: readonly SchemaTerm[]): number {
  const [least, above] = [readNumber(keywords, 'minimum'), readNumber(keywords, 'exclusiveMinimum')];
  const [most, below] = [readNumber(keywords, 'maximum'), readNumber(keywords, 'exclusiveMaximum')];
  const lower = Math.max(least ?? Number.NEGATIVE_INFINITY, above === undefined ? Number.NEGATIVE_INFINITY : above + 1);
  const upper = Math.min(most ?? Number.POSITIVE_INFINITY, below === undefined ? Number.POSITIVE_INFINITY : below - 1);
  return Math.min(Math.max(0, lower), upper);
}

/** The limit that a keyword states; undefined without the keyword. */
function readNumber(keywords: readonly SchemaTerm[], name: string): number | undefined {
  const text = firstText(listArguments(keywords.find((own) => isCall(own, name)))[0]);
  return text === undefined ? undefined : Number(text);
}

const FORMATS: { readonly [format: string]: string } = {
  'date-time': '2025-01-01T00:00:00Z',
  date: '2025-01-01',
  time: '00:00:00Z',
  email: 'alice@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'example.com',
  uri: 'https://example.com/',
};

/** Reads properties; with `additionalProperties`, they are a member of a record of keywords. */
function listProperties(keyword: SchemaTerm): readonly (readonly [string, SchemaTerm])[] {
  const [record] = listArguments(keyword);
  if (record?.kind !== 'record') return [];
  if (isCall(keyword, 'properties')) return record.members;
  const properties = isCall(keyword, 'members') ? new Map(record.members).get('properties') : undefined;
  return properties?.kind === 'record' ? properties.members : [];
}

function isCall(term: SchemaTerm | undefined, name: string): boolean {
  return term?.kind === 'call' && term.name === name;
}

function listArguments(term: SchemaTerm | undefined): readonly SchemaTerm[] {
  return term?.kind === 'call' ? term.args : [];
}

/** The text of a value, or of the first of a list. */
function firstText(term: SchemaTerm | undefined): string | undefined {
  if (term?.kind === 'list') return firstText(term.items[0]);
  if (term?.kind !== 'value') return undefined;
  const { node } = term;
  if (node.kind === 'string') return node.value;
  return node.kind === 'number' ? node.text : undefined;
}

function toJson(node: JsonNode): unknown {
  switch (node.kind) {
    case 'null':
      return null;
    case 'number':
      return Number(node.text);
    case 'array':
      return node.items.map(toJson);
    case 'object':
      return Object.fromEntries([...node.members].map(([name, member]) => [name, toJson(member)]));
    default:
      return node.value;
  }
}
