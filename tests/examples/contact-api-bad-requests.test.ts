import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningApi, startApi } from '../../examples/contact-api/api.js';
import {
  type Answer,
  type Call,
  pdpSettings,
  SECRET,
  send,
  signed,
  startExample,
  startPdp,
  TRANSPORTS,
} from './contact-api.js';

const test = suite('contact API: rejected requests');

let api: RunningApi;
test.before.each(async () => {
  api = await startExample({ transport: 'in-process' });
});
test.after.each(() => api.close());

/** Bodies that are not a contact. */
const BODIES: readonly unknown[] = [
  '',
  '{',
  'null',
  '[]',
  '"name"',
  '7',
  '{}',
  { name: 'Mary' },
  { email: 'mary@acme.com' },
  { name: 7, email: 'mary@acme.com' },
  { name: 'Mary', email: null },
  { name: ['Mary'], email: 'mary@acme.com' },
  { name: { $ne: '' }, email: 'mary@acme.com' },
  { name: true, email: 'mary@acme.com' },
  { name: '', email: 'mary@acme.com' },
  { name: 'M'.repeat(201), email: 'mary@acme.com' },
  { name: 'Mary\0', email: 'mary@acme.com' },
  { name: 'Mary', email: 'mary@acme.com', private: 'yes' },
  { name: 'Mary', email: 'mary@acme.com', private: 1 },
  { name: 'Mary', email: 'mary@acme.com', owner: 7 },
  '{"name":"Mary","email":"mary@acme.com","__proto__":{"private":true}}',
  '{"name":"Mary","email":"mary@acme.com","constructor":{"prototype":{"private":true}}}',
];

for (const body of BODIES) {
  test(`400 for ${JSON.stringify(body).slice(0, 60)}`, async () => {
    const answer = await ask('POST', '/contacts/new', { body, headers: { 'content-type': 'application/json' } });
    isError(answer, 400);
    assert.is((await ask('GET', '/contacts')).json.length, 2);
  });
}

test('a change is validated like a new contact, but every field is optional', async () => {
  for (const body of ['{', '[]', '7', { name: 7 }, { email: '' }, { private: null }, { owner: [] }])
    isError(await ask('PATCH', '/contacts/abc123', { body }), 400);
  for (const body of [{}, { id: 'def789', unknown: 1 }, undefined])
    assert.is((await ask('PATCH', '/contacts/abc123', { body })).status, 200);
  assert.equal((await ask('GET', '/contacts/abc123')).json, {
    id: 'abc123',
    name: 'John Smith',
    email: 'john@acme.com',
  });
});

test('a body that is not JSON, or too long, is rejected', async () => {
  isError(
    await ask('POST', '/contacts/new', {
      body: 'name=Mary',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    415,
  );
  isError(await ask('POST', '/contacts/new', { body: { name: 'M'.repeat(2_000_000) } }), 413);
});

test('page parameters are numbers within bounds', async () => {
  for (const query of [
    'limit=0',
    'limit=101',
    'limit=-1',
    'limit=1.5',
    'limit=1e3',
    'limit=',
    'limit=1;DROP TABLE contacts',
    'limit=1&limit=2',
    'offset=-1',
    'offset=x',
    'offset=0x10',
    'offset=99999999999999999999',
  ]) {
    isError(await ask('GET', `/contacts?${query}`), 400);
  }
  assert.equal((await ask('GET', '/contacts?offset=999999999')).json, []);
  assert.is((await ask('GET', '/contacts?__proto__=1&constructor=2')).json.length, 2);
});

/** Ids that match no contact, whatever they contain. */
const IDS = [
  "abc123' OR '1'='1",
  "' OR 1=1 --",
  'abc123; DROP TABLE contacts',
  'abc123 ',
  'ABC123',
  'abc12%',
  'abc___',
  'abc123\0',
  'abc123\0x',
  '\0',
  '../contacts/abc123',
  'abc123/',
  '*',
  '?',
  '%',
  '__proto__',
  'constructor',
  'new',
  '1',
  '🙂',
  "x'616263313233'",
];

for (const id of IDS) {
  test(`404 for the id ${JSON.stringify(id)}`, async () => {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const answer = await ask(method, `/contacts/${encodeURIComponent(id)}`, {
        body: method === 'PATCH' ? { name: 'Mallory' } : undefined,
      });
      assert.equal([answer.status, answer.json], [404, { error: 'Contact not found' }]);
    }
    assert.equal(
      (await ask('GET', '/contacts')).json.map(({ name }: { readonly name: string }) => name),
      ['John Smith', 'Sarah Jane'],
    );
  });
}

test('SQL in strings stays a string', async () => {
  const name = `Robert'); DROP TABLE contacts; --`;
  const { headers } = await ask('POST', '/contacts/new', { body: { name, email: '" OR ""="' } });
  assert.is((await ask('GET', headers.get('location') ?? '')).json.name, name);
  await ask('PATCH', '/contacts/abc123', { body: { name: `x', email = 'mallory@acme.com` } });
  assert.equal((await ask('GET', '/contacts/abc123')).json, {
    id: 'abc123',
    name: `x', email = 'mallory@acme.com`,
    email: 'john@acme.com',
  });
});

test('unknown paths are 404 with JSON, even without a token', async () => {
  for (const [method, path] of [
    ['GET', '/'],
    ['PUT', '/contacts/abc123'],
    ['POST', '/contacts'],
    ['DELETE', '/contacts'],
    ['GET', '/contacts/abc123/name'],
    ['GET', '/__proto__'],
  ] as const) {
    for (const authorized of [true, false]) {
      const answer = authorized ? await ask(method, path) : await send(api, method, path);
      assert.equal([answer.status, answer.json], [404, { error: 'Not found' }], `${method} ${path}`);
    }
  }
});

test('malformed URLs are rejected with JSON', async () => {
  isError(await ask('GET', '/contacts/%ff'), 400);
  isError(await ask('GET', `/contacts/${'x'.repeat(5000)}`), 414);
  assert.is((await ask('GET', '/contacts/')).json.length, 2, 'with a slash at its end it is the list');
});

test('a token over the length limit is rejected', async () => {
  const answer = await raw(
    `GET /contacts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${'x'.repeat(100_000)}\r\nconnection: close\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1\.1 431 /);
});

test('claims named like other fields are attributes', async () => {
  const token = await signed(
    JSON.parse(
      '{"sub":"sally","roles":["user"],"__proto__":{"roles":["admin"]},"constructor":1,"principal":{"roles":["admin"]},"attr":{"roles":["admin"]}}',
    ),
  );
  assert.is((await send(api, 'DELETE', '/contacts/abc123', { token })).status, 403);
  assert.is((await send(api, 'GET', '/contacts/abc123', { token })).status, 200);
});

test('a principal whose id contains a NUL is not taken for another one', async () => {
  await ask('POST', '/contacts/new', { body: { name: 'Mary', email: 'mary@acme.com', owner: 'sally', private: true } });
  const { status, json } = await send(api, 'GET', '/contacts', {
    token: await signed({ sub: 'sally\0x', roles: ['user'] }),
  });
  assert.equal([status, json], [401, { error: 'the token does not say who it is for' }]);
});

test.run();

for (const transport of TRANSPORTS.slice(1)) {
  const failing = suite(`the contact API, ${transport}, with an unreachable PDP`);

  failing('answers 503 to everything that has to be decided, and does nothing', async () => {
    const pdp = await startPdp();
    const waiting = await startExample(pdpSettings(transport, pdp));
    const token = await signed({ sub: 'adam', roles: ['admin'] });
    assert.is((await send(waiting, 'GET', '/contacts', { token })).status, 200);
    await pdp.close();
    for (const [method, path, body] of [
      ['GET', '/contacts'],
      ['GET', '/contacts/abc123'],
      ['GET', '/contacts/zzz'],
      ['POST', '/contacts/new', { name: 'Mary', email: 'm@acme.com' }],
      ['PATCH', '/contacts/abc123', { name: 'Mary' }],
      ['DELETE', '/contacts/abc123'],
    ] as const) {
      isError(await send(waiting, method, path, { token, body }), 503);
    }
    isError(await send(waiting, 'GET', '/contacts'), 401);
    assert.equal((await send(waiting, 'GET', '/contacts', { token: await signed({ sub: 'adam' }) })).json, []);
    await waiting.close();
  });

  failing('answers 503 when there never was one', async () => {
    const waiting = await startApi({
      secret: SECRET,
      port: 0,
      database: ':memory:',
      pdp: { transport, address: transport === 'grpc' ? '127.0.0.1:9' : 'http://127.0.0.1:9' },
    });
    isError(
      await send(waiting, 'DELETE', '/contacts/abc123', { token: await signed({ sub: 'adam', roles: ['admin'] }) }),
      503,
    );
    await waiting.close();
  });

  failing('answers 503 when it accepts calls and says nothing', async () => {
    const silent = createServer(() => {});
    const sockets = new Set<Socket>();
    silent.on('connection', (socket) => sockets.add(socket));
    const address = await listening(silent);
    const waiting = await startExample({ transport, address: transport === 'grpc' ? address : `http://${address}` });
    isError(
      await send(waiting, 'DELETE', '/contacts/abc123', { token: await signed({ sub: 'adam', roles: ['admin'] }) }),
      503,
    );
    await waiting.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  failing.run();
}

/** Responses of a server that is not a PDP, or of a broken one. */
const NO_ANSWERS: readonly (readonly [number, string])[] = [
  [200, ''],
  [200, 'true'],
  [200, '{}'],
  [200, '{"results":[]}'],
  [200, '{"results":[{"resource":{"id":"abc123","kind":"contact"},"actions":{}}]}'],
  [200, '{"results":[{"resource":{"id":"def789","kind":"contact"},"actions":{"delete":"EFFECT_ALLOW"}}]}'],
  [200, '<html>'],
  [302, ''],
  [400, '{"code":3,"message":"no"}'],
  [401, ''],
  [403, '{"error":"forbidden"}'],
  [500, '{"results":[{"resource":{"id":"abc123","kind":"contact"},"actions":{"delete":"EFFECT_ALLOW"}}]}'],
  [503, 'busy'],
];

for (const transport of ['rest', 'connect'] as const) {
  const failing = suite(`the contact API, ${transport}, with another server in place of the PDP`);

  for (const [status, body] of NO_ANSWERS) {
    failing(`answers 503, and does nothing, for ${status} ${body}`, async () => {
      const other = createHttpServer(
        (_, response) =>
          void response.writeHead(status, { 'content-type': 'application/json', location: '/' }).end(body),
      );
      const waiting = await startExample({ transport, address: `http://${await listening(other)}` });
      const token = await signed({ sub: 'adam', roles: ['admin'] });
      for (const [method, path] of [
        ['DELETE', '/contacts/abc123'],
        ['GET', '/contacts/abc123'],
        ['GET', '/contacts'],
      ] as const) {
        isError(await send(waiting, method, path, { token }), 503);
      }
      await waiting.close();
      other.close();
    });
  }

  failing.run();
}

/** Listens on a free port and returns the address. */
async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ask(method: string, path: string, call: Call = {}): Promise<Answer> {
  return send(api, method, path, { token: await signed({ sub: 'adam', roles: ['admin'] }), ...call });
}

function isError({ status, json, text }: Answer, expected: number): void {
  assert.is(status, expected, text);
  assert.equal(Object.keys(json), ['error'], text);
  assert.not.match(text, /node_modules|SQLite|FST_|127\.0\.0\.1/);
}

/** A server that responds with fixed bytes. */
function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)));
  });
}
