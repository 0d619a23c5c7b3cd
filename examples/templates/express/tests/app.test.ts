import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { app } from '../src/app.ts';

let server: Server;
let url = '';
before(async () => {
  await new Promise<void>((resolve) => {
    server = app.listen(0, () => resolve());
  });
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

const ask = (person: string, path: string, method = 'GET'): Promise<Response> =>
  fetch(url + path, { method, headers: { 'x-user': person } });

test('a person sees their own documents and what their team has published', async () => {
  const found = (await (await ask('alice', '/documents')).json()) as readonly { readonly id: string }[];
  assert.deepEqual(
    found.map(({ id }) => id),
    ['d1', 'd3', 'd5'],
  );
});

test('only the owner deletes a document', async () => {
  assert.equal((await ask('alice', '/documents/d3', 'DELETE')).status, 403);
  assert.equal((await ask('bob', '/documents/d3', 'DELETE')).status, 200);
});

test('a document that a person may not view is not found', async () => {
  assert.equal((await ask('bob', '/documents/d1')).status, 404);
  assert.equal((await ask('alice', '/documents/d1')).status, 200);
});

test('a caller without a name is refused', async () => {
  assert.equal((await ask('', '/documents')).status, 401);
});
