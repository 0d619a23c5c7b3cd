import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../proto/wire/json-shape.js';
import { problemsOf } from '../support/explorer/json-schema.js';
import { ADMIN, type StartedServer, startServed } from './start-server.js';

const test = suite('GET /schema/swagger.json');
const JSON_TYPE = { 'content-type': 'application/json' };

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly example?: string;
  }[];
  readonly requestBody?: Body;
  readonly responses: { readonly [status: string]: Body & { readonly $ref?: string } };
}

interface Body {
  readonly content: {
    readonly [mediaType: string]: {
      readonly schema: JsonObject;
      readonly example?: Json;
      readonly examples?: { readonly [name: string]: { readonly value: Json } };
    };
  };
}

/**
 * What this server has not: rollouts need a bundle file (tests/rollout/documented.test.ts), sources and searches a
 * configuration (tests/authzen/documented-postgresql.test.ts).
 */
const ELSEWHERE = ['/admin/bundle/', '/admin/sources', '/access/v1/search/subject', '/access/v1/search/resource'];

let server: StartedServer;
let document: JsonObject;
let operations: readonly { readonly verb: string; readonly path: string; readonly operation: Operation }[];
test.before(async () => {
  server = await startServed();
  document = (await (await fetch(`${server.address}/schema/swagger.json`)).json()) as JsonObject;
  const paths = document['paths'] as unknown as { readonly [path: string]: { readonly [verb: string]: Operation } };
  operations = Object.entries(paths)
    .filter(([path]) => !ELSEWHERE.some((prefix) => path.startsWith(prefix)))
    .flatMap(([path, item]) => Object.entries(item).map(([verb, operation]) => ({ verb, path, operation })));
});
test.after(() => server.close());

test('every example request has the documented response', async () => {
  for (const { path, operation } of operations) {
    const { schema, examples = {} } = operation.requestBody?.content['application/json'] ?? {};
    for (const [name, { value }] of Object.entries(examples)) {
      assert.equal(problemsOf(value, schema as JsonObject, document), [], `${path} ${name}`);
      const response = await fetch(server.address + path, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...(path.startsWith('/admin/') && { authorization: ADMIN }) },
        body: JSON.stringify(value),
      });
      const answer = (await response.json()) as Json;
      const wanted = operation.responses['200']?.content['application/json'];
      assert.is(response.status, 200, `${path} ${name}: ${JSON.stringify(answer)}`);
      assert.equal(problemsOf(answer, wanted?.schema as JsonObject, document), [], `${path} ${name}`);
      assert.equal(settled(answer), settled(wanted?.examples?.[name]?.value as Json), `${path} ${name}`);
    }
  }
});

test('requests without a body have responses of the documented shape', async () => {
  for (const { verb, path, operation } of operations) {
    if (verb !== 'get' || path.includes('{')) continue;
    const response = await fetch(server.address + path);
    assert.is(response.status, 200, path);
    const [[mediaType, { schema, examples = {} }] = ['', { schema: {} }]] = Object.entries(
      operation.responses['200']?.content ?? {},
    );
    assert.match(String(response.headers.get('content-type')), mediaType);
    if (mediaType !== 'application/json') continue;
    const answer = (await response.json()) as Json;
    assert.equal(problemsOf(answer, schema, document), [], path);
    for (const { value } of Object.values(examples)) assert.equal(shapeOf(value), shapeOf(answer), path);
  }
});

test('the audit log has the documented shape', async () => {
  const operation = operations.find(({ path }) => path.startsWith('/admin/'))?.operation;
  const { schema, examples = {} } = operation?.responses['200']?.content['application/x-ndjson'] ?? {};
  await fetch(`${server.address}/api/check/resources`, {
    method: 'POST',
    headers: { 'user-agent': 'test' },
    body: JSON.stringify({
      principal: { id: 'bob', roles: ['user'] },
      resources: [{ actions: ['read'], resource: { kind: 'contact', id: '17' } }],
    }),
  });
  for (const [name, { value }] of Object.entries(examples)) {
    assert.equal(problemsOf(value, schema as JsonObject, document), [], name);
    const response = await fetch(`${server.address}/admin/auditlog/list/${name}?tail=1`, {
      headers: { authorization: ADMIN },
    });
    assert.is(response.status, 200);
    const [line = ''] = (await response.text()).split('\n');
    assert.equal(problemsOf(JSON.parse(line), schema as JsonObject, document), [], line);
    assert.equal(memberNames(value), memberNames(JSON.parse(line)));
  }
});

test('documented error examples are errors that the server returns', async () => {
  const errors = (document['components'] as unknown as { readonly responses: { readonly [name: string]: Body } })
    .responses;
  for (const { content } of Object.values(errors)) {
    const { schema, examples = {} } = content['application/json'] ?? { schema: {} };
    for (const { value } of Object.values(examples)) assert.equal(problemsOf(value, schema, document), []);
  }
  const examples = errors['BadRequest']?.content['application/json']?.examples;
  const check = async (body: string): Promise<Json> =>
    (await (await fetch(`${server.address}/api/check/resources`, { method: 'POST', body })).json()) as Json;
  assert.equal(await check('{'), examples?.['syntax']?.value);
  assert.equal(
    await check('{"principal":{"roles":["user"]},"resources":[{"actions":["a"],"resource":{"kind":"k","id":"i"}}]}'),
    examples?.['rule']?.value,
  );
  const denied = await fetch(`${server.address}/admin/auditlog/list/access?tail=1`);
  assert.is(denied.status, 401);
});

test('a request that violates a rule also violates the schema', async () => {
  const principal = { id: 'bob', roles: ['user'] };
  const resources = [{ actions: ['read'], resource: { kind: 'contact', id: '17' } }];
  const bad: readonly (readonly [string, Json])[] = [
    ['/api/check/resources', {}],
    ['/api/check/resources', { principal, resources: [] }],
    ['/api/check/resources', { principal: { ...principal, id: '' }, resources }],
    ['/api/check/resources', { principal: { ...principal, roles: ['a', 'a'] }, resources }],
    ['/api/check/resources', { principal: { ...principal, roles: [''] }, resources }],
    ['/api/check/resources', { principal: { ...principal, scope: 'a..b' }, resources }],
    ['/api/check/resources', { principal: { ...principal, policyVersion: 'a-b' }, resources }],
    ['/api/check/resources', { principal: { ...principal, attr: { '': 1 } }, resources }],
    ['/api/check/resources', { principal, resources, unknown: 1 }],
    ['/api/check/resources', { principal, resources, auxData: { jwt: { token: 'a' }, jwts: { b: { token: 'c' } } } }],
    ['/api/plan/resources', { principal, resource: { kind: 'contact' } }],
    ['/api/plan/resources', { principal, resource: { kind: 'contact' }, action: 'read', actions: ['read'] }],
    [
      '/api/plan/resources',
      { principal, resource: { kind: 'contact' }, actions: Array.from({ length: 21 }, (_, index) => `a${index}`) },
    ],
    ['/api/check', { principal, actions: ['read'], resource: { kind: 'contact', instances: {} } }],
    ['/access/v1/evaluation', { subject: { type: 'user', id: 'bob' }, action: { name: 'read' } }],
    ['/access/v1/evaluations', { evaluations: [{}], options: { evaluations_semantic: 'some' } }],
  ];
  for (const [path, body] of bad) {
    const schema = operations.find((one) => one.path === path)?.operation.requestBody?.content['application/json']
      ?.schema as JsonObject;
    const response = await fetch(server.address + path, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
    assert.is(response.status, 400, `${path} ${JSON.stringify(body)}`);
    assert.ok(problemsOf(body, schema, document).length > 0, `${path} ${JSON.stringify(body)}`);
  }
});

test('the document names the server that the caller used, including through a proxy', async () => {
  const servers = async (headers: { readonly [name: string]: string } = {}): Promise<Json | undefined> =>
    ((await (await fetch(`${server.address}/schema/swagger.json`, { headers })).json()) as JsonObject)['servers'];
  assert.equal(await servers(), [{ url: server.address }]);
  assert.equal(await servers({ 'x-forwarded-proto': 'https' }), [{ url: server.address.replace('http:', 'https:') }]);
  assert.equal(await servers({ 'x-forwarded-proto': 'gopher' }), [{ url: server.address }]);
});

test('the document has the release as its version, is served for any method, and allows other origins', async () => {
  const info = (await (await fetch(`${server.address}/api/server_info`)).json()) as JsonObject;
  assert.is((document['info'] as JsonObject)['version'], info['version']);
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
    const response = await fetch(`${server.address}/schema/swagger.json?x=1`, {
      method,
      headers: { origin: 'https://elsewhere.example' },
    });
    assert.is(response.status, 200, method);
    assert.is(response.headers.get('content-type'), 'application/json');
    assert.is(response.headers.get('access-control-allow-origin'), '*');
    const { length } = await response.text();
    if (method === 'HEAD') assert.is(length, 0);
    else assert.ok(length > 1000);
  }
});

test('the document is served when the explorer is off, and the page is not', async () => {
  const bare = await startServed(['server.apiExplorerEnabled=false']);
  try {
    assert.is((await fetch(`${bare.address}/schema/swagger.json`)).status, 200);
    for (const path of ['/', '/explorer/explorer.js']) {
      const response = await fetch(bare.address + path);
      assert.is(response.status, 404);
      assert.match(String(response.headers.get('content-type')), /^text\/plain/);
      assert.is(response.headers.get('x-content-type-options'), 'nosniff');
      assert.is(await response.text(), '404 page not found\n');
    }
  } finally {
    await bare.close();
  }
});

test.run();

/** Without the call id, which differs in every response. */
function settled(value: Json): Json {
  const { authzCallId, ...rest } = value as JsonObject;
  return authzCallId === undefined
    ? value
    : { ...rest, authzCallId: /^[0-9A-HJKMNP-TV-Z]{26}$/.test(String(authzCallId)) ? '' : authzCallId };
}

function shapeOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item)]));
}

/** The members of an entry, two levels deep. */
function memberNames(value: Json): readonly string[] {
  return Object.values((value as JsonObject)['result'] as JsonObject).flatMap((entry) =>
    Object.keys(entry as JsonObject).filter((name) => name !== 'metadata'),
  );
}
