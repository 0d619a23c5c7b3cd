import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningApi, startApi } from '../../examples/contact-api/api.js';
import type { ContactFields } from '../../examples/contact-api/contact.js';
import { openPdp, type Pdp } from '../../examples/contact-api/pdp.js';
import { contactApi } from '../../examples/contact-api/server.js';
import { ContactStore } from '../../examples/contact-api/store.js';
import { bearerTokens } from '../../examples/contact-api/token.js';
import { pdpSettings, SECRET, send, signed, startPdp, TRANSPORTS } from './contact-api.js';

/** Names and owners that are hard to distinguish or to quote. */
const TEXTS = [
  'sally',
  'Sally',
  'sally ',
  "sally'--",
  '%',
  '_',
  '"; DROP TABLE contacts; --',
  'sälly',
  'sa\u0308lly',
  '🙂',
  '0',
  'true',
  'null',
  '[]',
];

/** All kinds of callers. */
const CALLERS = TEXTS.flatMap((sub) => [
  { sub, roles: ['user'] },
  { sub, roles: ['admin'] },
  { sub, roles: ['user', 'guest'] },
  { sub, roles: ['guest'] },
  { sub },
]);

const IDS = contactsOf(new ContactStore(':memory:'));

for (const transport of TRANSPORTS) {
  test(`${transport}: a list has exactly the contacts that the caller may read one by one`, async () => {
    const pdp = await startPdp();
    const { store, ids } = IDS;
    const client = openPdp(pdpSettings(transport, pdp));
    const api = contactApi({ store, pdp: client, authenticate: bearerTokens(SECRET) });
    await api.listen({ host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${(api.server.address() as { readonly port: number }).port}`;
    // In process it is cheap to ask for every caller; over a network, only for a few.
    const callers = transport === 'in-process' ? CALLERS : CALLERS.filter((_, index) => index % 9 === 0);
    let seen = 0;
    for (const claims of callers) {
      const token = await signed(claims);
      const listed = await allPages({ url }, token);
      const readable = [];
      for (const id of ids)
        if ((await send({ url }, 'GET', `/contacts/${id}`, { token })).status === 200) readable.push(id);
      assert.equal(listed, readable, JSON.stringify(claims));
      seen += listed.length;
    }
    assert.ok(seen > ids.length, 'something was to be seen');
    assert.ok(seen < ids.length * callers.length, 'and not everything');
    await api.close();
    await client.close();
    await pdp.close();
  });
}

test('a list reflects changes of contacts, and a database file outlives the API', async () => {
  const { mkdtempSync, rmSync } = await import('node:fs');
  const { join } = await import('node:path');
  const { tmpdir } = await import('node:os');
  const folder = mkdtempSync(join(tmpdir(), 'contacts-'));
  const database = join(folder, 'contacts.db');
  const [adam, sally] = await Promise.all([
    signed({ sub: 'adam', roles: ['admin'] }),
    signed({ sub: 'sally', roles: ['user'] }),
  ]);
  const start = (): Promise<RunningApi> =>
    startApi({ secret: SECRET, port: 0, database, pdp: { transport: 'in-process' } });
  let api = await start();
  await send(api, 'PATCH', '/contacts/abc123', { token: adam, body: { private: true } });
  await send(api, 'DELETE', '/contacts/def789', { token: adam });
  await send(api, 'POST', '/contacts/new', { token: adam, body: { name: 'Mary', email: 'm@acme.com' } });
  await api.close();
  api = await start();
  assert.equal(
    (await send(api, 'GET', '/contacts', { token: sally })).json.map(({ name }: ContactFields) => name),
    ['Mary'],
  );
  assert.equal(
    (await send(api, 'GET', '/contacts', { token: adam })).json.map(({ name }: ContactFields) => name),
    ['John Smith', 'Mary'],
  );
  await api.close();
  rmSync(folder, { recursive: true });
});

test('a filter that the table cannot express fails the list', async () => {
  const pdp = {
    plan: async () => ({
      filter: { kind: 'KIND_CONDITIONAL', condition: { variable: 'request.resource.attr.shoeSize' } },
    }),
    isAllowed: async () => false,
  };
  const app = contactApi({
    store: new ContactStore(':memory:'),
    pdp: pdp as unknown as Pdp,
    authenticate: bearerTokens(SECRET),
  });
  const { statusCode, body } = await app.inject({
    url: '/contacts',
    headers: { authorization: `Bearer ${await signed({ sub: 'sally', roles: ['user'] })}` },
  });
  assert.equal([statusCode, body], [500, '{"error":"Internal error"}']);
});

test.run();

/** A store with many contacts, and their ids in order. */
function contactsOf(store: ContactStore): { readonly store: ContactStore; readonly ids: readonly string[] } {
  const made = TEXTS.flatMap((text, index) =>
    [true, false].map((isPrivate) =>
      store.create({ name: text, email: text, owner: TEXTS[(index * 5) % TEXTS.length] ?? '', private: isPrivate }),
    ),
  );
  return { store, ids: ['abc123', 'def789', ...made.map(({ id }) => id)] };
}

async function allPages(api: { readonly url: string }, token: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const { json } = await send(api, 'GET', `/contacts?limit=9&offset=${ids.length}`, { token });
    if (json.length === 0) return ids;
    ids.push(...json.map(({ id }: { readonly id: string }) => id));
  }
}
