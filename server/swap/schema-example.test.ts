import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exampleOfSchema } from './schema-example.js';

test('an object has a value for each property', () => {
  const schema = {
    type: 'object',
    properties: {
      owner: { type: 'string' },
      status: { enum: ['OPEN', 'CLOSED'] },
      kind: { const: 'x' },
      size: { type: 'integer', minimum: 3 },
      ratio: { type: ['number', 'null'] },
      isPublic: { type: 'boolean' },
      created: { type: 'string', format: 'date-time' },
      tags: { type: 'array', items: { type: 'string', examples: ['red'] } },
      address: { $ref: '#/$defs/address~1home' },
      either: { anyOf: [{ type: 'string', default: 'd' }, { type: 'number' }] },
      other: { $ref: 'other.json' },
      anything: true,
    },
    $defs: { 'address/home': { properties: { city: { type: 'string' } } } },
  };
  assert.equal(exampleOfSchema(schema), {
    owner: '',
    status: 'OPEN',
    kind: 'x',
    size: 3,
    ratio: 0,
    isPublic: true,
    created: '2025-01-31T12:00:00Z',
    tags: ['red'],
    address: { city: '' },
    either: 'd',
    other: null,
    anything: null,
  });
});

test('a schema that refers to itself ends, and names are only names', () => {
  assert.equal(exampleOfSchema({ properties: { next: { $ref: '#' } } }), { next: { next: { next: null } } });
  assert.equal(exampleOfSchema({ $ref: '#/constructor' }), null);
  assert.equal(Object.keys(exampleOfSchema(JSON.parse('{"properties": {"__proto__": {}}}')) as object), ['__proto__']);
});

test.run();
