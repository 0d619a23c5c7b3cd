import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import document from '../gen/openapi.json' with { type: 'json' };
import type { Json, JsonObject } from '../wire/json-shape.js';
import { OPERATIONS } from './operations.js';

const openApi: JsonObject = document;
const test = suite('OpenAPI description of the REST API');
const paths = openApi['paths'] as { readonly [path: string]: { readonly [verb: string]: JsonObject } };
const operations = Object.values(paths).flatMap((item) => Object.values(item));

test('the document is OpenAPI 3.1', () => {
  assert.match(String(openApi['openapi']), /^3\.1\.\d+$/);
  assert.ok(openApi['info'] !== undefined && openApi['paths'] !== undefined && openApi['components'] !== undefined);
});

test('every reference resolves to a component', () => {
  for (const reference of referencesIn(openApi)) {
    const target = reference
      .slice('#/'.length)
      .split('/')
      .reduce<Json | undefined>((node, step) => (node as JsonObject | undefined)?.[step], openApi);
    assert.ok(target !== undefined, reference);
  }
});

test('every component is used', () => {
  const references = new Set(referencesIn(openApi));
  for (const [kind, components] of Object.entries(openApi['components'] as JsonObject)) {
    if (kind === 'securitySchemes') continue;
    for (const name of Object.keys(components as JsonObject))
      assert.ok(references.has(`#/components/${kind}/${name}`), `${kind}/${name}`);
  }
});

test('operations have a unique id, a known tag, a summary and a response', () => {
  const tags = (openApi['tags'] as readonly { readonly name: string }[]).map(({ name }) => name);
  const ids = operations.map(({ operationId }) => String(operationId));
  assert.is(new Set(ids).size, ids.length);
  for (const operation of operations) {
    assert.ok((operation['tags'] as readonly string[]).every((tag) => tags.includes(tag)));
    assert.type(operation['summary'], 'string');
    assert.ok(Object.hasOwn(operation['responses'] as object, '200'));
  }
});

test('path parameters occur in the path', () => {
  for (const [path, item] of Object.entries(paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const operation of Object.values(item)) {
      const given = ((operation['parameters'] ?? []) as readonly JsonObject[]).filter(
        (parameter) => parameter['in'] === 'path',
      );
      assert.equal(
        given.map(({ name }) => name),
        named,
      );
      assert.ok(given.every(({ required }) => required === true));
    }
  }
});

test('every RPC has examples, each with its response', () => {
  for (const { verb, path } of OPERATIONS) {
    const operation = paths[path]?.[verb];
    const requests = examplesIn(operation?.['requestBody']);
    const responses = examplesIn((operation?.['responses'] as JsonObject | undefined)?.['200']);
    assert.ok(responses.length > 0, path);
    if (verb === 'post') assert.equal(requests, responses, path);
  }
});

test('rules of the .proto files are constraints', () => {
  const { properties, required } =
    (openApi['components'] as { readonly schemas: { readonly [name: string]: JsonObject } }).schemas[
      'authz.engine.Principal'
    ] ?? {};
  const { id, roles, attr, scope } = properties as { readonly [name: string]: JsonObject };
  assert.equal(required, ['id', 'roles']);
  assert.equal(id, { type: 'string', minLength: 1 });
  assert.equal(roles, { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, uniqueItems: true });
  assert.equal(attr?.['propertyNames'], { minLength: 1 });
  assert.match(String(scope?.['pattern']), /^\^/);
});

test('comments of the .proto files are descriptions', () => {
  assert.match(String(paths['/api/check/resources']?.['post']?.['description']), /principal may do actions/);
  assert.not.match(JSON.stringify(openApi), 'REST: ');
});

test.run();

function referencesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => (name === '$ref' ? [String(item)] : referencesIn(item)));
}

function examplesIn(body: Json | undefined): readonly string[] {
  const { content } = (body ?? {}) as {
    readonly content?: { readonly [type: string]: { readonly examples: JsonObject } };
  };
  return Object.values(content ?? {}).flatMap(({ examples }) => Object.keys(examples));
}
