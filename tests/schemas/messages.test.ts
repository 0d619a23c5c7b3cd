import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Case, outcomes, validators } from './validators.js';

/** Tests the violations of every case (docs/spec/policy-language.md#validation-errors). */
function reports(sentence: string, cases: readonly Case[]): void {
  test(sentence, async () => {
    const found = await outcomes(cases);
    for (const [index, [schema, value, ...wanted]] of cases.entries()) {
      assert.equal(found[index], wanted, `${JSON.stringify(schema)} of ${JSON.stringify(value)}`);
    }
  });
}

reports('type: the expected and the actual type', [
  [{ type: 'string' }, 1, '/v: expected string, but got number'],
  [{ type: 'integer' }, 0.5, '/v: expected integer, but got number'],
  [{ type: 'integer' }, 2.0],
  [{ type: ['string', 'null'] }, true, '/v: expected string or null, but got boolean'],
  [{ type: ['string', 'null'] }, null],
  [{ type: 'object' }, [], '/v: expected object, but got array'],
  [{ type: 'array' }, {}, '/v: expected array, but got object'],
]);

reports('a type failure hides all other keywords of its schema object', [
  [{ type: 'string', enum: ['a'], minLength: 3 }, 1, '/v: expected string, but got number'],
  [
    { allOf: [{ type: 'string' }, { minimum: 3 }] },
    1,
    '/v: expected string, but got number',
    '/v: must be >= 3 but found 1',
  ],
]);

reports('enum and const: quoted numbers, null as <nil>, unquoted booleans', [
  [{ enum: ['eng', 'mkt'] }, 'x', '/v: value must be one of "eng", "mkt"'],
  [{ enum: ['eng'] }, 'x', '/v: value must be "eng"'],
  [{ enum: [1, null, true] }, 'x', '/v: value must be one of "1", <nil>, true'],
  [{ enum: ['a', [1]] }, 'x', '/v: enum failed'],
  [{ enum: ['a', [1, { b: 2 }]] }, [1, { b: 2 }]],
  [{ const: 'x' }, 'y', '/v: value must be "x"'],
  [{ const: 5 }, '5', '/v: value must be "5"'],
  [{ const: {} }, [], '/v: const failed'],
  [{ const: { a: [1] } }, { a: [1] }],
  [{ const: 'a"b\n' }, 'y', '/v: value must be "a\\"b\\n"'],
]);

reports('objects: required, forbidden and counted members', [
  [{ required: ['a', 'b', 'c'] }, { b: 1 }, "/v: missing properties: 'a', 'c'"],
  [
    { properties: { a: true }, additionalProperties: false },
    { r: 1, q: 1, a: 1 },
    "/v: additionalProperties 'q', 'r' not allowed",
  ],
  [
    { patternProperties: { '^x': { type: 'string' } }, additionalProperties: { type: 'number' } },
    { x1: 1, y: 'a' },
    '/v/x1: expected string, but got number',
    '/v/y: expected number, but got string',
  ],
  [{ minProperties: 2 }, { a: 1 }, '/v: minimum 2 properties allowed, but found 1 properties'],
  [{ maxProperties: 0 }, { a: 1 }, '/v: maximum 0 properties allowed, but found 1 properties'],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, "/v: property 'b' is required, if 'a' property exists"],
  [{ dependentSchemas: { a: { required: ['c'] } } }, { a: 1 }, "/v: missing properties: 'c'"],
  [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, '/v/ab: length must be <= 1, but got 2'],
]);

reports('arrays: counted, unique and contained items', [
  [{ minItems: 2 }, [1], '/v: minimum 2 items required, but found 1 items'],
  [{ maxItems: 0 }, [1], '/v: maximum 0 items required, but found 1 items'],
  [{ uniqueItems: true }, [1, 2, 1], '/v: items at index 0 and 2 are equal'],
  [
    { uniqueItems: true },
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    '/v: items at index 0 and 1 are equal',
  ],
  [{ uniqueItems: true }, [1, '1', [1], { 1: 1 }, true, null]],
  [
    { contains: { type: 'string' } },
    [1, true],
    '/v/0: expected string, but got number',
    '/v/1: expected string, but got boolean',
  ],
  [{ contains: { type: 'string' } }, [], '/v: valid must be >= 1, but got 0'],
  [{ contains: { type: 'string' }, minContains: 2 }, ['a'], '/v: valid must be >= 2, but got 1'],
  [{ contains: { type: 'string' }, maxContains: 1 }, ['a', 1, 'b'], '/v: valid must be <= 1, but got 2'],
  [{ contains: { type: 'string' }, minContains: 0 }, [1]],
  [{ items: { type: 'string' } }, ['a', 1], '/v/1: expected string, but got number'],
  [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], '/v/1: not allowed'],
]);

reports('strings: length in code points, patterns, formats', [
  [{ minLength: 3 }, 'a', '/v: length must be >= 3, but got 1'],
  [{ maxLength: 1 }, '🙂🙂', '/v: length must be <= 1, but got 2'],
  [{ pattern: '^a$' }, 'b', "/v: does not match pattern '^a$'"],
  [{ pattern: `'"\\d` }, 'b', `/v: does not match pattern '\\'"\\\\d'`],
  [{ format: 'email' }, 'x', "/v: 'x' is not valid 'email'"],
  [{ format: 'email' }, 5],
  [{ format: 'no-such-format' }, 'x'],
  [{ contentEncoding: 'base64' }, '!', '/v: value is not base64 encoded'],
  [{ contentEncoding: 'base64', contentMediaType: 'application/json' }, 'e30='],
  [{ contentMediaType: 'application/json' }, '{', "/v: value is not of mediatype 'application/json'"],
]);

reports('numbers print with the fewest digits, with an exponent from 1e6 on and below 1e-4', [
  [{ minimum: 1.5 }, 1, '/v: must be >= 1.5 but found 1'],
  [{ exclusiveMinimum: 5 }, 5, '/v: must be > 5 but found 5'],
  [{ maximum: 100000 }, 123456, '/v: must be <= 100000 but found 123456'],
  [{ exclusiveMaximum: 1e20 }, 1e20, '/v: must be < 1e+20 but found 1e+20'],
  [{ maximum: 0.00001 }, 1234567, '/v: must be <= 1e-05 but found 1.234567e+06'],
  [{ multipleOf: 2 }, 3, '/v: 3 not multipleOf 2'],
  [{ multipleOf: 0.1 }, 0.3],
  [{ multipleOf: 0.01 }, 19.99],
  [{ multipleOf: 1e-8 }, 123456789],
]);

reports('combinators are replaced by the violations of their branches', [
  [
    { anyOf: [{ type: 'string' }, { minimum: 3 }] },
    1,
    '/v: expected string, but got number',
    '/v: must be >= 3 but found 1',
  ],
  [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, 4],
  [
    { oneOf: [{ type: 'string' }, { minimum: 3 }] },
    1,
    '/v: expected string, but got number',
    '/v: must be >= 3 but found 1',
  ],
  [{ oneOf: [{ minimum: 1 }, { type: 'string' }, { minimum: 3 }] }, 4, '/v: valid against schemas at indexes 0 and 2'],
  [{ not: { type: 'number' } }, 4, '/v: not failed'],
  [{ not: { type: 'string' } }, 4],
  [{ if: { type: 'number' }, then: { minimum: 5 }, else: { minLength: 5 } }, 4, '/v: must be >= 5 but found 4'],
  [{ if: { type: 'number' }, then: { minimum: 5 }, else: { minLength: 5 } }, 'a', '/v: length must be >= 5, but got 1'],
  [{ allOf: [{ anyOf: [{ not: {} }, { const: 1 }] }] }, 2, '/v: not failed', '/v: value must be "1"'],
]);

reports('false schemas are reported as not allowed', [
  [false, 1, '/v: not allowed'],
  [{ properties: { a: false } }, { a: 1 }, '/v/a: not allowed'],
  [{ properties: { a: true }, unevaluatedProperties: false }, { a: 1, b: 2 }, '/v/b: not allowed'],
  [
    { anyOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: true } }], unevaluatedProperties: false },
    { a: 1, b: 2 },
    '/v/a: not allowed',
  ],
  [
    {
      allOf: [{ properties: { a: true } }],
      if: { required: ['b'] },
      then: { properties: { b: true } },
      unevaluatedProperties: false,
    },
    { a: 1, b: 2 },
  ],
  [{ prefixItems: [true], unevaluatedItems: false }, [1, 2], '/v/1: not allowed'],
  [{ contains: { const: 1 }, unevaluatedItems: false }, [1, 2], '/v/1: not allowed'],
]);

reports('paths are JSON pointers with percent-encoding', [
  [
    { additionalProperties: { type: 'string' } },
    { 'a/b~c d%é': 1 },
    '/v/a~1b~0c%20d%25%C3%A9: expected string, but got number',
  ],
  [
    { additionalProperties: { type: 'string' } },
    { "!'()*$&+:=@;,": 1 },
    '/v/%21%27%28%29%2A$&+:=@%3B%2C: expected string, but got number',
  ],
  [{ items: { type: 'string' } }, ['a', [1]], '/v/1: expected string, but got array'],
]);

reports('names of Object.prototype are ordinary members', [
  [
    { required: ['constructor', '__proto__', 'toString'] },
    {},
    "/v: missing properties: 'constructor', '__proto__', 'toString'",
  ],
  [
    { properties: JSON.parse('{"__proto__": {"type": "string"}}') },
    JSON.parse('{"__proto__": 1}'),
    '/v/__proto__: expected string, but got number',
  ],
  [{ properties: { toString: { type: 'string' } } }, {}],
  [
    { properties: {}, additionalProperties: false },
    JSON.parse('{"__proto__": 1}'),
    "/v: additionalProperties '__proto__' not allowed",
  ],
]);

test('the path of the root is /, and violations are sorted by path and message', async () => {
  const ref = 'authz:///a.json';
  const validate = await validators([ref], {
    'a.json': {
      required: ['x'],
      properties: { z: { type: 'string' }, b: { type: 'string', minLength: 9 } },
      minProperties: 5,
    },
  });
  assert.equal(validate(ref, { z: 1, b: 'c' }), [
    '/: minimum 5 properties allowed, but found 2 properties',
    "/: missing properties: 'x'",
    '/b: length must be >= 9, but got 1',
    '/z: expected string, but got number',
  ]);
  assert.equal(validate(ref, {}).length, 2);
});

test('numbers of a schema are compared by their digits and printed as written', async () => {
  const ref = 'authz:///a.json';
  const text =
    '{"properties": {"a": {"enum": [1.0, 2]}, "b": {"minimum": 0.10000000000000000001}, "c": {"const": 12345678901234567890}}}';
  const validate = await validators([ref], { 'a.json': text });
  assert.equal(validate(ref, { a: 3 }), ['/a: value must be one of "1.0", "2"']);
  assert.equal(validate(ref, { a: 1, b: 0.2 }), []);
  assert.equal(validate(ref, { b: 0.1 }), ['/b: must be >= 0.1 but found 0.1']);
  assert.equal(validate(ref, { c: 12345678901234567890 }), ['/c: value must be "12345678901234567890"']);
});

test.run();
