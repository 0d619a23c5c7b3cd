import type { JsonNode } from './json-node.js';

/** One schema document that policies reach, as far as they reach it. */
export interface SchemaModule {
  /** Below `_schemas`. */
  readonly file: string;
  /** Ordered by pointer. */
  readonly definitions: readonly SchemaDefinition[];
}

/** A schema that something refers to. */
export interface SchemaDefinition {
  /** JSON pointer within its document; empty for the whole of it. */
  readonly pointer: string;
  readonly schema: SchemaTerm;
}

/** Where a definition is. */
export interface SchemaAddress {
  readonly file: string;
  readonly pointer: string;
}

/** A schema as it will be printed: calls of `runtime/schema` and what they are given. */
export type SchemaTerm =
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly SchemaTerm[] }
  /** A name of `runtime/schema` that is not a function. */
  | { readonly kind: 'name'; readonly name: string }
  /** A function that gives the definition. */
  | { readonly kind: 'definition'; readonly at: SchemaAddress }
  | { readonly kind: 'value'; readonly node: JsonNode }
  | { readonly kind: 'list'; readonly items: readonly SchemaTerm[] }
  | { readonly kind: 'record'; readonly members: readonly (readonly [name: string, term: SchemaTerm])[] };

/** The schemas that policies refer to: what `schema` promises to `lower`. */
export interface SchemaSet {
  /** Sorted by file. */
  readonly modules: readonly SchemaModule[];
  /** By the policies' `ref`: where it leads, or why it leads nowhere. */
  readonly entries: ReadonlyMap<string, SchemaAddress | { readonly reason: string }>;
}
