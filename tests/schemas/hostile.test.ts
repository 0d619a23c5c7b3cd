import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileReferences, validators } from './validators.js';

const REF = 'authz:///a.json';
const TREE = { properties: { a: { $ref: '#' }, v: { type: 'string' } } };

test('attributes that nest without end are not judged, and do not overflow the stack', async () => {
  const schemas = {
    'a.json': TREE,
    'deep.json': { allOf: [{ anyOf: [{ oneOf: [{ if: { properties: { a: { $ref: '#' } } }, then: true }] }] }] },
    'unique.json': { properties: { a: { uniqueItems: true } } },
  };
  const refs = Object.keys(schemas).map((file) => `authz:///${file}`);
  const validate = await validators(refs, schemas);
  let object: object = {};
  let array: unknown = [];
  for (let i = 0; i < 100_000; i += 1) {
    object = { a: object };
    array = [array];
  }
  const tooDeep = ['/: attributes nest too deeply to be validated'];
  assert.equal(validate('authz:///a.json', object), tooDeep);
  assert.equal(validate('authz:///deep.json', object), tooDeep);
  assert.equal(validate('authz:///unique.json', { a: [array, array] }), tooDeep);
});

test('a schema that asks itself twice at each level does not take exponential time', async () => {
  const twice = { anyOf: [{ properties: { a: { $ref: '#' } }, required: ['x'] }, { properties: { a: { $ref: '#' } }, required: ['y'] }] };
  const validate = await validators([REF], { 'a.json': twice });
  let value: object = {};
  for (let i = 0; i < 60; i += 1) value = { a: value };
  assert.equal(validate(REF, value), ['/: attributes take too long to be validated']);
});

test('what a limit cut short satisfies no schema, not even a negated one', async () => {
  const validate = await validators([REF], { 'a.json': { not: { properties: { a: { $ref: '#/$defs/n' } } }, $defs: { n: { properties: { a: { $ref: '#/$defs/n' } } } } } });
  let value: object = {};
  for (let i = 0; i < 5000; i += 1) value = { a: value };
  assert.is(validate(REF, value).length, 1);
});

test('a hundred violations are listed, and the others are counted', async () => {
  const validate = await validators([REF], { 'a.json': { properties: { a: { uniqueItems: true }, b: { items: { type: 'string' } } } } });
  const pairs = validate(REF, { a: Array(20_000).fill(1) });
  assert.is(pairs.length, 101);
  assert.is(pairs.at(-1), `/: and ${(20_000 * 19_999) / 2 - 100} more`);
  assert.is(validate(REF, { b: Array(20_000).fill(1) }).at(-1), '/: and 19900 more');
  assert.is(validate(REF, { b: Array(100).fill(1) }).length, 100);
});

test('violations in a branch that does not matter make no room and take none', async () => {
  const strings = { items: { type: 'string' } };
  const schema = { properties: { a: { anyOf: [strings, {}] }, b: { anyOf: [strings, { items: { type: 'null' } }] } } };
  const validate = await validators([REF], { 'a.json': schema });
  assert.equal(validate(REF, { a: Array(300).fill(1) }), []);
  const both = validate(REF, { a: Array(300).fill(1), b: Array(60).fill(1) });
  assert.is(both.length, 101);
  assert.is(both.at(-1), '/: and 20 more');
});

test('violations do not repeat long keys and values without end', async () => {
  const schema = { properties: { names: { additionalProperties: false } }, additionalProperties: { items: { type: 'string' } } };
  const validate = await validators([REF], { 'a.json': schema });
  const long = '😀'.repeat(100_000);
  const found = validate(REF, { [`a${long}`]: Array(1000).fill(1), names: { [long]: 1 } });
  assert.ok(found.join('').length < 15_000, `${found.join('').length} characters`);
  assert.ok(found.every((text) => Buffer.from(text).toString() === text));
  assert.match(found.at(-1) ?? '', /^\/: and \d+ more$/);
});

test('patterns run in linear time', async () => {
  const validate = await validators([REF], { 'a.json': { properties: { a: { pattern: '^(a+)+$' }, b: { format: 'email' }, c: { format: 'uri-template' } } } });
  const long = 'a'.repeat(200_000);
  assert.is(validate(REF, { a: `${long}!`, b: `${long}@`, c: '{'.repeat(200_000) }).length, 3);
});

test('a text that would take long to read as a regular expression is not judged', async () => {
  const validate = await validators([REF], { 'a.json': { properties: { a: { format: 'regex' } } } });
  assert.equal(validate(REF, { a: '[a-z]{1,20}' }), []);
  const tooLong = ['/: attributes take too long to be validated'];
  assert.equal(validate(REF, { a: 'a{1000}'.repeat(1000) }), tooLong);
  assert.equal(validate(REF, { a: 'a'.repeat(1_000_000) }), tooLong);
});

test('a schema that nests without end is refused', () => {
  const text = `${'{"not":'.repeat(100_000)}true${'}'.repeat(100_000)}`;
  const { diagnostics } = compileReferences([REF], { 'a.json': text });
  assert.match(diagnostics[0]?.message ?? '', 'values nest too deeply');
});

test('numbers with millions of digits are refused', () => {
  const { diagnostics } = compileReferences([REF], { 'a.json': '{"multipleOf": 1e-999999999}' });
  assert.is(diagnostics.length, 1);
  assert.is(compileReferences([REF], { 'a.json': '{"minimum": 1e999999999}' }).diagnostics.length, 1);
});

test.run();
