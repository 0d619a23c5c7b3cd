import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunningApi } from '../../examples/contact-api/api.js';
import type { RunningServer } from '../../server/main.js';
import { inSeconds, pdpSettings, send, signed, startExample, startPdp, TRANSPORTS } from './contact-api.js';

const JOHN = { id: 'abc123', name: 'John Smith', email: 'john@acme.com' };
const SARAH = { id: 'def789', name: 'Sarah Jane', email: 'sarah@acme.com' };
const MARY = { name: 'Mary Major', email: 'mary@acme.com' };
const UNAUTHORIZED = { error: 'Unauthorized' };
const NOT_FOUND = { error: 'Contact not found' };

/** Every operation, on an existing contact. None of them changes what a later one needs. */
const OPERATIONS = [
  { name: 'list', method: 'GET', path: '/contacts', body: undefined, answer: [JOHN, SARAH] },
  { name: 'read', method: 'GET', path: '/contacts/abc123', body: undefined, answer: JOHN },
  { name: 'create', method: 'POST', path: '/contacts/new', body: MARY, answer: { result: 'Created contact' } },
  {
    name: 'update',
    method: 'PATCH',
    path: '/contacts/abc123',
    body: { name: 'John Smith' },
    answer: { result: 'Updated contact abc123' },
  },
  {
    name: 'delete',
    method: 'DELETE',
    path: '/contacts/abc123',
    body: undefined,
    answer: { result: 'Contact abc123 deleted' },
  },
] as const;

const READING: readonly string[] = ['list', 'read'];

/** Roles of a token, and the operations that they allow. */
const CALLERS: readonly {
  readonly who: string;
  readonly claims: { readonly [claim: string]: unknown };
  readonly may: (operation: string) => boolean;
}[] = [
  { who: 'an admin', claims: { roles: ['admin'] }, may: () => true },
  { who: 'a user', claims: { roles: ['user'] }, may: (operation) => READING.includes(operation) },
  { who: 'a user who is an admin as well', claims: { roles: ['user', 'admin', 'user'] }, may: () => true },
  { who: 'someone with a role that no policy names', claims: { roles: ['guest'] }, may: () => false },
  { who: 'someone without roles', claims: {}, may: () => false },
  { who: 'someone with an empty list of roles', claims: { roles: [] }, may: () => false },
  { who: 'someone whose roles are one text', claims: { roles: 'admin' }, may: () => false },
  { who: 'someone with a role that is not a string', claims: { roles: ['admin', 1] }, may: () => false },
  { who: 'someone with an empty role', claims: { roles: ['admin', ''] }, may: () => false },
  { who: 'someone whose roles are null', claims: { roles: null }, may: () => false },
  { who: 'someone whose role has other letters', claims: { roles: ['Admin'] }, may: () => false },
  {
    who: 'a user with claims of all kinds',
    claims: {
      roles: ['user'],
      aud: 'contacts',
      iss: 'me',
      iat: 1,
      name: 'Sally',
      attr: { roles: ['admin'] },
      id: 'adam',
    },
    may: (operation) => READING.includes(operation),
  },
];

/** Invalid tokens. */
const INVALID_TOKENS: readonly {
  readonly what: string;
  readonly header: () => string | undefined | Promise<string>;
}[] = [
  { what: 'no header', header: () => undefined },
  { what: 'an empty header', header: () => '' },
  { what: 'another scheme', header: () => 'Basic YWRhbTphZGFt' },
  { what: 'a scheme alone', header: () => 'Bearer' },
  { what: 'two tokens', header: async () => `Bearer ${await admin()} ${await admin()}` },
  { what: 'a token without a scheme', header: () => admin() },
  { what: 'a malformed token', header: () => 'Bearer abc' },
  { what: 'two dots', header: () => 'Bearer ..' },
  {
    what: 'a token of another secret',
    header: async () => `Bearer ${await signed({ sub: 'adam', roles: ['admin'] }, { secret: 'another secret' })}`,
  },
  {
    what: 'a token that was changed',
    header: async () => `Bearer ${forged(await signed({ sub: 'sally', roles: ['user'] }))}`,
  },
  { what: 'a token without its signature', header: async () => `Bearer ${(await admin()).replace(/[^.]*$/, '')}` },
  { what: 'a token that says it needs no signature', header: () => `Bearer ${unsigned()}` },
  {
    what: 'a token of another algorithm',
    header: async () => `Bearer ${await signed({ sub: 'adam', roles: ['admin'] }, { alg: 'HS512' })}`,
  },
  {
    what: 'an expired token',
    header: async () => `Bearer ${await signed({ sub: 'adam', roles: ['admin'], exp: inSeconds(-10) })}`,
  },
  {
    what: 'a token of the future',
    header: async () => `Bearer ${await signed({ sub: 'adam', roles: ['admin'], nbf: inSeconds(600) })}`,
  },
  { what: 'a token without a subject', header: async () => `Bearer ${await signed({ roles: ['admin'] })}` },
  {
    what: 'a token whose subject is empty',
    header: async () => `Bearer ${await signed({ sub: '', roles: ['admin'] })}`,
  },
  {
    what: 'a token whose subject is a number',
    header: async () => `Bearer ${await signed({ sub: 7, roles: ['admin'] })}`,
  },
];

for (const transport of TRANSPORTS) {
  const test = suite(`contact API, permissions, ${transport}`);
  let pdp: RunningServer;
  let api: RunningApi;

  test.before(async () => {
    pdp = await startPdp();
  });
  test.after(() => pdp.close());
  test.before.each(async () => {
    api = await startExample(pdpSettings(transport, pdp));
  });
  test.after.each(() => api.close());

  for (const { who, claims, may } of CALLERS) {
    test(`${who} has exactly the permissions of the matrix`, async () => {
      const token = await signed({ sub: 'sally', ...claims });
      for (const { name, method, path, body, answer } of OPERATIONS) {
        const { status, json, headers } = await send(api, method, path, { token, body });
        if (may(name)) assert.equal([name, status, json], [name, 200, answer]);
        else if (name === 'list')
          assert.equal([name, status, json, headers.get('x-total-count')], [name, 200, [], '0']);
        else assert.equal([name, status, json], [name, 403, UNAUTHORIZED]);
      }
      const left = await send(api, 'GET', '/contacts', { token: await admin() });
      assert.is(left.json.length, 2, 'one made and one deleted, or neither');
      assert.is(
        left.json.some(({ id }: { readonly id: string }) => id === 'abc123'),
        !may('delete'),
      );
    });
  }

  for (const { what, header } of INVALID_TOKENS) {
    test(`${what} is answered with 401 everywhere`, async () => {
      const authorization = await header();
      for (const { method, path, body } of [
        ...OPERATIONS,
        { method: 'GET', path: '/contacts/zzz', body: undefined },
        { method: 'POST', path: '/contacts/new', body: '{' },
      ]) {
        const answer = await send(api, method, path, {
          headers: authorization === undefined ? {} : { authorization },
          body,
        });
        assert.is(answer.status, 401, `${method} ${path}`);
        assert.is(answer.headers.get('www-authenticate'), 'Bearer');
        assert.equal(Object.keys(answer.json), ['error']);
        assert.type(answer.json.error, 'string');
        assert.not.match(answer.text, /\bat \S+:\d+|node_modules|Error/);
      }
      assert.equal((await send(api, 'GET', '/contacts', { token: await admin() })).json, [JOHN, SARAH]);
    });
  }

  test('a missing contact is 404 for callers with permission to act on it, and 403 for others', async () => {
    const [asAdmin, asUser, asNobody] = await Promise.all([
      admin(),
      signed({ sub: 'sally', roles: ['user'] }),
      signed({ sub: 'sally' }),
    ]);
    const ask = async (method: string, token: string): Promise<readonly [number, unknown]> => {
      const { status, json } = await send(api, method, '/contacts/zzz', { token });
      return [status, json];
    };
    for (const method of ['GET', 'PATCH', 'DELETE']) assert.equal(await ask(method, asAdmin), [404, NOT_FOUND]);
    assert.equal(await ask('GET', asUser), [404, NOT_FOUND]);
    for (const method of ['PATCH', 'DELETE']) assert.equal(await ask(method, asUser), [403, UNAUTHORIZED]);
    for (const method of ['GET', 'PATCH', 'DELETE']) assert.equal(await ask(method, asNobody), [403, UNAUTHORIZED]);
  });

  test('a created contact can be read, changed and deleted', async () => {
    const token = await admin();
    const created = await send(api, 'POST', '/contacts/new', { token, body: { ...MARY, id: 'abc123' } });
    const path = created.headers.get('location') ?? '';
    assert.match(path, /^\/contacts\/[0-9a-f-]{36}$/);
    const id = path.slice('/contacts/'.length);
    assert.equal((await send(api, 'GET', path, { token })).json, { id, ...MARY });
    assert.equal((await send(api, 'PATCH', path, { token, body: { email: 'mm@acme.com', id: 'def789' } })).json, {
      result: `Updated contact ${id}`,
    });
    assert.equal((await send(api, 'GET', path, { token })).json, { id, ...MARY, email: 'mm@acme.com' });
    assert.equal((await send(api, 'DELETE', path, { token })).json, { result: `Contact ${id} deleted` });
    assert.equal((await send(api, 'GET', path, { token })).json, NOT_FOUND);
    assert.equal((await send(api, 'GET', '/contacts', { token })).json, [JOHN, SARAH]);
  });

  test('a private contact is only for its owner and for admins', async () => {
    const token = await admin();
    const { headers } = await send(api, 'POST', '/contacts/new', {
      token,
      body: { ...MARY, owner: 'sally', private: true },
    });
    const path = headers.get('location') ?? '';
    const mary = { id: path.slice('/contacts/'.length), ...MARY, owner: 'sally', private: true };
    const sally = await signed({ sub: 'sally', roles: ['user'] });
    const harry = await signed({ sub: 'harry', roles: ['user'] });
    for (const may of [token, sally]) {
      assert.equal((await send(api, 'GET', path, { token: may })).json, mary);
      assert.equal((await send(api, 'GET', '/contacts', { token: may })).json, [JOHN, SARAH, mary]);
    }
    assert.equal((await send(api, 'GET', path, { token: harry })).json, UNAUTHORIZED);
    assert.equal((await send(api, 'GET', '/contacts', { token: harry })).json, [JOHN, SARAH]);
    assert.is((await send(api, 'DELETE', path, { token: sally })).status, 403, 'an owner needs the permission, too');
  });

  test('a list has pages of the contacts that the caller may see, and their total', async () => {
    const token = await admin();
    for (let number = 0; number < 30; number++) {
      await send(api, 'POST', '/contacts/new', {
        token,
        body: {
          name: `Contact ${number}`,
          email: `${number}@acme.com`,
          private: number % 3 === 0,
          owner: number % 6 === 0 ? 'sally' : 'adam',
        },
      });
    }
    const sally = await signed({ sub: 'sally', roles: ['user'] });
    const all = (await send(api, 'GET', '/contacts?limit=100', { token: sally })).json;
    assert.is(all.length, 2 + 20 + 5);
    const pages = [];
    for (let offset = 0; ; offset += 7) {
      const { json, headers } = await send(api, 'GET', `/contacts?limit=7&offset=${offset}`, { token: sally });
      assert.is(headers.get('x-total-count'), '27');
      if (json.length === 0) break;
      pages.push(json);
    }
    assert.equal(
      pages.map(({ length }) => length),
      [7, 7, 7, 6],
    );
    assert.equal(pages.flat(), all);
    assert.is(
      (await send(api, 'GET', '/contacts', { token: sally })).json.length,
      20,
      'a page has 20 contacts by default',
    );
  });

  test.run();
}

function admin(): Promise<string> {
  return signed({ sub: 'adam', roles: ['admin'] });
}

/** The token of a user with the claims of an admin in the payload. */
function forged(token: string): string {
  const [header, , signature] = token.split('.');
  return [header, base64(JSON.stringify({ sub: 'adam', roles: ['admin'] })), signature].join('.');
}

function unsigned(): string {
  return `${base64('{"alg":"none"}')}.${base64('{"sub":"adam","roles":["admin"]}')}.`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64url');
}
