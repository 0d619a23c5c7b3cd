import type { JsonNode, JsonObject } from '../../ir/json-node.js';
import type { Draft } from '../dialect.js';
import type { SchemaTerm } from '../../ir/schema.js';
import { shapeOf } from '../keywords.js';

/** A schema object being built: its keywords as its draft knows them, and how the schemas within it are built. */
export interface SchemaObject {
  readonly draft: Draft;
  /** The value of a keyword, if the draft knows it. */
  readonly keyword: (name: string) => JsonNode | undefined;
  /** The schema that stands at a node, built. */
  readonly schema: (node: JsonNode) => SchemaTerm;
}

/** The keywords of an object for the builders. */
export function schemaObject(node: JsonObject, draft: Draft, schema: (node: JsonNode) => SchemaTerm): SchemaObject {
  return {
    draft,
    schema,
    keyword: (name) => (shapeOf(name, draft) === undefined ? undefined : node.members.get(name)),
  };
}

/** The members of a keyword that is an object. */
export function membersOf(node: JsonNode | undefined): readonly (readonly [string, JsonNode])[] {
  return node?.kind === 'object' ? [...node.members] : [];
}

/** The items of a keyword that is a list. */
export function itemsOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.kind === 'array' ? node.items : [];
}

export function isTrue(node: JsonNode | undefined): boolean {
  return node?.kind === 'boolean' && node.value;
}

export function isFalse(node: JsonNode | undefined): boolean {
  return node?.kind === 'boolean' && !node.value;
}
