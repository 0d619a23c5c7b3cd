import type { FactTypes, JsonTypes } from '../../runtime/policy/index.js';
import type { Program, Schema } from '../ir/program.js';
import type { SchemaAddress, SchemaTerm } from '../ir/schema.js';
import { definitionKey } from './schema-locations.js';

/**
 * The types of attributes by the JSON schemas of the policies, as far as a property says its own. A schema that is
 * exempt from some actions counts: what sources return must satisfy it for the others.
 */
export function factTypes({ modules, schemas }: Program): FactTypes {
  const definitions = new Map(
    schemas.flatMap(({ file, definitions: own }) =>
      own.map(({ pointer, schema }) => [definitionKey({ file, pointer }), schema] as const),
    ),
  );
  const reader = new PropertyReader(definitions);
  // Schemas of scoped policies are not used.
  const policies = modules.filter((module) => module.kind === 'resource').filter(({ scope }) => scope === '');
  const kinds = new Map<string, JsonTypes[]>();
  for (const { kindName, schemas: own } of policies) {
    const known = kinds.get(kindName) ?? [];
    kinds.set(kindName, known);
    known.push(reader.attributesOf(own.resource));
  }
  return {
    principal: agreed(
      policies.flatMap(({ schemas: { principal } }) => (principal ? [reader.attributesOf(principal)] : [])),
    ),
    resources: Object.fromEntries([...kinds].map(([kind, types]) => [kind, agreed(types)])),
  };
}

/** The types on which all that mention an attribute agree. */
function agreed(all: readonly JsonTypes[]): JsonTypes {
  const names = [...new Set(all.flatMap((types) => Object.keys(types)))].sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const [first = [], ...others] = all.filter((types) => Object.hasOwn(types, name)).map((types) => types[name]);
      return others.every((other) => other?.join() === first.join()) ? [[name, first]] : [];
    }),
  );
}

/** How deep references and combinations are followed. */
const DEEPEST = 20;

class PropertyReader {
  constructor(private readonly definitions: ReadonlyMap<string, SchemaTerm>) {}

  attributesOf(schema: Schema | undefined): JsonTypes {
    if (schema === undefined || 'unavailable' in schema.validator) return {};
    const found = new Map<string, readonly string[]>();
    this.addProperties({ kind: 'definition', at: schema.validator }, found, 0);
    return Object.fromEntries(found);
  }

  private addProperties(term: SchemaTerm, found: Map<string, readonly string[]>, depth: number): void {
    if (depth > DEEPEST) return;
    if (term.kind === 'definition') {
      const target = this.target(term.at);
      if (target !== undefined) this.addProperties(target, found, depth + 1);
      return;
    }
    if (term.kind !== 'call') return;
    if (term.name === 'properties') {
      const [members] = term.args;
      if (members?.kind !== 'record') return;
      for (const [name, schema] of members.members) {
        const types = this.inferTypes(schema, depth + 1);
        if (types !== undefined && !found.has(name)) found.set(name, types);
      }
      return;
    }
    if (TRANSPARENT.has(term.name)) for (const arg of term.args) this.addProperties(arg, found, depth + 1);
  }

  /** The types that a schema accepts, sorted; undefined if it accepts any, or does not say. */
  private inferTypes(term: SchemaTerm, depth: number): readonly string[] | undefined {
    if (depth > DEEPEST) return undefined;
    if (term.kind === 'definition') {
      const target = this.target(term.at);
      return target && this.inferTypes(target, depth + 1);
    }
    if (term.kind !== 'call') return undefined;
    switch (term.name) {
      case 'inScope':
        return term.args[1] && this.inferTypes(term.args[1], depth + 1);
      case 'ref':
        return term.args[0] && this.inferTypes(term.args[0], depth + 1);
      case 'type':
        return term.args[0] && jsonTypes(term.args[0]);
      case 'anyType':
        return literalTypes(term.args);
      default:
        return undefined;
    }
  }

  private target(at: SchemaAddress): SchemaTerm | undefined {
    return this.definitions.get(definitionKey(at));
  }
}

/** Calls whose arguments all apply to the value itself. */
const TRANSPARENT: ReadonlySet<string> = new Set(['inScope', 'ref', 'type', 'anyType', 'unevaluated', 'allOf']);

/** The types that a `type` names. */
function jsonTypes(term: SchemaTerm): readonly string[] {
  const values = term.kind === 'list' ? term.items : [term];
  const names = values.flatMap((value) =>
    value.kind === 'value' && value.node.kind === 'string' ? [value.node.value] : [],
  );
  return sorted(names.map((name) => (name === 'integer' ? 'number' : name)));
}

/** The types of the values of an `enum` or a `const`. */
function literalTypes(keywords: readonly SchemaTerm[]): readonly string[] | undefined {
  const literals = keywords.flatMap((keyword) =>
    keyword.kind === 'call' && (keyword.name === 'is' || keyword.name === 'isIn')
      ? [keyword.args.flatMap((arg) => (arg.kind === 'value' ? [arg.node.kind] : []))]
      : [],
  );
  return literals[0] && sorted(literals[0]);
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
