import { append } from '../../append.js';
import type { JsonNode } from '../../ir/json-node.js';
import type { SchemaTerm } from '../../ir/schema.js';
import { isFalse, itemsOf, membersOf, type SchemaObject } from './schema-object.js';
import { call, count, flag, list, record, value } from './terms.js';

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
