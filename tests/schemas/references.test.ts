import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonValue } from '../../compiler/ast/policy.js';
import { type Files, problemsOf, validators } from './validators.js';

/** Asserts the violations of attributes by the schema that a reference names. */
async function finds(ref: string, files: Files, attributes: unknown, ...wanted: readonly string[]): Promise<void> {
  const validate = await validators([ref], files);
  assert.equal(validate(ref, attributes), wanted);
}

const TEXT: JsonValue = { type: 'string' };
const NOT_A_TEXT = '/a: expected string, but got number';
const OF_TEXT: JsonValue = { properties: { a: TEXT } };

test('a ref is a URL whose path is the file below _schemas; the scheme may be in upper case', async () => {
  await finds('authz:///a.json', { 'a.json': OF_TEXT }, { a: 1 }, NOT_A_TEXT);
  await finds('AUTHZ:///sub/a.json', { 'sub/a.json': OF_TEXT }, { a: 1 }, NOT_A_TEXT);
});

test('host and query of a ref are ignored', async () => {
  await finds('authz://host/a.json?x=1', { 'a.json': OF_TEXT }, { a: 1 }, NOT_A_TEXT);
});

test('any extension is allowed, and so are hidden files', async () => {
  await finds('authz:///.hidden/.a', { '.hidden/.a': OF_TEXT }, { a: 1 }, NOT_A_TEXT);
});

test('a fragment of a ref selects a subschema', async () => {
  await finds('authz:///a.json#/properties/b', { 'a.json': { properties: { b: OF_TEXT } } }, { a: 1 }, NOT_A_TEXT);
  await finds('authz:///a.json#/x~1y/0', { 'a.json': { 'x/y': [OF_TEXT] } }, { a: 1 }, NOT_A_TEXT);
  await finds(
    'authz:///a.json#named',
    { 'a.json': { $defs: { b: { $anchor: 'named', ...OF_TEXT } } } },
    { a: 1 },
    NOT_A_TEXT,
  );
});

test('$ref is absolute, or relative to its document', async () => {
  const files = { 'x.json': TEXT, 'sub/x.json': TEXT, 'sub/deep/x.json': { $defs: { q: TEXT } } };
  for (const ref of [
    'authz:///x.json',
    '/x.json',
    'x.json',
    './x.json',
    '../x.json',
    'deep/x.json#/$defs/q',
    '#/$defs/own',
  ]) {
    await finds(
      'authz:///sub/r.json',
      { ...files, 'sub/r.json': { properties: { a: { $ref: ref } }, $defs: { own: TEXT } } },
      { a: 1 },
      NOT_A_TEXT,
    );
  }
});

test('$id changes the base of references', async () => {
  await finds(
    'authz:///r.json',
    { 'sub/x.json': TEXT, 'r.json': { $id: 'authz:///sub/other.json', properties: { a: { $ref: 'x.json' } } } },
    { a: 1 },
    NOT_A_TEXT,
  );
  const embedded = {
    properties: { a: { $ref: 'https://example.com/b.json#/$defs/c' } },
    $defs: { b: { $id: 'https://example.com/b.json', $defs: { c: TEXT } } },
  };
  await finds('authz:///r.json', { 'r.json': embedded }, { a: 1 }, NOT_A_TEXT);
});

test('a schema may refer to itself, directly and indirectly', async () => {
  const node = { properties: { a: TEXT, next: { $ref: '#' } } };
  await finds(
    'authz:///r.json',
    { 'r.json': node },
    { next: { next: { a: 1 } } },
    '/next/next/a: expected string, but got number',
  );
  const pair = {
    'r.json': { properties: { a: TEXT, other: { $ref: 's.json' } } },
    's.json': { properties: { back: { $ref: 'r.json' } } },
  };
  await finds('authz:///r.json', pair, { other: { back: { a: 1 } } }, '/other/back/a: expected string, but got number');
});

test('$dynamicRef resolves to the outermost dynamic anchor, $recursiveRef to the outermost recursive one', async () => {
  const tree = {
    $id: 'authz:///tree.json',
    $dynamicAnchor: 'node',
    properties: { children: { items: { $dynamicRef: '#node' } } },
  };
  const strict = {
    $id: 'authz:///strict.json',
    $dynamicAnchor: 'node',
    $ref: 'tree.json',
    unevaluatedProperties: false,
  };
  await finds(
    'authz:///strict.json',
    { 'tree.json': tree, 'strict.json': strict },
    { children: [{ x: 1 }] },
    '/children/0/x: not allowed',
  );
  await finds('authz:///tree.json', { 'tree.json': tree, 'strict.json': strict }, { children: [{ x: 1 }] });
  const $schema = 'https://json-schema.org/draft/2019-09/schema';
  const oldTree = { $schema, $recursiveAnchor: true, properties: { children: { items: { $recursiveRef: '#' } } } };
  const oldStrict = { $schema, $recursiveAnchor: true, $ref: 'tree.json', unevaluatedProperties: false };
  await finds(
    'authz:///strict.json',
    { 'tree.json': oldTree, 'strict.json': oldStrict },
    { children: [{ x: 1 }] },
    '/children/0/x: not allowed',
  );
});

const draft = (year: string): string =>
  year.length > 2 ? `https://json-schema.org/draft/${year}/schema` : `http://json-schema.org/draft-${year}/schema#`;

test('$schema selects the draft, and keywords of later drafts are annotations', async () => {
  await finds(
    'authz:///a.json',
    { 'a.json': { $schema: draft('04'), properties: { a: { const: 2, contains: TEXT } } } },
    { a: 1 },
  );
  await finds(
    'authz:///a.json',
    { 'a.json': { $schema: draft('06'), properties: { a: { const: 2, if: true, then: false } } } },
    { a: 1 },
    '/a: value must be "2"',
  );
  await finds(
    'authz:///a.json',
    {
      'a.json': { $schema: draft('07'), properties: { a: { if: true, then: false } }, dependentRequired: { a: ['b'] } },
    },
    { a: 1 },
    '/a: not allowed',
  );
  await finds(
    'authz:///a.json',
    {
      'a.json': {
        $schema: draft('2019-09'),
        properties: { a: { prefixItems: [false] } },
        dependentRequired: { a: ['b'] },
      },
    },
    { a: [1] },
    "/: property 'b' is required, if 'a' property exists",
  );
  await finds(
    'authz:///a.json',
    { 'a.json': { $schema: draft('2020-12'), properties: { a: { prefixItems: [false] } } } },
    { a: [1] },
    '/a/0: not allowed',
  );
});

test('up to draft 7 the siblings of $ref are ignored, later they apply', async () => {
  const schema = { properties: { a: { $ref: '#/definitions/t', minimum: 5 } }, definitions: { t: { type: 'number' } } };
  await finds('authz:///a.json', { 'a.json': { $schema: draft('07'), ...schema } }, { a: 1 });
  await finds(
    'authz:///a.json',
    { 'a.json': { $schema: draft('2019-09'), ...schema } },
    { a: 1 },
    '/a: must be >= 5 but found 1',
  );
});

test('draft 4: exclusiveMinimum modifies minimum, id is the $id', async () => {
  const schema = {
    $schema: draft('04'),
    id: 'authz:///sub/r.json',
    properties: { a: { minimum: 1, exclusiveMinimum: true }, b: { $ref: 'x.json' } },
  };
  await finds(
    'authz:///a.json',
    { 'a.json': schema, 'sub/x.json': { type: 'string' } },
    { a: 1, b: 1 },
    '/a: must be > 1 but found 1',
    '/b: expected string, but got number',
  );
});

test('draft 4 within a schema of another draft: id makes it a separate resource', async () => {
  const inner = {
    $schema: draft('04'),
    id: 'https://example.com/b.json',
    definitions: { c: { minimum: 1, exclusiveMinimum: true } },
  };
  await finds(
    'authz:///a.json',
    {
      'a.json': { properties: { a: { $ref: 'https://example.com/b.json#/definitions/c' } }, $defs: { inner } },
    },
    { a: 1 },
    '/a: must be > 1 but found 1',
  );
});

test('before 2020-12 items may be a list, and additionalItems applies to the rest', async () => {
  const schema = (additionalItems: JsonValue): Files => ({
    'a.json': { $schema: draft('07'), properties: { a: { items: [TEXT], additionalItems } } },
  });
  await finds(
    'authz:///a.json',
    schema({ type: 'number' }),
    { a: [1, 'x'] },
    '/a/0: expected string, but got number',
    '/a/1: expected number, but got string',
  );
  await finds('authz:///a.json', schema(false), { a: ['x', 1] }, '/a: only 1 items are allowed, but found 2 items');
});

test('dependencies name members or schemas', async () => {
  const schema = { $schema: draft('07'), dependencies: { a: ['b'], c: { required: ['d'] } } };
  await finds(
    'authz:///a.json',
    { 'a.json': schema },
    { a: 1, c: 1 },
    "/: missing properties: 'd'",
    "/: property 'b' is required, if 'a' property exists",
  );
});

test('a schema may be true or false', async () => {
  await finds('authz:///a.json', { 'a.json': true }, { a: 1 });
  await finds('authz:///a.json', { 'a.json': false }, { a: 1 }, '/: not allowed');
});

const failed = (ref: string, reason: string): string => `Failed to load resource schema "${ref}": ${reason}`;

test('a missing file is reported with the path that was tried', () => {
  assert.equal(problemsOf('authz:///a.json', {}), [failed('authz:///a.json', "schema _schemas/a.json doesn't exist")]);
  assert.equal(problemsOf('authz:///_schemas/a.json', { 'a.json': true }), [
    failed('authz:///_schemas/a.json', "schema _schemas/_schemas/a.json doesn't exist"),
  ]);
  assert.equal(problemsOf('a.json', { 'a.json': true }), [failed('a.json', "schema a.json doesn't exist")]);
  assert.equal(problemsOf('authz:///r.json', { 'r.json': { $ref: 'zz.json' } }), [
    failed('authz:///r.json', "schema _schemas/zz.json referenced by authz:///r.json doesn't exist"),
  ]);
});

test('dots in the path of a ref are not resolved', () => {
  assert.equal(problemsOf('authz:///./r.json', { 'r.json': true }), [
    failed('authz:///./r.json', 'open ./r.json: invalid argument'),
  ]);
  assert.equal(problemsOf('authz:///a/../r.json', { 'r.json': true }), [
    failed('authz:///a/../r.json', 'open a/../r.json: invalid argument'),
  ]);
});

test('nothing is read from disk or fetched', () => {
  assert.equal(problemsOf('file:///etc/hosts', {}), [failed('file:///etc/hosts', "schema /etc/hosts doesn't exist")]);
  assert.equal(problemsOf('https://example.com/a.json', {}), [
    failed('https://example.com/a.json', 'https://example.com/a.json is not fetched'),
  ]);
  assert.equal(problemsOf('authz:///r.json', { 'r.json': { $ref: 'http://example.com/' } }), [
    failed('authz:///r.json', 'http://example.com/ referenced by authz:///r.json is not fetched'),
  ]);
  assert.equal(problemsOf('urn:x:y', {}), [failed('urn:x:y', 'no Loader found for urn:x:y')]);
});

test('an invalid schema is rejected with the location of the error', () => {
  const reason = (schema: JsonValue): string =>
    problemsOf('authz:///r.json', { 'r.json': schema })[0]?.split('compilation failed: ')[1] ?? 'none';
  assert.match(reason('{"a":'), 'invalid json');
  assert.match(reason('{"a": 1} x'), 'invalid json');
  assert.match(reason('"text"'), "'' must be a schema");
  assert.match(reason({ properties: { a: { type: 'strin' } } }), "'/properties/a/type' must name");
  assert.match(
    reason({ properties: { a: { pattern: '(?=a)' } } }),
    "'/properties/a/pattern' must be a regular expression",
  );
  assert.match(reason({ patternProperties: { '(?<=a)b': true } }), "'/patternProperties' must be a regular expression");
  assert.match(
    reason({ $defs: { unused: { minLength: -1 } } }),
    "'/$defs/unused/minLength' must be a non-negative integer",
  );
  assert.match(reason({ required: ['a', 'a'] }), "'/required' must be a list of different names");
  assert.match(reason({ $ref: '#/$defs/zz' }), 'authz:///r.json#/$defs/zz not found');
  assert.match(reason({ $schema: 'https://example.com/meta' }), 'is unknown');
  assert.match(reason({ $ref: '#' }), 'refers to itself without end');
  assert.match(reason({ properties: { a: { allOf: [{ $ref: '#/properties/a' }] } } }), 'refers to itself without end');
});

test.run();
