import * as schema from '../../json-schema/index.js';
import * as rowSchema from '../../../runtime/row-schema/index.js';
import { anyOf, glob, type SchemaReference, type SchemaReferences } from '../../../runtime/policy/index.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type { JsonNode } from '../../../compiler/ir/json-node.js';
import type { ResourceModule, Schema } from '../../../compiler/ir/program.js';
import type { SchemaAddress, SchemaModule, SchemaTerm } from '../../../compiler/ir/schema.js';

type Definitions = (at: SchemaAddress) => schema.Schema;

/** The definitions of all schemas, each built when it is first used: they may refer to each other. */
export function schemaDefinitions(modules: readonly SchemaModule[]): Definitions {
  return definitionsIn(schema, modules) as Definitions;
}

/** The rows that satisfy a schema of a program, given the condition that they satisfy anyway. */
export function rowsWithSchema(
  modules: readonly SchemaModule[],
  at: SchemaAddress,
): NonNullable<SchemaReference['where']> {
  return rowSchema.rowsThatSatisfy(definitionsIn(rowSchema, modules)(at) as rowSchema.Schema);
}

/** @param library the functions that terms of schemas call. */
function definitionsIn(library: object, modules: readonly SchemaModule[]): (at: SchemaAddress) => unknown {
  const terms = new Map(
    modules.flatMap(({ file, definitions }) =>
      definitions.map((definition) => [joinAddress({ file, pointer: definition.pointer }), definition.schema] as const),
    ),
  );
  const built = new Map<string, unknown>();
  const definitionAt = (at: SchemaAddress): unknown => {
    const key = joinAddress(at);
    const known = built.get(key);
    if (known !== undefined) return known;
    const term = terms.get(key) ?? invariant(`schema ${key} was not lowered`);
    const definition = build(term, library, definitionAt);
    built.set(key, definition);
    return definition;
  };
  return definitionAt;
}

function joinAddress({ file, pointer }: SchemaAddress): string {
  return `${file}#${pointer}`;
}

/** The schemas of a resource policy; undefined if it has none. */
export function schemaReferences(
  { principal, resource }: ResourceModule['schemas'],
  definitionAt: Definitions,
): SchemaReferences | undefined {
  if (principal === undefined && resource === undefined) return undefined;
  return {
    ...(principal && { principal: referenceTo(principal, definitionAt) }),
    ...(resource && { resource: referenceTo(resource, definitionAt) }),
  };
}

function referenceTo({ ref, ignoredActions, validator }: Schema, definitionAt: Definitions): SchemaReference {
  return {
    ref,
    ignores: anyOf(ignoredActions.map(glob)),
    violations:
      'unavailable' in validator
        ? schema.unavailable(validator.unavailable)
        : schema.violationsOf(definitionAt(validator)),
  };
}

/** What the code of a term evaluates to (compiler/emit/schema-module.ts). */
function build(term: SchemaTerm, library: object, definitionAt: (at: SchemaAddress) => unknown): unknown {
  switch (term.kind) {
    case 'call':
      return (libraryMember(library, term.name) as (...args: readonly unknown[]) => unknown)(
        ...term.args.map((arg) => build(arg, library, definitionAt)),
      );
    case 'name':
      return libraryMember(library, term.name);
    case 'definition':
      return () => definitionAt(term.at);
    case 'value':
      return toJson(term.node);
    case 'list':
      return term.items.map((item) => build(item, library, definitionAt));
    case 'record':
      return Object.fromEntries(term.members.map(([name, member]) => [name, build(member, library, definitionAt)]));
  }
}

/** The names come from the compiler's own tables, never from an author. */
function libraryMember(library: object, name: string): unknown {
  return (library as { readonly [name: string]: unknown })[name] ?? invariant(`the library of schemas has no ${name}`);
}

function toJson(node: JsonNode): unknown {
  switch (node.kind) {
    case 'null':
      return null;
    case 'boolean':
    case 'string':
      return node.value;
    case 'number':
      return String(Number(node.text)) === node.text ? Number(node.text) : schema.decimal(node.text);
    case 'array':
      return node.items.map(toJson);
    case 'object':
      return Object.fromEntries([...node.members].map(([name, member]) => [name, toJson(member)]));
  }
}
