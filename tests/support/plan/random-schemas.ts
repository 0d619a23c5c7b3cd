import type { JsonValue } from '../../../compiler/ast/policy.js';
import type { Random } from '../oracle/random.js';

/** A JSON schema as an object. */
export type SchemaObject = { readonly [keyword: string]: JsonValue };

/** The attributes that schemas and policies use. Rows may have others, too. */
export const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;
const ODD_NAMES = ['x', 'a b', 'a.b', '__proto__', 'ä', 'constructor'];
/** The fields of objects. */
export const FIELDS = ['k', 'l', 'm'];

const STRINGS = ['', 'a', 'ab', 'abc', 'OPEN', 'LOCKED', 'alice', 'ä', '🙂', '1', 'null'];
const NUMBERS = [0, 1, 2, 3, -1, 0.5, 1.5, 1e15, 9007199254740993, 1e300, -0];
const MOMENTS = [
  '2024-02-29T00:00:00Z',
  '2024-02-29T00:00:00.000Z',
  '1999-12-31T23:59:59.500Z',
  '2023-02-29T00:00:00Z',
  '2024-01-01T00:00:00.5+02:00',
  '2024-01-01',
];

/** A schema for the attributes of a resource. */
export function randomSchema(random: Random): SchemaObject {
  const properties = Object.fromEntries(
    [...random.some(NAMES, 2, 5), ...(random.chance(0.1) ? [random.pick(ODD_NAMES)] : [])].map((name) => [
      name,
      schemaOf(random, 2),
    ]),
  );
  const names = Object.keys(properties);
  return {
    ...(random.chance(0.7) && { type: 'object' }),
    properties,
    ...(random.chance(0.8) && { required: random.some(random.chance(0.9) ? names : NAMES, 1, 3) as readonly string[] }),
    ...(random.chance(0.3) && { additionalProperties: random.chance(0.7) ? false : schemaOf(random, 1) }),
    ...(random.chance(0.1) && { patternProperties: { [random.pick(['^a', 'b$', '^x'])]: schemaOf(random, 1) } }),
    ...(random.chance(0.1) && {
      propertyNames: random.pick([{ maxLength: 2 }, { pattern: '^[a-z]' }, { enum: [...NAMES] }]),
    }),
    ...(random.chance(0.1) && { minProperties: random.below(4) }),
    ...(random.chance(0.1) && { maxProperties: 2 + random.below(4) }),
    ...(random.chance(0.15) && { dependentRequired: { [random.pick(NAMES)]: [random.pick(NAMES)] } }),
    ...(random.chance(0.1) && {
      dependentSchemas: { [random.pick(NAMES)]: { properties: { [random.pick(NAMES)]: schemaOf(random, 1) } } },
    }),
    ...(random.chance(0.2) && conditionsOf(random)),
    ...(random.chance(0.05) && { unevaluatedProperties: false }),
    $defs: {
      text: { type: 'string', minLength: 1 },
      tree: { type: 'object', properties: { k: { $ref: '#/$defs/tree' }, l: { type: 'string' } } },
    },
  };
}

function conditionsOf(random: Random): SchemaObject {
  const about = (): SchemaObject => ({
    properties: { [random.pick(NAMES)]: schemaOf(random, 1) },
    ...(random.chance(0.5) && { required: [random.pick(NAMES)] }),
  });
  switch (random.below(5)) {
    case 0:
      return { anyOf: [about(), about()] };
    case 1:
      return { oneOf: [about(), about()] };
    case 2:
      return { not: about() };
    case 3:
      return { if: about(), then: about(), ...(random.chance(0.5) && { else: about() }) };
    default:
      return { allOf: [about(), about()] };
  }
}

function schemaOf(random: Random, depth: number): JsonValue {
  const kind = random.below(depth === 0 ? 12 : 20);
  switch (kind) {
    case 0:
    case 1:
      return { type: 'string' };
    case 2:
      return {
        type: 'string',
        ...random.pick<SchemaObject>([
          { minLength: 1 },
          { maxLength: 2 },
          { minLength: 1, maxLength: 3 },
          { pattern: '^[a-z]+$' },
          { enum: ['OPEN', 'LOCKED'] },
        ]),
      };
    case 3:
      return random.chance(0.5) ? { type: 'number' } : { type: 'integer' };
    case 4:
      return {
        type: random.pick(['number', 'integer']),
        ...random.pick<SchemaObject>([
          { minimum: 1 },
          { maximum: 2 },
          { exclusiveMinimum: 0, maximum: 3 },
          { multipleOf: 1 },
          { multipleOf: 0.5 },
          { enum: [1, 2.5, 3] },
        ]),
      };
    case 5:
      return { type: 'boolean' };
    case 6:
      return {
        type: random.some(
          ['string', 'number', 'boolean', 'null', 'array', 'object', 'integer'],
          2,
          3,
        ) as readonly string[],
      };
    case 7:
      return { enum: random.some<JsonValue>(['OPEN', 'LOCKED', 1, 2.5, null, true, ['a'], { k: 'a' }], 1, 3) };
    case 8:
      return { const: random.pick<JsonValue>(['OPEN', 1, null, false, 'alice', 0]) };
    case 9:
      return random.pick<JsonValue>([
        { type: 'string', format: 'date-time' },
        { format: 'date-time' },
        { type: 'string', format: 'email' },
        true,
        false,
        {},
      ]);
    case 10:
      return random.pick<JsonValue>([
        { minimum: 1 },
        { minLength: 2 },
        { minItems: 1 },
        { pattern: 'a' },
        { required: ['k'] },
        { uniqueItems: true },
        { maximum: 2, maxLength: 1 },
      ]);
    case 11:
      return { $ref: random.pick(['#/$defs/text', '#/$defs/text', '#/$defs/tree']) };
    case 12:
    case 13:
      return {
        type: 'array',
        ...(random.chance(0.8) && { items: schemaOf(random, depth - 1) }),
        ...(random.chance(0.3) && { minItems: 1 }),
        ...(random.chance(0.2) && { maxItems: 2 }),
        ...(random.chance(0.2) && { uniqueItems: true }),
        ...(random.chance(0.2) && { prefixItems: [schemaOf(random, 0)] }),
        ...(random.chance(0.2) && { contains: schemaOf(random, 0) }),
      };
    case 14:
    case 15:
    case 16:
      return objectSchema(random, depth);
    case 17:
      return { not: schemaOf(random, depth - 1) };
    case 18:
      return { [random.pick(['anyOf', 'oneOf', 'allOf'])]: [schemaOf(random, depth - 1), schemaOf(random, depth - 1)] };
    default:
      return { if: schemaOf(random, depth - 1), then: schemaOf(random, depth - 1), else: schemaOf(random, depth - 1) };
  }
}

function objectSchema(random: Random, depth: number): SchemaObject {
  return {
    ...(random.chance(0.9) && { type: 'object' }),
    properties: Object.fromEntries(random.some(FIELDS, 1, 3).map((name) => [name, schemaOf(random, depth - 1)])),
    ...(random.chance(0.6) && { required: random.some(FIELDS, 1, 2) as readonly string[] }),
    ...(random.chance(0.3) && { additionalProperties: random.chance(0.7) ? false : schemaOf(random, 0) }),
    ...(random.chance(0.1) && { maxProperties: 2 }),
    ...(random.chance(0.1) && { patternProperties: { '^k': schemaOf(random, 0) } }),
  };
}

/** Attributes of a row: mostly valid for a schema, some missing, null, of other types or not in the schema. */
export function randomRow(random: Random, schema: SchemaObject): { readonly [name: string]: JsonValue } {
  const properties = schema.properties as SchemaObject;
  const entries: [string, JsonValue][] = [];
  const wildness = random.pick([0, 0, 0.15, 0.5]);
  for (const [name, part] of Object.entries(properties)) {
    if (random.chance(wildness === 0 ? 0.12 : 0.25)) continue;
    entries.push([name, random.chance(wildness) ? wild(random, 2) : fitting(random, part as JsonValue, 3)]);
  }
  if (random.chance(wildness / 2))
    entries.push([random.chance(0.6) ? random.pick(NAMES) : random.pick(ODD_NAMES), wild(random, 1)]);
  return Object.fromEntries(entries);
}

/** A value that satisfies a schema, as far as its `type`, `enum` and similar keywords determine it. */
function fitting(random: Random, schema: JsonValue, depth: number): JsonValue {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return wild(random, 1);
  const {
    type,
    enum: values,
    const: constant,
    items,
    properties,
    anyOf,
    oneOf,
    allOf,
    format,
    $ref,
    not,
    prefixItems,
  } = schema as SchemaObject;
  if (values !== undefined && random.chance(0.9)) return random.pick(values as readonly JsonValue[]);
  if (constant !== undefined && random.chance(0.9)) return constant;
  if ($ref !== undefined)
    return $ref === '#/$defs/text'
      ? random.pick(STRINGS)
      : random.pick<JsonValue>([{ l: 'a' }, { k: { l: 'b' } }, {}, { k: { k: { l: 1 } } }]);
  for (const branches of [anyOf, oneOf, allOf])
    if (branches !== undefined) return fitting(random, random.pick(branches as readonly JsonValue[]), depth);
  if (not !== undefined || depth === 0) return wild(random, 1);
  const named = Array.isArray(type) ? random.pick(type as readonly string[]) : type;
  if (format === 'date-time') return random.pick(MOMENTS);
  switch (named) {
    case 'string':
      return random.pick(STRINGS);
    case 'number':
      return random.pick(NUMBERS);
    case 'integer':
      return random.pick([0, 1, 2, 3, 4, -1, 1e300, 2.5]);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'array': {
      const first =
        prefixItems === undefined
          ? []
          : [fitting(random, (prefixItems as readonly JsonValue[])[0] as JsonValue, depth - 1)];
      return [...first, ...random.times(0, 3, () => fitting(random, items ?? true, depth - 1))];
    }
    default: {
      if (named !== 'object' && properties === undefined) return wild(random, 1);
      const entries = Object.entries((properties ?? {}) as SchemaObject).filter(() => random.chance(0.85));
      const extra: readonly [string, JsonValue][] = random.chance(0.1) ? [[random.pick(FIELDS), wild(random, 0)]] : [];
      return Object.fromEntries([
        ...entries.map(([name, part]) => [name, fitting(random, part as JsonValue, depth - 1)] as const),
        ...extra,
      ]);
    }
  }
}

function wild(random: Random, depth: number): JsonValue {
  switch (random.below(depth === 0 ? 5 : 8)) {
    case 0:
      return random.pick(STRINGS);
    case 1:
      return random.pick(NUMBERS);
    case 2:
      return random.chance(0.5);
    case 3:
      return null;
    case 4:
      return random.pick(['OPEN', 'alice', 1]);
    case 5:
    case 6:
      return random.times(0, 3, () => wild(random, depth - 1));
    default:
      return Object.fromEntries(random.some(FIELDS, 0, 3).map((name) => [name, wild(random, depth - 1)]));
  }
}

const CONDITIONS = [
  'R.attr.a == "OPEN"',
  'R.attr.b == P.id',
  'R.attr.a != "LOCKED"',
  '!has(R.attr.c)',
  'has(R.attr.a)',
  'R.attr.c > 1',
  'R.attr.d',
  'R.attr.b in ["alice", "OPEN", "abc"]',
  'R.attr.e == 1',
  'P.id in R.attr.c',
  'R.attr.e.k == "a"',
  'R.attr.a == R.attr.b',
  'size(R.attr.a) > 1',
  'R.attr.c.exists(i, i == "a")',
  '!R.attr.d',
  'R.attr.b.startsWith("a")',
  'R.attr.a == null',
  'R.attr.a == "OPEN" || R.attr.a == "abc"',
  'R.attr.d == true',
  'timestamp(R.attr.e) < now()',
  'R.attr.c.all(i, i.k == "a")',
  'R.attr.a == 1 || R.attr.b == 2.5',
  'R.attr.n == 1',
];

/** The rules of a policy: an ALLOW, and sometimes a DENY. */
export function randomRules(random: Random): readonly JsonValue[] {
  const condition = (): SchemaObject => {
    const exprs = random.times(1, 2, () => ({ expr: random.pick(CONDITIONS) }));
    return { condition: { match: { [random.pick(['all', 'any', 'none'])]: { of: exprs } } } };
  };
  const rule = (effect: string, action: string): JsonValue => ({
    actions: [action],
    effect,
    roles: ['user'],
    ...(random.chance(effect === 'EFFECT_ALLOW' ? 0.5 : 0.9) && condition()),
  });
  return [
    rule('EFFECT_ALLOW', 'view'),
    ...(random.chance(0.6) ? [rule('EFFECT_DENY', 'view')] : []),
    rule('EFFECT_ALLOW', 'edit'),
    ...(random.chance(0.3) ? [rule('EFFECT_DENY', 'edit')] : []),
    rule('EFFECT_ALLOW', 'list'),
  ];
}
