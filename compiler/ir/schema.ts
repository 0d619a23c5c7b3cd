import type { JsonNode } from './json-node.js';

/** The reachable part of one schema document that policies reference. */
export interface SchemaModule {
  /** Below `_schemas`. */
  readonly file: string;
  /** Ordered by pointer. */
  readonly definitions: readonly SchemaDefinition[];
}

/** A schema that is the target of a reference. */
export interface SchemaDefinition {
  /** JSON pointer within its document; empty for the whole document. */
  readonly pointer: string;
  readonly schema: SchemaTerm;
}

/** The location of a definition. */
export interface SchemaAddress {
  readonly file: string;
  readonly pointer: string;
}

/** A schema as it will be printed: calls of `packages/json-schema` and their arguments. */
export type SchemaTerm =
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly SchemaTerm[] }
  /** A name in `packages/json-schema` that is not a function. */
  | { readonly kind: 'name'; readonly name: string }
  /** A function that returns the definition. */
  | { readonly kind: 'definition'; readonly at: SchemaAddress }
  | { readonly kind: 'value'; readonly node: JsonNode }
  | { readonly kind: 'list'; readonly items: readonly SchemaTerm[] }
  | { readonly kind: 'record'; readonly members: readonly (readonly [name: string, term: SchemaTerm])[] };

/** The schemas that policies reference: the output of `schema` and input of `lower`. */
export interface SchemaSet {
  /** Sorted by file. */
  readonly modules: readonly SchemaModule[];
  /** Keyed by the `ref` in policies: its target, or why it has none. */
  readonly entries: ReadonlyMap<string, SchemaAddress | { readonly reason: string }>;
}
