import { literalPattern, matchesPattern, RE2 } from '../../packages/cel/runtime/index.js';
import type { JsonNode } from '../ir/json-node.js';
import type { SchemaAddress, SchemaSet, SchemaTerm } from '../ir/schema.js';
import {
  type Alternative,
  ANYTHING,
  both,
  either,
  type JsonKind,
  type JsonType,
  type ListFacts,
  type MapFacts,
  ofKinds,
  ofValues,
  OPEN,
  type Scalar,
  typeWith,
} from './json-type.js';

/** The maximum depth of nested schemas and references; deeper ones are not read. */
const DEEPEST = 150;

type Call = SchemaTerm & { readonly kind: 'call' };

/**
 * Infers types from JSON schemas. They may be wider than the schema, never narrower
 * (docs/spec/policy-language.md#schema-validation).
 */
export class SchemaReader {
  private readonly definitions = new Map<string, SchemaTerm>();
  private readonly known = new Map<SchemaTerm, JsonType | undefined>();

  constructor(schemas: SchemaSet) {
    for (const { file, definitions } of schemas.modules) {
      for (const { pointer, schema } of definitions) this.definitions.set(joinAddress({ file, pointer }), schema);
    }
  }

  /** The type of values that satisfy all schemas; undefined if there are none. */
  readType(schemas: readonly SchemaTerm[], depth = 0): JsonType | undefined {
    let type: JsonType | undefined = ANYTHING;
    for (const schema of schemas) {
      const other = this.read(schema, depth);
      type = type && other && both(type, other);
    }
    return type;
  }

  private read(term: SchemaTerm, depth: number): JsonType | undefined {
    if (this.known.has(term)) return this.known.get(term);
    const type = depth > DEEPEST ? OPEN : this.readTerm(term, depth + 1);
    this.known.set(term, type);
    return type;
  }

  private readTerm(term: SchemaTerm, depth: number): JsonType | undefined {
    switch (term.kind) {
      case 'name':
        return term.name === 'nothing' ? undefined : ANYTHING;
      case 'definition': {
        const definition = this.definitions.get(joinAddress(term.at));
        return definition === undefined ? OPEN : this.read(definition, depth);
      }
      case 'call':
        return this.readCall(term, depth);
      case 'value':
      case 'list':
      case 'record':
        return ANYTHING;
    }
  }

  private readCall(term: Call, depth: number): JsonType | undefined {
    const { name, args } = term;
    switch (name) {
      case 'type':
        return this.narrowed(
          ofKinds(...namesIn(args[0]).flatMap((type) => KINDS.get(type) ?? [])),
          args.slice(1),
          depth,
        );
      case 'anyType':
      case 'allOf':
      case 'ref':
        return this.readType(args, depth);
      case 'inScope':
        return this.readType(args.slice(1), depth);
      case 'anyOf':
      case 'oneOf':
        return this.readChoices(
          args.map((arg) => [arg]),
          depth,
        );
      case 'ifThen': {
        const { if: condition, then, else: otherwise } = readMembers(args[0]);
        return this.readChoices(
          [[condition, then], [otherwise]].map((schemas) => schemas.filter((schema) => schema !== undefined)),
          depth,
        );
      }
      case 'unevaluated':
        return this.unevaluated(args, depth);
      case 'required':
        return typeWith({ required: new Set(args.flatMap(textsIn)) });
      case 'properties':
        return typeWith({ maps: [{ listed: new Map(readEntries(args[0])), patterns: [], others: 'unsaid' }] });
      case 'members':
        return typeWith({ maps: [readMapFacts(readMembers(args[0]))] });
      case 'items':
        return typeWith({ lists: args.map((others): ListFacts => ({ first: [], others })) });
      case 'tuple': {
        const { prefixItems, rest } = readMembers(args[0]);
        return typeWith({
          lists: [{ first: prefixItems?.kind === 'list' ? prefixItems.items : [], others: readOthers(rest) }],
        });
      }
      case 'is':
      case 'isIn':
        return ofNodes(args.flatMap((arg) => (arg.kind === 'value' ? [arg.node] : [])));
      case 'dynamicRef':
      case 'dependentSchemas':
        return OPEN;
      default:
        // Limits, patterns, formats, `not` and the like: they neither list nor require members.
        return ANYTHING;
    }
  }

  private narrowed(type: JsonType, schemas: readonly SchemaTerm[], depth: number): JsonType | undefined {
    const other = this.readType(schemas, depth);
    return other && both(type, other);
  }

  private readChoices(choices: readonly (readonly SchemaTerm[])[], depth: number): JsonType | undefined {
    const types = choices.flatMap((schemas) => {
      const type = this.readType(schemas, depth);
      return type === undefined ? [] : [type];
    });
    return types.length === 0 ? undefined : either(types);
  }

  /** `unevaluatedProperties: false` forbids members that none of the adjacent schemas lists. */
  private unevaluated([schemas, ...keywords]: readonly SchemaTerm[], depth: number): JsonType | undefined {
    const type = this.readType(keywords, depth);
    const { unevaluatedProperties: others } = readMembers(schemas);
    return others !== undefined && isNothing(others) ? type?.map(closed) : type;
  }
}

function closed(alternative: Alternative): Alternative {
  const { maps, isOpen } = alternative;
  if (isOpen || maps.some(({ others }) => typeof others === 'object')) return alternative;
  const all: MapFacts = {
    listed: new Map(maps.flatMap(({ listed }) => [...listed])),
    patterns: maps.flatMap(({ patterns }) => patterns),
    others: 'none',
  };
  return { ...alternative, maps: [...maps, all] };
}

function readMapFacts({ properties, patternProperties, additionalProperties }: Members): MapFacts {
  const patterns = readEntries(patternProperties).map(([source, schema]) => {
    const pattern = literalPattern(source, RE2);
    return { matches: (name: string) => matchesPattern(name, pattern), schema };
  });
  return { listed: new Map(readEntries(properties)), patterns, others: readOthers(additionalProperties) };
}

function readOthers(term: SchemaTerm | undefined): MapFacts['others'] {
  if (term === undefined) return 'unsaid';
  return isNothing(term) ? 'none' : term;
}

function isNothing(term: SchemaTerm): boolean {
  return (
    (term.kind === 'name' && term.name === 'nothing') ||
    (term.kind === 'value' && term.node.kind === 'boolean' && !term.node.value)
  );
}

function ofNodes(nodes: readonly JsonNode[]): JsonType {
  const scalars: Scalar[] = [];
  const composites: ('list' | 'map')[] = [];
  for (const node of nodes) {
    switch (node.kind) {
      case 'null':
        scalars.push(null);
        break;
      case 'boolean':
      case 'string':
        scalars.push(node.value);
        break;
      case 'number':
        scalars.push(Number(node.text));
        break;
      case 'array':
        composites.push('list');
        break;
      case 'object':
        composites.push('map');
        break;
    }
  }
  return ofValues(scalars, composites);
}

const KINDS: ReadonlyMap<string, readonly JsonKind[]> = new Map([
  ['null', ['null']],
  ['boolean', ['boolean']],
  ['integer', ['integer']],
  ['number', ['integer', 'fraction']],
  ['string', ['string']],
  ['array', ['list']],
  ['object', ['map']],
]);

type Members = { readonly [name: string]: SchemaTerm | undefined };

/** The members of a record of keywords, whose names are known. */
function readMembers(term: SchemaTerm | undefined): Members {
  return Object.fromEntries(readEntries(term));
}

function readEntries(term: SchemaTerm | undefined): readonly (readonly [string, SchemaTerm])[] {
  return term?.kind === 'record' ? term.members : [];
}

function namesIn(term: SchemaTerm | undefined): readonly string[] {
  return term?.kind === 'list' ? term.items.flatMap(textsIn) : textsIn(term);
}

function textsIn(term: SchemaTerm | undefined): readonly string[] {
  return term?.kind === 'value' && term.node.kind === 'string' ? [term.node.value] : [];
}

function joinAddress({ file, pointer }: SchemaAddress): string {
  return `${file}#${pointer}`;
}
