import type { ReadSetBuilder } from './read-set.js';
import type { AssumedSchema } from '../question/question.js';
import type { SchemaAddress, SchemaTerm } from '../../../compiler/ir/schema.js';

/**
 * Adds what a schema reads of the attributes of a side: the properties that it mentions, and the names of all if it
 * restricts these. What is not known to be harmless reads the side as a whole.
 */
export function addSchema({ attributesOf, at, modules }: AssumedSchema, into: ReadSetBuilder): void {
  const definitions = new Map<string, SchemaTerm>(
    modules.flatMap(({ file, definitions: own }) => own.map(({ pointer, schema }) => [key({ file, pointer }), schema])),
  );
  const walk = new SchemaWalk([attributesOf, 'attr'], definitions, into);
  walk.schema({ kind: 'definition', at });
}

/** Keywords about values that are not objects, which sides always are. */
const OTHER_TYPES: ReadonlySet<string> = new Set([
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'items',
  'tuple',
  'contains',
  'minItems',
  'maxItems',
  'uniqueItems',
  'content',
]);

class SchemaWalk {
  private readonly seen = new Set<string>();

  constructor(
    private readonly side: readonly string[],
    private readonly definitions: ReadonlyMap<string, SchemaTerm>,
    private readonly into: ReadSetBuilder,
  ) {}

  schema(term: SchemaTerm | undefined): void {
    switch (term?.kind) {
      case 'name':
        if (term.name !== 'anything' && term.name !== 'nothing' && !OTHER_TYPES.has(term.name)) this.whole();
        return;
      case 'definition':
        return this.definition(term.at);
      case 'call':
        return this.keyword(term.name, term.args);
      default:
        this.whole();
    }
  }

  private keyword(name: string, args: readonly SchemaTerm[]): void {
    const [first] = args;
    switch (name) {
      case 'type':
        for (const keyword of args.slice(1)) this.schema(keyword);
        return;
      case 'anyType':
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
      case 'not':
      case 'ref':
        for (const schema of args) this.schema(schema);
        return;
      case 'inScope':
        this.schema(args[1]);
        return;
      case 'ifThen':
        for (const [, schema] of listMembers(first) ?? this.whole()) this.schema(schema);
        return;
      case 'properties':
        return this.properties(first);
      case 'members':
        return this.members(first);
      case 'required':
        for (const names of args) this.names(names);
        return;
      case 'minProperties':
      case 'maxProperties':
      case 'propertyNames':
        return this.shape();
      case 'dependentRequired':
        for (const [property, needed] of listMembers(first) ?? this.whole()) {
          this.into.add([...this.side, property], 'has');
          this.names(needed);
        }
        return;
      case 'dependentSchemas':
        for (const [property, schema] of listMembers(first) ?? this.whole()) {
          this.into.add([...this.side, property], 'has');
          this.schema(schema);
        }
        return;
      case 'unevaluated':
        this.shape();
        for (const [keyword, schema] of listMembers(first) ?? this.whole())
          if (keyword === 'unevaluatedProperties' && !isFalse(schema)) this.whole();
        for (const keyword of args.slice(1)) this.schema(keyword);
        return;
      default:
        if (!OTHER_TYPES.has(name)) this.whole();
    }
  }

  private properties(record: SchemaTerm | undefined): void {
    for (const [name] of listMembers(record) ?? this.whole()) this.into.add([...this.side, name], 'value');
  }

  private members(record: SchemaTerm | undefined): void {
    for (const [keyword, schema] of listMembers(record) ?? this.whole()) {
      if (keyword === 'properties') this.properties(schema);
      else if (keyword === 'additionalProperties' && isFalse(schema)) this.shape();
      else if (keyword !== 'engine' && !isTrue(schema)) this.whole();
    }
  }

  private names(term: SchemaTerm): void {
    if (term.kind === 'list') for (const item of term.items) this.names(item);
    else if (term.kind === 'value' && term.node.kind === 'string')
      this.into.add([...this.side, term.node.value], 'has');
    else this.whole();
  }

  private definition(at: SchemaAddress): void {
    if (this.seen.has(key(at))) return;
    this.seen.add(key(at));
    this.schema(this.definitions.get(key(at)));
  }

  private shape(): void {
    this.into.add(this.side, 'shape');
  }

  private whole(): readonly never[] {
    this.into.add(this.side, 'value');
    return [];
  }
}

function listMembers(term: SchemaTerm | undefined): Extract<SchemaTerm, { kind: 'record' }>['members'] | undefined {
  return term?.kind === 'record' ? term.members : undefined;
}

function isTrue(term: SchemaTerm): boolean {
  return term.kind === 'name' && term.name === 'anything';
}

function isFalse(term: SchemaTerm): boolean {
  if (term.kind === 'value') return term.node.kind === 'boolean' && !term.node.value;
  return term.kind === 'name' && term.name === 'nothing';
}

function key({ file, pointer }: SchemaAddress): string {
  return `${file}#${pointer}`;
}
