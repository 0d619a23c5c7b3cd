import type { JsonNode } from '../../ir/json-node.js';
import type { SchemaTerm } from '../../ir/schema.js';
import type { Position } from '../document.js';
import { dynamicNameOf, type Links, REFERENCES } from '../reach.js';
import { arrayKeywords, combinationKeywords, objectKeywords, scalarKeywords } from './keywords.js';
import { itemsOf, schemaObject, type SchemaObject } from './schema-object.js';
import { call, constant, list, record, text, value } from './terms.js';

/**
 * A schema that something refers to, as calls of `runtime/schema`. The schemas it refers to are named, not repeated.
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
  // Up to draft 7 a reference stands for itself.
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
    const name = dynamicNameOf(keyword, reference.value, target);
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
  if (types !== undefined) return call('type', list(itemsOf(types).map(value)), ...keywords);
  const [first, ...others] = keywords;
  if (first === undefined) return constant('anything');
  if (others.length === 0 && first.kind === 'call' && first.name === 'ref') return first;
  return call('anyType', ...keywords);
}

/** Around a schema by which one enters a resource with dynamic anchors. */
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
