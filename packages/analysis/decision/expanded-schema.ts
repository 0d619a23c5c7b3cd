import type { JsonNode } from '../../../compiler/ir/json-node.js';
import type { SchemaAddress, SchemaTerm } from '../../../compiler/ir/schema.js';
import type { AssumedSchema } from '../question/question.js';

/** A schema without references: a name, a JSON value, or a keyword with its arguments. */
export type Expanded =
  | { readonly name: string }
  | { readonly json: unknown }
  | Call
  | { readonly list: readonly Expanded[] }
  | { readonly record: Members }
  /** A definition that the term is in, by the number of definitions around it. */
  | { readonly outer: number };

export interface Call {
  readonly call: string;
  readonly args: readonly Expanded[];
}

type Members = readonly (readonly [string, Expanded])[];

/** Larger schemas are not expanded. */
const MOST_TERMS = 20_000;

/** A schema without references; undefined if it is too large. */
export function expanded({ at, modules }: AssumedSchema): Expanded | undefined {
  const definitions = new Map<string, SchemaTerm>(
    modules.flatMap(({ file, definitions: own }) =>
      own.map(({ pointer, schema }) => [`${file}#${pointer}`, schema] as const),
    ),
  );
  let terms = 0;
  const definition = ({ file, pointer }: SchemaAddress, around: readonly string[]): Expanded => {
    const key = `${file}#${pointer}`;
    const outer = around.indexOf(key);
    const term = definitions.get(key);
    return outer >= 0 || term === undefined ? { outer } : expand(term, [...around, key]);
  };
  const expand = (term: SchemaTerm, around: readonly string[]): Expanded => {
    terms += 1;
    if (terms > MOST_TERMS) return { outer: -1 };
    switch (term.kind) {
      case 'name':
        return { name: term.name };
      case 'value':
        return { json: toPlainJson(term.node) };
      case 'call':
        return { call: term.name, args: term.args.map((arg) => expand(arg, around)) };
      case 'list':
        return { list: term.items.map((item) => expand(item, around)) };
      case 'record':
        return { record: term.members.map(([name, member]) => [name, expand(member, around)] as const) };
      case 'definition':
        return definition(term.at, around);
    }
  };
  const whole = definition(at, []);
  return terms > MOST_TERMS ? undefined : whole;
}

/** A value without its offsets. Numbers are objects, and so are objects: neither is taken for the other. */
function toPlainJson(node: JsonNode): unknown {
  switch (node.kind) {
    case 'null':
      return null;
    case 'number':
      return { number: node.text };
    case 'array':
      return node.items.map(toPlainJson);
    case 'object':
      return { object: [...node.members].map(([name, member]) => [name, toPlainJson(member)]) };
    default:
      return node.value;
  }
}

/** What a schema asks for, all of it. */
export function listKeywords(schema: Expanded): readonly Expanded[] {
  if ('name' in schema && schema.name === 'anything') return [];
  if (!('call' in schema)) return [schema];
  switch (schema.call) {
    case 'type':
      return [{ call: 'type', args: schema.args.slice(0, 1) }, ...schema.args.slice(1).flatMap(flattened)];
    case 'anyType':
      return schema.args.flatMap(flattened);
    default:
      return flattened(schema);
  }
}

function flattened(keyword: Expanded): readonly Expanded[] {
  if (!('call' in keyword)) return [keyword];
  if (keyword.call === 'allOf' || keyword.call === 'ref') return keyword.args.flatMap(listKeywords);
  return [keyword];
}

/** What a keyword says about the members of objects. */
export interface DeclaredMembers {
  readonly properties: ReadonlyMap<string, Expanded>;
  /** The schema of all other members; undefined if any are possible. */
  readonly additional: Expanded | undefined;
  /** Whether patterns say more. */
  readonly hasPatterns: boolean;
}

/** What `properties` or `members` says. */
export function readMembers({ call, args: [first] }: Call): DeclaredMembers {
  const record = first !== undefined && 'record' in first ? first.record : [];
  if (call === 'properties') return { properties: new Map(record), additional: undefined, hasPatterns: false };
  const parts = new Map(record);
  const properties = parts.get('properties');
  const additional = parts.get('additionalProperties');
  const isClosed = additional !== undefined && 'json' in additional && additional.json === false;
  return {
    properties: new Map(properties !== undefined && 'record' in properties ? properties.record : []),
    additional: isClosed ? { name: 'nothing' } : additional,
    hasPatterns: parts.has('patternProperties'),
  };
}

/** The texts of a value, or of a list of values. */
export function listTexts(term: Expanded | undefined): readonly string[] {
  if (term === undefined) return [];
  if ('list' in term) return term.list.flatMap(listTexts);
  return 'json' in term && typeof term.json === 'string' ? [term.json] : [];
}

/** NaN, which no comparison holds for, for anything else. */
export function readNumber(term: Expanded | undefined): number {
  const json = term !== undefined && 'json' in term ? term.json : undefined;
  const text = typeof json === 'object' && json !== null && 'number' in json ? String(json.number) : '';
  // A long number may be between two doubles.
  return /^-?\d{1,15}(\.\d{1,3})?$/.test(text) && text.length <= 15 ? Number(text) : Number.NaN;
}
