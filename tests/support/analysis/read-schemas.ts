import type { Random } from '../oracle/random.js';

/** JSON schemas of attributes that reading them depends on in every way: properties, names, counts, alternatives. */
export function readSchema(random: Random, depth = 2): object {
  const names = ['flag', 'name', 'count', 'tags', 'people', 'labels', 'deep'];
  const value = (): object =>
    random.pick([
      {},
      { type: 'string' },
      { type: ['number', 'boolean'] },
      { enum: ['name', 'x', true, null] },
      { type: 'array', maxItems: 1 },
      { type: 'object', required: ['name'] },
    ]);
  const keyword = (): object =>
    random.pick([
      () => ({ properties: Object.fromEntries(random.some(names, 1, 3).map((name) => [name, value()])) }),
      () => ({ required: random.some(names, 1, 2) }),
      () => ({ properties: { name: value() }, additionalProperties: random.pick([false, true, value()]) }),
      () => ({ patternProperties: { '^f': value() } }),
      () => ({ minProperties: 1 + random.below(5) }),
      () => ({ maxProperties: 3 + random.below(5) }),
      () => ({ propertyNames: { maxLength: 5 + random.below(3) } }),
      () => ({ dependentRequired: { [random.pick(names)]: [random.pick(names)] } }),
      () => ({ dependentSchemas: { [random.pick(names)]: nested() } }),
      () => ({ properties: { flag: {}, name: {} }, unevaluatedProperties: random.pick([false, value()]) }),
      () => ({ not: nested() }),
      () => ({ anyOf: [nested(), nested()] }),
      () => ({ oneOf: [nested(), nested()] }),
      () => ({ allOf: [nested()] }),
      () => ({ if: nested(), then: nested(), else: nested() }),
      () => ({ $ref: '#/$defs/shared' }),
      () => ({ const: { name: 'x' } }),
    ])();
  const nested = (): object => (depth === 0 ? { required: [random.pick(names)] } : readSchema(random, depth - 1));
  return {
    ...(random.chance(0.5) && { type: 'object' }),
    ...keyword(),
    ...(random.chance(0.5) && keyword()),
    ...(depth === 2 && { $defs: { shared: { required: [random.pick(names)], properties: { flag: value() } } } }),
  };
}
