import { engineOf } from '../../../packages/cel/runtime/index.js';
import { decimal } from '../../../packages/json-schema/index.js';
import { append } from '../../append.js';
import type { JsonNode, JsonObject } from '../../ir/json-node.js';
import type { SchemaTerm } from '../../ir/schema.js';
import type { Draft } from '../dialect.js';
import type { Position } from '../document.js';
import { FORMATS } from '../formats.js';
import { findShape } from '../keywords.js';
import { readDynamicName, type Links, REFERENCES } from '../reach.js';

/**
 * A schema that something refers to, as calls of `packages/json-schema`. The schemas it refers to are named, not repeated.
 */
export function buildDefinition(position: Position, links: Links): SchemaTerm {
  const term = buildSchema(position, links);
  return inScope(position, term, true);
}

function buildSchema(position: Position, links: Links): SchemaTerm {
  const { node, resource } = position;
  if (node.kind !== 'object') return constant(node.kind === 'boolean' && !node.value ? 'nothing' : 'anything');
  const object = schemaObject(node, resource.draft, (inner) => buildInner(inner, position, links));
  const references = referenceKeywords(object, links);
  // Up to draft 7, keywords beside a reference are ignored.
  if (resource.draft < 2019 && object.keyword('$ref') !== undefined) return references[0] ?? constant('anything');
  const keywords = [
    ...scalarKeywords(object),
    ...objectKeywords(object),
    ...arrayKeywords(object),
    ...references,
    ...combinationKeywords(object),
  ];
  return typed(object, unevaluated(object, keywords));
}

function buildInner(node: JsonNode, { document }: Position, links: Links): SchemaTerm {
  if (links.definitions.has(node)) return call('ref', definition(links.definitions.get(node) as Position));
  const position = document.positions.get(node);
  if (position === undefined) return constant('anything');
  return inScope(position, buildSchema(position, links), position.resource.node === node);
}

function referenceKeywords(object: SchemaObject, links: Links): readonly SchemaTerm[] {
  return REFERENCES.flatMap((keyword) => {
    const reference = object.keyword(keyword);
    const target = reference && links.targets.get(reference);
    if (reference?.kind !== 'string' || target === undefined) return [];
    const name = readDynamicName(keyword, reference.value, target);
    return [name === undefined ? call('ref', definition(target)) : call('dynamicRef', text(name), definition(target))];
  });
}

function unevaluated(object: SchemaObject, keywords: readonly SchemaTerm[]): readonly SchemaTerm[] {
  const { keyword, schema } = object;
  const properties = keyword('unevaluatedProperties');
  const items = keyword('unevaluatedItems');
  if (properties === undefined && items === undefined) return keywords;
  const schemas = record([
    ['unevaluatedProperties', properties && schema(properties)],
    ['unevaluatedItems', items && schema(items)],
  ]);
  return [call('unevaluated', schemas, ...keywords)];
}

function typed(object: SchemaObject, keywords: readonly SchemaTerm[]): SchemaTerm {
  const types = object.keyword('type');
  if (types?.kind === 'string') return call('type', value(types), ...keywords);
  if (types !== undefined) return call('type', list(listItems(types).map(value)), ...keywords);
  const [first, ...others] = keywords;
  if (first === undefined) return constant('anything');
  if (others.length === 0 && first.kind === 'call' && first.name === 'ref') return first;
  return call('anyType', ...keywords);
}

/** Wraps a schema that is an entry point into a resource with dynamic anchors. */
function inScope({ resource, document }: Position, term: SchemaTerm, enters: boolean): SchemaTerm {
  const anchors = [...resource.dynamicAnchors].flatMap(([name, node]) => {
    const position = document.positions.get(node);
    return position === undefined ? [] : [[name, definition(position)] as const];
  });
  return !enters || anchors.length === 0 ? term : call('inScope', record(anchors), term);
}

function definition({ document, pointer }: Position): SchemaTerm {
  return { kind: 'definition', at: { file: document.file, pointer } };
}

/** The keywords for values as a whole, for numbers and for strings. */
function scalarKeywords(object: SchemaObject): readonly SchemaTerm[] {
  const { keyword } = object;
  const terms: SchemaTerm[] = [];
  const stated = keyword('const');
  if (stated !== undefined) terms.push(call('is', value(stated)));
  const values = listItems(keyword('enum'));
  if (values.length > 0) terms.push(call('isIn', ...values.map(value)));
  append(terms, limits(object));
  const divisor = keyword('multipleOf');
  if (divisor !== undefined) terms.push(call('multipleOf', number(divisor)));
  for (const name of ['minLength', 'maxLength']) {
    const node = keyword(name);
    if (node !== undefined) terms.push(call(name, count(node)));
  }
  const pattern = keyword('pattern');
  if (pattern?.kind === 'string') terms.push(call('pattern', value(pattern), ...chooseEngines([pattern.value])));
  const format = keyword('format');
  const isFormat = format?.kind === 'string' ? FORMATS.get(format.value) : undefined;
  if (format !== undefined && isFormat !== undefined) terms.push(call('format', value(format), constant(isFormat)));
  return [...terms, ...makeContent(object)];
}

/** Reads limits; in draft 4, `exclusiveMinimum: true` modifies `minimum`. */
function limits({ keyword }: SchemaObject): readonly SchemaTerm[] {
  return (['minimum', 'maximum'] as const).flatMap((name) => {
    const exclusive = name === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
    const limit = keyword(name);
    const other = keyword(exclusive);
    const terms: SchemaTerm[] = [];
    if (limit !== undefined) terms.push(call(isTrue(other) ? exclusive : name, number(limit)));
    if (other?.kind === 'number') terms.push(call(exclusive, number(other)));
    return terms;
  });
}

/** Makes the terms of encoded content; content with an unknown encoding cannot be checked. */
function makeContent({ keyword, schema }: SchemaObject): readonly SchemaTerm[] {
  const encoding = keyword('contentEncoding');
  const isBase64 = encoding?.kind === 'string' && encoding.value === 'base64';
  if (encoding !== undefined && !isBase64) return [];
  const media = keyword('contentMediaType');
  const isJson = media?.kind === 'string' && media.value === 'application/json';
  const inner = keyword('contentSchema');
  if (!isBase64 && !isJson && inner === undefined) return [];
  return [
    call(
      'content',
      record([
        ['contentEncoding', isBase64 ? text('base64') : undefined],
        ['contentMediaType', isJson ? text('application/json') : undefined],
        ['contentSchema', inner && schema(inner)],
      ]),
    ),
  ];
}

/** The keywords for objects, except `unevaluatedProperties`. */
function objectKeywords(object: SchemaObject): readonly SchemaTerm[] {
  const { keyword, schema } = object;
  const terms: SchemaTerm[] = [];
  const required = listItems(keyword('required'));
  if (required.length > 0) terms.push(call('required', ...required.map(value)));
  for (const name of ['minProperties', 'maxProperties']) {
    const node = keyword(name);
    if (node !== undefined) terms.push(call(name, count(node)));
  }
  append(terms, memberKeywords(object));
  const names = keyword('propertyNames');
  if (names !== undefined) terms.push(call('propertyNames', schema(names)));
  const dependencies = listMembers(keyword('dependencies'));
  const needs = [
    ...dependencies.filter(([, node]) => node.kind === 'array'),
    ...listMembers(keyword('dependentRequired')),
  ];
  if (needs.length > 0)
    append(
      terms,
      grouped(needs).map((group) =>
        call('dependentRequired', record(group.map(([name, node]) => [name, list(listItems(node).map(value))]))),
      ),
    );
  const schemas = [
    ...dependencies.filter(([, node]) => node.kind !== 'array'),
    ...listMembers(keyword('dependentSchemas')),
  ];
  if (schemas.length > 0)
    append(
      terms,
      grouped(schemas).map((group) =>
        call('dependentSchemas', record(group.map(([name, node]) => [name, schema(node)]))),
      ),
    );
  return terms;
}

function memberKeywords({ keyword, schema }: SchemaObject): readonly SchemaTerm[] {
  const makeSchemas = (name: string): SchemaTerm | undefined => {
    const members = listMembers(keyword(name));
    return members.length === 0 ? undefined : record(members.map(([member, node]) => [member, schema(node)]));
  };
  const properties = makeSchemas('properties');
  const patterns = makeSchemas('patternProperties');
  const others = keyword('additionalProperties');
  if (patterns === undefined && others === undefined)
    return properties === undefined ? [] : [call('properties', properties)];
  return [
    call(
      'members',
      record([
        ['properties', properties],
        ['patternProperties', patterns],
        ['engine', chooseEngines(listMembers(keyword('patternProperties')).map(([pattern]) => pattern))[0]],
        ['additionalProperties', others && (isFalse(others) ? flag(false) : schema(others))],
      ]),
    ),
  ];
}

type Entry = readonly [name: string, node: JsonNode];

/** Both spellings of a keyword may concern the same name, which one record cannot represent. */
function grouped(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const isRepeated = ([name]: Entry, index: number): boolean => entries.findIndex(([other]) => other === name) < index;
  const first = entries.filter((entry, index) => !isRepeated(entry, index));
  const second = entries.filter(isRepeated);
  return second.length === 0 ? [first] : [first, second];
}

/** The keywords for arrays, except `unevaluatedItems`. */
function arrayKeywords(object: SchemaObject): readonly SchemaTerm[] {
  const { keyword } = object;
  const terms: SchemaTerm[] = [];
  for (const name of ['minItems', 'maxItems']) {
    const node = keyword(name);
    if (node !== undefined) terms.push(call(name, count(node)));
  }
  if (isTrue(keyword('uniqueItems'))) terms.push(constant('uniqueItems'));
  return [...terms, ...itemKeywords(object), ...containsKeyword(object)];
}

function itemKeywords({ keyword, schema }: SchemaObject): readonly SchemaTerm[] {
  const items = keyword('items');
  const hasList = items?.kind === 'array';
  const prefix = listItems(hasList ? items : keyword('prefixItems'));
  // If `items` is one schema for all items, `additionalItems` has no effect.
  const rest = hasList ? keyword('additionalItems') : items;
  if (prefix.length === 0 && !hasList) return rest === undefined ? [] : [call('items', schema(rest))];
  const restTerm = rest && (hasList && isFalse(rest) ? flag(false) : schema(rest));
  return [
    call(
      'tuple',
      record([
        ['prefixItems', list(prefix.map(schema))],
        ['rest', restTerm],
      ]),
    ),
  ];
}

function containsKeyword({ draft, keyword, schema }: SchemaObject): readonly SchemaTerm[] {
  const contains = keyword('contains');
  if (contains === undefined) return [];
  const least = keyword('minContains') ?? { kind: 'number', text: '1', start: 0, end: 0 };
  const most = keyword('maxContains');
  return [
    call(
      'contains',
      record([
        ['schema', schema(contains)],
        ['minContains', count(least)],
        ['maxContains', most && count(most)],
        ['evaluates', draft >= 2020 ? flag(true) : undefined],
      ]),
    ),
  ];
}

/** The keywords that combine schemas for the same value. */
function combinationKeywords({ keyword, schema }: SchemaObject): readonly SchemaTerm[] {
  const terms: SchemaTerm[] = [];
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    const schemas = listItems(keyword(name));
    if (schemas.length > 0) terms.push(call(name, ...schemas.map(schema)));
  }
  const not = keyword('not');
  if (not !== undefined) terms.push(call('not', schema(not)));
  const condition = keyword('if');
  if (condition === undefined) return terms;
  const [then, otherwise] = ['then', 'else'].map((name) => keyword(name));
  terms.push(
    call(
      'ifThen',
      record([
        ['if', schema(condition)],
        ['then', then && schema(then)],
        ['else', otherwise && schema(otherwise)],
      ]),
    ),
  );
  return terms;
}

/** A schema object being built: its keywords in its draft, and how its subschemas are built. */
interface SchemaObject {
  readonly draft: Draft;
  /** The value of a keyword, if the draft knows it. */
  readonly keyword: (name: string) => JsonNode | undefined;
  /** Builds the schema at a node. */
  readonly schema: (node: JsonNode) => SchemaTerm;
}

/** The keywords of an object, for the builders. */
function schemaObject(node: JsonObject, draft: Draft, schema: (node: JsonNode) => SchemaTerm): SchemaObject {
  return {
    draft,
    schema,
    keyword: (name) => (findShape(name, draft) === undefined ? undefined : node.members.get(name)),
  };
}

/** The members of a keyword that is an object. */
function listMembers(node: JsonNode | undefined): readonly (readonly [string, JsonNode])[] {
  return node?.kind === 'object' ? [...node.members] : [];
}

/** The items of a keyword that is a list. */
function listItems(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.kind === 'array' ? node.items : [];
}

function isTrue(node: JsonNode | undefined): boolean {
  return node?.kind === 'boolean' && node.value;
}

function isFalse(node: JsonNode | undefined): boolean {
  return node?.kind === 'boolean' && !node.value;
}

/** A call of a function of `packages/json-schema`. */
function call(name: string, ...args: readonly SchemaTerm[]): SchemaTerm {
  return { kind: 'call', name, args };
}

/** The engine of patterns: one that matches all of them, or none if all are matched natively. */
function chooseEngines(patterns: readonly string[]): readonly SchemaTerm[] {
  const engines = patterns.map(engineOf);
  const engine = (['RE2', 'AUTOMATON'] as const).find((name) => engines.includes(name));
  return engine === undefined ? [] : [constant(engine)];
}

/** A constant of `packages/json-schema`. */
function constant(name: string): SchemaTerm {
  return { kind: 'name', name };
}

function list(items: readonly SchemaTerm[]): SchemaTerm {
  return { kind: 'list', items };
}

/** An object; undefined members are omitted. */
function record(members: readonly (readonly [name: string, term: SchemaTerm | undefined])[]): SchemaTerm {
  return {
    kind: 'record',
    members: members.flatMap(([name, term]) => (term === undefined ? [] : [[name, term] as const])),
  };
}

function value(node: JsonNode): SchemaTerm {
  return { kind: 'value', node };
}

/** A count: `2.0` is 2. */
function count(node: JsonNode): SchemaTerm {
  return value(node.kind === 'number' ? { ...node, text: String(Number(node.text)) } : node);
}

/** A number whose notation does not matter. */
function number(node: JsonNode): SchemaTerm {
  const isDouble = node.kind === 'number' && decimal(node.text).equals(Number(node.text));
  return isDouble ? count(node) : value(node);
}

function text(content: string): SchemaTerm {
  return value({ kind: 'string', value: content, start: 0, end: 0 });
}

function flag(holds: boolean): SchemaTerm {
  return value({ kind: 'boolean', value: holds, start: 0, end: 0 });
}
