import { FORMATS } from '#runtime/schema';
import { append } from '../../append.js';
import type { JsonNode } from '../../ir/json-node.js';
import type { SchemaTerm } from '../../ir/schema.js';
import { isFalse, isTrue, itemsOf, membersOf, type SchemaObject } from './schema-object.js';
import { call, constant, count, flag, list, number, record, text, value } from './terms.js';

/** The keywords about a value as a whole, about numbers and about texts. */
export function scalarKeywords(object: SchemaObject): readonly SchemaTerm[] {
  const { keyword } = object;
  const terms: SchemaTerm[] = [];
  const stated = keyword('const');
  if (stated !== undefined) terms.push(call('is', value(stated)));
  const values = itemsOf(keyword('enum'));
  if (values.length > 0) terms.push(call('isIn', ...values.map(value)));
  append(terms, limits(object));
  const divisor = keyword('multipleOf');
  if (divisor !== undefined) terms.push(call('multipleOf', number(divisor)));
  for (const name of ['minLength', 'maxLength']) {
    const node = keyword(name);
    if (node !== undefined) terms.push(call(name, count(node)));
  }
  const pattern = keyword('pattern');
  if (pattern !== undefined) terms.push(call('pattern', value(pattern)));
  const format = keyword('format');
  if (format?.kind === 'string' && FORMATS.has(format.value)) terms.push(call('format', value(format)));
  return [...terms, ...contentOf(object)];
}

/** In draft 4, `exclusiveMinimum: true` is a remark about `minimum`. */
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

/** Under an encoding that is not known, nothing can be said about the content. */
function contentOf({ keyword, schema }: SchemaObject): readonly SchemaTerm[] {
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

/** The keywords about objects, `unevaluatedProperties` apart. */
export function objectKeywords(object: SchemaObject): readonly SchemaTerm[] {
  const { keyword, schema } = object;
  const terms: SchemaTerm[] = [];
  const required = itemsOf(keyword('required'));
  if (required.length > 0) terms.push(call('required', ...required.map(value)));
  for (const name of ['minProperties', 'maxProperties']) {
    const node = keyword(name);
    if (node !== undefined) terms.push(call(name, count(node)));
  }
  append(terms, memberKeywords(object));
  const names = keyword('propertyNames');
  if (names !== undefined) terms.push(call('propertyNames', schema(names)));
  const dependencies = membersOf(keyword('dependencies'));
  const needs = [
    ...dependencies.filter(([, node]) => node.kind === 'array'),
    ...membersOf(keyword('dependentRequired')),
  ];
  if (needs.length > 0)
    append(
      terms,
      grouped(needs).map((group) =>
        call('dependentRequired', record(group.map(([name, node]) => [name, list(itemsOf(node).map(value))]))),
      ),
    );
  const schemas = [
    ...dependencies.filter(([, node]) => node.kind !== 'array'),
    ...membersOf(keyword('dependentSchemas')),
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
  const schemasOf = (name: string): SchemaTerm | undefined => {
    const members = membersOf(keyword(name));
    return members.length === 0 ? undefined : record(members.map(([member, node]) => [member, schema(node)]));
  };
  const properties = schemasOf('properties');
  const patterns = schemasOf('patternProperties');
  const others = keyword('additionalProperties');
  if (patterns === undefined && others === undefined)
    return properties === undefined ? [] : [call('properties', properties)];
  return [
    call(
      'members',
      record([
        ['properties', properties],
        ['patternProperties', patterns],
        ['additionalProperties', others && (isFalse(others) ? flag(false) : schema(others))],
      ]),
    ),
  ];
}

type Entry = readonly [name: string, node: JsonNode];

/** Both spellings of a keyword may speak of one name, which one record cannot. */
function grouped(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const isRepeated = ([name]: Entry, index: number): boolean => entries.findIndex(([other]) => other === name) < index;
  const first = entries.filter((entry, index) => !isRepeated(entry, index));
  const second = entries.filter(isRepeated);
  return second.length === 0 ? [first] : [first, second];
}

/** The keywords about arrays, `unevaluatedItems` apart. */
export function arrayKeywords(object: SchemaObject): readonly SchemaTerm[] {
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
  const prefix = itemsOf(hasList ? items : keyword('prefixItems'));
  // Beside `items` with one schema for all, `additionalItems` means nothing.
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

/** The keywords that combine schemas of the same value. */
export function combinationKeywords({ keyword, schema }: SchemaObject): readonly SchemaTerm[] {
  const terms: SchemaTerm[] = [];
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    const schemas = itemsOf(keyword(name));
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
