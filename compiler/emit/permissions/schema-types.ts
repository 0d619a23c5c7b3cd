import type { JsonNode } from '../../ir/json-node.js';
import type { Program } from '../../ir/program.js';
import type { SchemaAddress, SchemaTerm } from '../../ir/schema.js';
import { upperFirst } from '../names.js';
import { quote } from '../quote.js';
import { definitionKey, schemaLocations } from '../schema-locations.js';
import {
  ATTRIBUTES,
  composedType,
  differentTypes,
  JSON_TYPE,
  joinedTypes,
  namedType,
  stringType,
  type TypeText,
} from './type-text.js';

/**
 * The types of JSON schemas, as far as TypeScript can express them. Everything else is `Json`, and never a narrower
 * type.
 */
export interface SchemaTypes {
  /** One type alias per definition, in the order of files. */
  readonly aliases: readonly { readonly name: string; readonly file: string; readonly type: TypeText }[];
  /** The attributes that a definition describes: always an object. */
  readonly writeAttributes: (at: SchemaAddress) => TypeText;
}

/** The types of all the schemas of a program. */
export function schemaTypes({ schemas }: Program): SchemaTypes {
  const { names } = schemaLocations(schemas, []);
  const definitions = new Map(
    schemas.flatMap(({ file, definitions: own }) =>
      own.map(({ pointer, schema }) => [definitionKey({ file, pointer }), schema] as const),
    ),
  );
  const findName = (at: SchemaAddress): string => upperFirst(names.get(definitionKey(at)) as string);
  const context: Context = { definitions, findName };
  const aliases = schemas.flatMap(({ file, definitions: own }) =>
    own.map(({ pointer, schema }) => ({
      name: findName({ file, pointer }),
      file,
      type: writeType(schema, { ...context, open: new Set([definitionKey({ file, pointer })]), written: { count: 0 } }),
    })),
  );
  const writeAttributes = (at: SchemaAddress): TypeText => {
    const isObject = isObjectOnly(definitions.get(definitionKey(at)));
    const name = namedType(findName(at));
    return isObject ? name : composedType(['Extract<', name, ', ', ATTRIBUTES, '>']);
  };
  return { aliases, writeAttributes };
}

const LINE = 100;

/**
 * The maximum number of references that are expanded in one alias: definitions that each refer to the next one twice
 * would result in 2^n types.
 */
const MOST_REFERENCES = 200;

interface Context {
  readonly definitions: ReadonlyMap<string, SchemaTerm>;
  readonly findName: (at: SchemaAddress) => string;
  /** The definitions whose types are being written: an alias may refer to itself only below a member. */
  readonly open?: ReadonlySet<string>;
  /** The number of references that were expanded in the alias. */
  readonly written?: { count: number };
}

function isObjectOnly(term: SchemaTerm | undefined): boolean {
  const inner = term?.kind === 'call' && term.name === 'inScope' ? term.args[1] : term;
  if (inner?.kind !== 'call' || inner.name !== 'type') return false;
  const [types] = inner.args;
  return types !== undefined && typeNames(types).join() === 'object';
}

function writeType(term: SchemaTerm, context: Context): TypeText {
  if (term.kind === 'name') return term.name === 'nothing' ? NEVER : JSON_TYPE;
  if (term.kind !== 'call') return JSON_TYPE;
  const [first, second] = term.args;
  switch (term.name) {
    case 'inScope':
      return second === undefined ? JSON_TYPE : writeType(second, context);
    case 'ref':
      return refType(first, context);
    case 'type':
      return first === undefined ? JSON_TYPE : schemaType(typeNames(first), unwrapped(term.args.slice(1)), context);
    case 'anyType':
      return schemaType(undefined, unwrapped(term.args), context);
    default:
      return JSON_TYPE;
  }
}

/** Members are expanded where they are named, aliases elsewhere: there, an alias may refer back to itself. */
function memberType(term: SchemaTerm, context: Context): TypeText {
  if (term.kind === 'call' && term.name === 'ref' && term.args[0]?.kind === 'definition')
    return namedType(context.findName(term.args[0].at));
  return writeType(term, context);
}

function refType(target: SchemaTerm | undefined, context: Context): TypeText {
  if (target?.kind !== 'definition') return JSON_TYPE;
  const key = definitionKey(target.at);
  const schema = context.definitions.get(key);
  if (schema === undefined || context.open?.has(key) === true) return JSON_TYPE;
  if (context.written !== undefined) {
    if (context.written.count >= MOST_REFERENCES) return JSON_TYPE;
    context.written.count += 1;
  }
  return writeType(schema, { ...context, open: new Set([...(context.open ?? []), key]) });
}

/** The keywords, including those inside `unevaluated`. */
function unwrapped(keywords: readonly SchemaTerm[]): readonly SchemaTerm[] {
  return keywords.flatMap((keyword) =>
    keyword.kind === 'call' && keyword.name === 'unevaluated' ? unwrapped(keyword.args.slice(1)) : [keyword],
  );
}

function schemaType(types: readonly string[] | undefined, keywords: readonly SchemaTerm[], context: Context): TypeText {
  const literals = listLiterals(keywords);
  if (literals !== undefined)
    return union(literals.filter((node) => types === undefined || isOfTypes(node, types)).map(literalType));
  const base = types === undefined ? [] : [union(types.map((name) => baseType(name, keywords, context)))];
  const combined = keywords.flatMap((keyword) => combination(keyword, types, context));
  const parts = [...base, ...combined].filter((part) => !isJson(part));
  if (parts.length === 0) return JSON_TYPE;
  return joinedTypes(parts.length === 1 ? parts : parts.map(bracketed), ' & ');
}

function listLiterals(keywords: readonly SchemaTerm[]): readonly JsonNode[] | undefined {
  const found = keywords.find(
    (keyword) => keyword.kind === 'call' && (keyword.name === 'is' || keyword.name === 'isIn'),
  );
  if (found?.kind !== 'call') return undefined;
  return found.args.flatMap((arg) => (arg.kind === 'value' ? [arg.node] : []));
}

function isOfTypes(node: JsonNode, types: readonly string[]): boolean {
  return types.includes(node.kind) || (node.kind === 'number' && types.includes('integer'));
}

function literalType(node: JsonNode): TypeText {
  switch (node.kind) {
    case 'null':
      return namedType('null');
    case 'boolean':
      return namedType(String(node.value));
    case 'string':
      return stringType(node.value);
    case 'number':
      return numberType(node.text);
    case 'array':
    case 'object':
      return JSON_TYPE;
  }
}

function numberType(text: string): TypeText {
  const value = Number(text);
  if (String(value) !== text) return namedType('number');
  return { ...namedType(text), isOne: value >= 0 && Number.isSafeInteger(value) };
}

function baseType(name: string, keywords: readonly SchemaTerm[], context: Context): TypeText {
  switch (name) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return namedType(name);
    case 'integer':
      return namedType('number');
    case 'array':
      return arrayType(keywords, context);
    case 'object':
      return objectType(keywords, context);
    default:
      return JSON_TYPE;
  }
}

function arrayType(keywords: readonly SchemaTerm[], context: Context): TypeText {
  for (const keyword of keywords) {
    if (keyword.kind !== 'call' || keyword.args[0] === undefined) continue;
    if (keyword.name === 'items') return writeList(memberType(keyword.args[0], context));
    if (keyword.name === 'tuple') return writeList(tupleItem(keyword.args[0], context));
  }
  return writeList(JSON_TYPE);
}

function writeList(item: TypeText): TypeText {
  return composedType(['readonly ', bracketed(item), '[]']);
}

/** JSON Schema allows a tuple to be shorter, so positions are not significant: an item has any of their types. */
function tupleItem(parts: SchemaTerm, context: Context): TypeText {
  const prefix = findMember(parts, 'prefixItems');
  const rest = findMember(parts, 'rest');
  const items = prefix?.kind === 'list' ? prefix.items.map((item) => memberType(item, context)) : [];
  if (rest === undefined) return JSON_TYPE;
  return union(isFlag(rest) ? items : [...items, memberType(rest, context)]);
}

function objectType(keywords: readonly SchemaTerm[], context: Context): TypeText {
  const required = new Set(listNames(keywords, 'required'));
  const members = new Map<string, TypeText>();
  let others: TypeText | undefined;
  for (const keyword of keywords) {
    if (keyword.kind !== 'call' || keyword.args[0] === undefined) continue;
    if (keyword.name === 'properties') addMembers(members, keyword.args[0], context);
    if (keyword.name === 'members') {
      addMembers(members, findMember(keyword.args[0], 'properties'), context);
      others = otherMembers(keyword.args[0], members.size, context);
    }
  }
  for (const name of required) if (!members.has(name)) members.set(name, JSON_TYPE);
  const lines = [...members].map(([name, type]) =>
    composedType([
      `readonly ${quote(name)}`,
      ...(required.has(name) ? [': ', type] : ['?: ', union([type, UNDEFINED])]),
      ';',
    ]),
  );
  if (others !== undefined) lines.push(composedType(['readonly [name: string]: ', union([others, UNDEFINED]), ';']));
  return lines.length === 0 ? ATTRIBUTES : objectText(lines);
}

/** Writes an object type, on one line where it fits. */
function objectText(members: readonly TypeText[]): TypeText {
  const flat = composedType(['{ ', joinedTypes(members, ' '), ' }'], true);
  if (flat.text.length <= LINE) return flat;
  // Only layout has line breaks: `quote` leaves none in a string.
  const indented = members.map((member) => ({ ...member, text: member.text.replaceAll('\n', '\n  ') }));
  return composedType(['{\n', ...indented.flatMap((member) => ['  ', member, '\n']), '}'], true);
}

function addMembers(members: Map<string, TypeText>, record: SchemaTerm | undefined, context: Context): void {
  if (record?.kind !== 'record') return;
  for (const [name, term] of record.members) members.set(name, memberType(term, context));
}

/**
 * The type of members that the schema does not name; next to named members it is `Json`, because an index signature
 * covers those as well. A schema that does not mention other members is taken literally: they are misspelled.
 */
function otherMembers(record: SchemaTerm, named: number, context: Context): TypeText | undefined {
  const others = findMember(record, 'additionalProperties');
  if (findMember(record, 'patternProperties') !== undefined) return JSON_TYPE;
  if (others === undefined || isFlag(others)) return undefined;
  return named === 0 ? memberType(others, context) : JSON_TYPE;
}

function listNames(keywords: readonly SchemaTerm[], name: string): readonly string[] {
  return keywords.flatMap((keyword) =>
    keyword.kind === 'call' && keyword.name === name
      ? keyword.args.flatMap((arg) => (arg.kind === 'value' && arg.node.kind === 'string' ? [arg.node.value] : []))
      : [],
  );
}

/** Combined schemas describe the value as a whole; those without a type apply to the type of the surrounding schema. */
function combination(keyword: SchemaTerm, types: readonly string[] | undefined, context: Context): readonly TypeText[] {
  if (keyword.kind !== 'call') return [];
  const arms = (): readonly TypeText[] => keyword.args.map((arm) => armType(arm, types, context));
  switch (keyword.name) {
    case 'ref':
      return [writeType(keyword, context)];
    case 'allOf':
      return arms();
    case 'anyOf':
    case 'oneOf':
      return arms().some(isJson) ? [] : [union(arms())];
    default:
      return [];
  }
}

function armType(arm: SchemaTerm, types: readonly string[] | undefined, context: Context): TypeText {
  const isUntyped = arm.kind === 'call' && arm.name === 'anyType';
  return isUntyped && types?.join() === 'object'
    ? schemaType(types, unwrapped(arm.args), context)
    : writeType(arm, context);
}

function findMember(record: SchemaTerm, name: string): SchemaTerm | undefined {
  return record.kind === 'record' ? record.members.find(([member]) => member === name)?.[1] : undefined;
}

function isFlag(term: SchemaTerm): boolean {
  return term.kind === 'value' && term.node.kind === 'boolean';
}

function typeNames(term: SchemaTerm): readonly string[] {
  const terms = term.kind === 'list' ? term.items : [term];
  return terms.flatMap((item) => (item.kind === 'value' && item.node.kind === 'string' ? [item.node.value] : []));
}

function union(types: readonly TypeText[]): TypeText {
  const different = differentTypes(types).filter(({ text }) => text !== NEVER.text);
  if (different.some(isJson))
    return joinedTypes([JSON_TYPE, ...different.filter(({ text }) => text === UNDEFINED.text)], ' | ');
  return different.length === 0 ? NEVER : joinedTypes(different, ' | ');
}

/** `&` binds closer than `|`. */
function bracketed(type: TypeText): TypeText {
  return type.isOne ? type : composedType(['(', type, ')'], true);
}

function isJson({ text }: TypeText): boolean {
  return text === JSON_TYPE.text;
}

const NEVER = namedType('never');
const UNDEFINED = namedType('undefined');
