import type { Value } from '../../cel/runtime/index.js';
import { decimal } from '../../json-schema/index.js';
import type { JsonNode } from '../../../compiler/ir/json-node.js';
import type { SchemaAddress, SchemaTerm } from '../../../compiler/ir/schema.js';
import type { AssumedSchema } from '../question/question.js';
import { and, apply, implies, NotEncodable, or, realConstant, stringConstant } from './smt.js';
import type { Terms } from './terms.js';
import { constant } from './values.js';

/** An element of a list that a query writes out. */
export interface ListedElement {
  /** A term of the sort V. */
  readonly text: string;
  /** That the list is long enough, as a term of the sort Bool. */
  readonly isThere: string;
}

/** The elements that a query writes out of a list, by the term of the list. */
export type ElementsOf = (list: string) => readonly ListedElement[];

/**
 * What attributes satisfy where schemas are enforced, as terms of the sort Bool, for the attributes that the query
 * reads. Keywords that are not interpreted are left out, which admits more requests
 * (docs/spec/analysis.md#domain).
 */
export function schemaFacts(
  schemas: readonly AssumedSchema[],
  terms: Terms,
  elementsOf: ElementsOf = () => [],
): readonly string[] {
  return schemas.flatMap(({ attributesOf, at, modules }) => {
    const attributes = terms.fields.get(`${attributesOf}.attr`);
    if (attributes === undefined) return [];
    const assumption = new Assumption(terms, modules, elementsOf);
    return [assumption.accepted(terms.script.define('V', attributes), { kind: 'definition', at })];
  });
}

class Assumption {
  private readonly definitions: ReadonlyMap<string, SchemaTerm>;
  private readonly keys = new Map<string, string[]>();
  /** What definitions say, by value and definition. */
  private readonly known = new Map<string, string>();

  constructor(
    private readonly terms: Terms,
    modules: AssumedSchema['modules'],
    readonly elementsOf: ElementsOf,
  ) {
    this.definitions = new Map(
      modules.flatMap(({ file, definitions }) =>
        definitions.map(({ pointer, schema }) => [joinAddress({ file, pointer }), schema] as const),
      ),
    );
    for (const { of, key } of terms.reads.values())
      if (key.startsWith('"')) this.keys.set(of, [...(this.keys.get(of) ?? []), key]);
  }

  /** What is true of a value if a schema accepts it. */
  accepted(value: string, schema: SchemaTerm | undefined): string {
    switch (schema?.kind) {
      case 'name':
        return String(schema.name !== 'nothing');
      case 'definition':
        return this.definition(value, joinAddress(schema.at));
      case 'call': {
        const keyword = Object.hasOwn(KEYWORDS, schema.name) ? KEYWORDS[schema.name] : undefined;
        return keyword?.(this, value, schema.args) ?? 'true';
      }
      default:
        return 'true';
    }
  }

  all(value: string, schemas: readonly SchemaTerm[]): string {
    return and(...schemas.map((schema) => this.accepted(value, schema)));
  }

  any(value: string, schemas: readonly SchemaTerm[]): string {
    return or(...schemas.map((schema) => this.accepted(value, schema)));
  }

  /** What is true of the members of an object that the query reads, by their names as string constants. */
  members(value: string, fact: (name: string, member: string) => string): string {
    const facts = (this.keys.get(value) ?? []).map((name) =>
      fact(name, this.terms.script.define('V', apply('selectJson', value, name))),
    );
    return implies(`((_ is Map) ${value})`, and(...facts));
  }

  /** That a value is a constant. */
  equals(value: string, stated: SchemaTerm): string {
    const json = stated.kind === 'value' ? exactJson(stated.node) : undefined;
    const image = json === undefined ? undefined : encodable(() => constant(json, this.terms.script));
    return image === undefined ? 'true' : apply('=', value, image.text);
  }

  private definition(value: string, key: string): string {
    // The compiler refuses a schema that refers to itself for the same value.
    const fact =
      this.known.get(`${value} ${key}`) ??
      this.terms.script.define('Bool', this.accepted(value, this.definitions.get(key)));
    this.known.set(`${value} ${key}`, fact);
    return fact;
  }
}

/** What a keyword says of a value, as a term of the sort Bool. */
type Keyword = (assumption: Assumption, value: string, args: readonly SchemaTerm[]) => string;

/** Encodings of keywords, by the functions of `packages/json-schema`. */
const KEYWORDS: { readonly [name: string]: Keyword } = {
  type: (assumption, value, [types, ...keywords]) =>
    and(or(...listTexts(types).map((type) => isOfType(value, type))), assumption.all(value, keywords)),
  anyType: (assumption, value, keywords) => assumption.all(value, keywords),
  inScope: (assumption, value, [, schema]) => assumption.accepted(value, schema),
  unevaluated: (assumption, value, [, ...keywords]) => assumption.all(value, keywords),
  ref: (assumption, value, [target]) => assumption.accepted(value, target),
  allOf: (assumption, value, schemas) => assumption.all(value, schemas),
  anyOf: (assumption, value, schemas) => assumption.any(value, schemas),
  oneOf: (assumption, value, schemas) => assumption.any(value, schemas),
  is: (assumption, value, stated) => or(...stated.map((one) => assumption.equals(value, one))),
  isIn: (assumption, value, stated) => or(...stated.map((one) => assumption.equals(value, one))),
  minimum: bound('>='),
  exclusiveMinimum: bound('>'),
  maximum: bound('<='),
  exclusiveMaximum: bound('<'),
  minLength: size('Str', (value) => `(str.len (str ${value}))`, '>='),
  maxLength: size('Str', (value) => `(str.len (str ${value}))`, '<='),
  minItems: size('Lst', (value) => `(length (lst ${value}))`, '>='),
  maxItems: size('Lst', (value) => `(length (lst ${value}))`, '<='),
  items: (assumption, value, [schema]) => {
    const facts = assumption
      .elementsOf(value)
      .map(({ text, isThere }) => implies(isThere, assumption.accepted(text, schema)));
    return implies(`((_ is Lst) ${value})`, and(...facts));
  },
  required: (assumption, value, names) => {
    const required = new Set(names.flatMap(listTexts).flatMap(encoded));
    return assumption.members(value, (name, member) => (required.has(name) ? `(not (isErr ${member}))` : 'true'));
  },
  properties: (assumption, value, [properties]) =>
    assumption.members(value, declared(assumption, properties, undefined)),
  members: (assumption, value, [record]) => {
    const parts = new Map(record?.kind === 'record' ? record.members : []);
    // Names that match a pattern are not the additional ones.
    const additional = parts.has('patternProperties') ? undefined : parts.get('additionalProperties');
    return assumption.members(value, declared(assumption, parts.get('properties'), additional));
  },
};

/** What is true of a member, if it is there. */
function declared(
  assumption: Assumption,
  properties: SchemaTerm | undefined,
  additional: SchemaTerm | undefined,
): (name: string, member: string) => string {
  const members = properties?.kind === 'record' ? properties.members : [];
  const schemas = new Map(members.flatMap(([name, schema]) => encoded(name).map((text) => [text, schema] as const)));
  const isClosed = additional?.kind === 'value' && additional.node.kind === 'boolean' && !additional.node.value;
  return (name, member) => {
    const schema = schemas.get(name) ?? additional;
    const fact = isClosed && schema === additional ? 'false' : assumption.accepted(member, schema);
    return fact === 'true' ? 'true' : or(`(isErr ${member})`, fact);
  };
}

function isOfType(value: string, type: string): string {
  switch (type) {
    case 'null':
      return `((_ is Null) ${value})`;
    case 'boolean':
      return `((_ is Bool) ${value})`;
    case 'string':
      return `((_ is Str) ${value})`;
    case 'number':
      return `((_ is Dbl) ${value})`;
    case 'integer':
      return `(and ((_ is Dbl) ${value}) (is_int (dbl ${value})))`;
    case 'array':
      return `((_ is Lst) ${value})`;
    case 'object':
      return `((_ is Map) ${value})`;
    default:
      return 'true';
  }
}

function bound(comparison: string): Keyword {
  return (_, value, [limit]) => {
    const number = limit?.kind === 'value' ? exactJson(limit.node) : undefined;
    if (typeof number !== 'number') return 'true';
    return implies(`((_ is Dbl) ${value})`, `(${comparison} (dbl ${value}) ${realConstant(number)})`);
  };
}

function size(constructor: 'Str' | 'Lst', sizeOf: (value: string) => string, comparison: string): Keyword {
  return (_, value, [limit]) => {
    const count = limit?.kind === 'value' ? exactJson(limit.node) : undefined;
    if (!Number.isSafeInteger(count)) return 'true';
    return implies(`((_ is ${constructor}) ${value})`, `(${comparison} ${sizeOf(value)} ${count})`);
  };
}

/** Undefined where a number is none that a request can have. */
function exactJson(node: JsonNode): Value | undefined {
  switch (node.kind) {
    case 'null':
      return null;
    case 'number': {
      const number = Number(node.text);
      return Number.isFinite(number) && decimal(node.text).equals(number) ? number + 0 : undefined;
    }
    case 'array': {
      const items = node.items.map(exactJson);
      return items.includes(undefined) ? undefined : (items as Value[]);
    }
    case 'object': {
      const members = [...node.members].map(([name, member]) => [name, exactJson(member)] as const);
      return members.some(([, member]) => member === undefined)
        ? undefined
        : (Object.fromEntries(members) as { readonly [name: string]: Value });
    }
    default:
      return node.value;
  }
}

/** The texts of a value, or of a list of values. */
function listTexts(term: SchemaTerm | undefined): readonly string[] {
  if (term?.kind === 'list') return term.items.flatMap(listTexts);
  return term?.kind === 'value' && term.node.kind === 'string' ? [term.node.value] : [];
}

/** A name as a string constant; none if no query can read it. */
function encoded(name: string): readonly string[] {
  return encodable(() => [stringConstant(name)]) ?? [];
}

/** Undefined for strings that those of SMT-LIB cannot be. */
function encodable<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotEncodable) return undefined;
    throw error;
  }
}

function joinAddress({ file, pointer }: SchemaAddress): string {
  return `${file}#${pointer}`;
}
