import type { Draft } from './dialect.js';

/** What the value of a keyword must be. Shapes with `schema` in their name contain schemas. */
export type Shape =
  | 'schema'
  | 'schema-list'
  | 'schema-map'
  | 'schema-by-pattern'
  /** `items` before 2020-12. */
  | 'schema-or-schema-list'
  /** `additionalProperties`, `additionalItems`: draft 4 also allows true and false there. */
  | 'schema-or-boolean'
  /** `dependencies`. */
  | 'schema-or-names-map'
  | 'names-map'
  | 'names'
  | 'types'
  | 'values'
  | 'value'
  | 'count'
  | 'number'
  | 'positive-number'
  /** `exclusiveMinimum`, `exclusiveMaximum` in draft 4. */
  | 'boolean'
  | 'pattern'
  | 'text';

/** A keyword, and the drafts that define it. */
interface Keyword {
  readonly shape: Shape;
  readonly since?: Draft;
  readonly until?: Draft;
}

/** The shape of a keyword in a draft; undefined for keywords unknown to the draft, which are then ignored. */
export function findShape(name: string, draft: Draft): Shape | undefined {
  return KEYWORDS.get(name)?.find(({ since = 4, until = 2020 }) => draft >= since && draft <= until)?.shape;
}

const one = (shape: Shape, since: Draft = 4, until: Draft = 2020): readonly Keyword[] => [{ shape, since, until }];

const KEYWORDS: ReadonlyMap<string, readonly Keyword[]> = new Map([
  ['$schema', one('text')],
  ['id', one('text', 4, 4)],
  ['$id', one('text', 6)],
  ['$anchor', one('text', 2019)],
  ['$dynamicAnchor', one('text', 2020)],
  ['$recursiveAnchor', one('boolean', 2019, 2019)],
  ['$ref', one('text')],
  ['$recursiveRef', one('text', 2019, 2019)],
  ['$dynamicRef', one('text', 2020)],
  ['$defs', one('schema-map', 2019)],
  ['definitions', one('schema-map')],
  ['type', one('types')],
  ['enum', one('values')],
  ['const', one('value', 6)],
  ['multipleOf', one('positive-number')],
  ['minimum', one('number')],
  ['maximum', one('number')],
  [
    'exclusiveMinimum',
    [
      { shape: 'boolean', until: 4 },
      { shape: 'number', since: 6 },
    ],
  ],
  [
    'exclusiveMaximum',
    [
      { shape: 'boolean', until: 4 },
      { shape: 'number', since: 6 },
    ],
  ],
  ['minLength', one('count')],
  ['maxLength', one('count')],
  ['pattern', one('pattern')],
  ['format', one('text')],
  ['contentEncoding', one('text')],
  ['contentMediaType', one('text')],
  ['contentSchema', one('schema', 2019)],
  ['minItems', one('count')],
  ['maxItems', one('count')],
  ['uniqueItems', one('boolean')],
  [
    'items',
    [
      { shape: 'schema-or-schema-list', until: 2019 },
      { shape: 'schema', since: 2020 },
    ],
  ],
  ['prefixItems', one('schema-list', 2020)],
  ['additionalItems', one('schema-or-boolean', 4, 2019)],
  ['contains', one('schema', 6)],
  ['minContains', one('count', 2019)],
  ['maxContains', one('count', 2019)],
  ['unevaluatedItems', one('schema', 2019)],
  ['minProperties', one('count')],
  ['maxProperties', one('count')],
  ['required', one('names')],
  ['properties', one('schema-map')],
  ['patternProperties', one('schema-by-pattern')],
  ['additionalProperties', one('schema-or-boolean')],
  ['propertyNames', one('schema', 6)],
  ['dependencies', one('schema-or-names-map')],
  ['dependentRequired', one('names-map', 2019)],
  ['dependentSchemas', one('schema-map', 2019)],
  ['unevaluatedProperties', one('schema', 2019)],
  ['allOf', one('schema-list')],
  ['anyOf', one('schema-list')],
  ['oneOf', one('schema-list')],
  ['not', one('schema')],
  ['if', one('schema', 7)],
  ['then', one('schema', 7)],
  ['else', one('schema', 7)],
]);
