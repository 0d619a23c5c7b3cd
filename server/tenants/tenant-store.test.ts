import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LAST_RESORT } from '../../tests/support/timeout.js';
import { RpcError } from '../service/rpc-error.js';
import type { FetchedTenant, TenantSource } from './tenant-source.js';
import { type TenantEvent, TenantStore } from './tenant-store.js';

/** A source in memory, which answers when it is told to, and a store of it with a clock of its own. */
function set(options: Partial<ConstructorParameters<typeof TenantStore>[1]> = {}) {
  const documents = new Map<string, { version: string; text: string }>();
  const asked: string[] = [];
  const events: TenantEvent[] = [];
  const state = { now: 1000, isAway: false, gate: Promise.resolve() };
  const source: TenantSource = {
    name: 'memory',
    async fetch(tenant, known): Promise<FetchedTenant> {
      asked.push(known === undefined ? tenant : `${tenant} if not ${known}`);
      await state.gate;
      if (state.isAway) throw new Error('away');
      const document = documents.get(tenant);
      if (document === undefined) return { kind: 'missing' };
      return document.version === known ? { kind: 'unchanged' } : { kind: 'fetched', ...document };
    },
    close: async () => {},
  };
  const store = new TenantStore(source, {
    maxAge: 5000,
    maxStale: 60_000,
    timeout: LAST_RESORT,
    maxTenants: 100,
    maxBytes: 1_000_000,
    tell: (event) => void events.push(event),
    now: () => state.now,
    ...options,
  });
  const put = (tenant: string, version: string, text = `{"tenant": "${tenant}", "roles": {}}`): void =>
    void documents.set(tenant, { version, text });
  return { documents, asked, events, state, store, put };
}

async function failure(load: () => unknown): Promise<string> {
  try {
    await load();
  } catch (error) {
    if (error instanceof RpcError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'loaded';
}

const UNAVAILABLE = 'unavailable: the roles of the tenant `acme` cannot be loaded';

test('a document is loaded once, used for its age, and asked for by its version after that', async () => {
  const { store, asked, state, put } = set();
  put('acme', 'v1');
  const first = await store.load('acme');
  assert.equal(first.document, { tenant: 'acme', roles: {} });
  assert.is(store.load('acme'), first, 'at once');
  state.now += 4999;
  assert.is(store.load('acme'), first);
  state.now += 1;
  assert.is(await store.load('acme'), first);
  put('acme', 'v2');
  assert.is(store.load('acme'), first);
  state.now += 5000;
  assert.is((await store.load('acme')).document, first.document, 'the same text is the same object');
  put('acme', 'v3', '{"tenant": "acme", "roles": {"x": {}}}');
  state.now += 5000;
  assert.equal((await store.load('acme')).document, { tenant: 'acme', roles: { x: {} } });
  assert.equal(asked, ['acme', 'acme if not v1', 'acme if not v1', 'acme if not v2']);
});

test('a document that is gone, or never was, gives no roles, and that is kept, too', async () => {
  const { store, asked, state, documents, put } = set();
  assert.is((await store.load('acme')).document, undefined);
  assert.is((store.load('acme') as Awaited<ReturnType<typeof store.load>>).document, undefined);
  put('acme', 'v1');
  state.now += 5000;
  assert.ok((await store.load('acme')).document);
  documents.clear();
  state.now += 5000;
  assert.is((await store.load('acme')).document, undefined);
  assert.equal(asked, ['acme', 'acme', 'acme if not v1']);
});

test('calls that wait for a tenant share one request', async () => {
  const { store, asked, state, put } = set();
  put('acme', 'v1');
  let open = (): void => {};
  state.gate = new Promise((resolve) => (open = resolve));
  const waiting = Array.from({ length: 50 }, () => store.load('acme'));
  open();
  assert.is(new Set(await Promise.all(waiting)).size, 1);
  assert.equal(asked, ['acme']);
});

test('while the source is away, known documents are used for a while; then calls fail', async () => {
  const { store, asked, events, state, put } = set();
  put('acme', 'v1');
  const { document } = await store.load('acme');
  state.isAway = true;
  state.now += 5000;
  assert.is((await store.load('acme')).document, document);
  state.now += 999;
  assert.is((await store.load('acme')).document, document, 'without asking again');
  assert.is(asked.length, 2);
  state.now += 58_000;
  assert.is((await store.load('acme')).document, document);
  state.now += 1001;
  assert.is(await failure(() => store.load('acme')), UNAVAILABLE);
  assert.is(await failure(() => store.load('acme')), UNAVAILABLE, 'without asking again');
  state.isAway = false;
  state.now += 1000;
  assert.is((await store.load('acme')).document, document);
  assert.equal(
    events.map((event) => event.kind === 'failed' && event.isStale),
    [true, true, false],
  );
});

test('without a document, calls fail until the source answers', async () => {
  const { store, asked, state, put } = set();
  state.isAway = true;
  assert.is(await failure(() => store.load('acme')), UNAVAILABLE);
  assert.is(await failure(() => store.load('acme')), UNAVAILABLE);
  assert.is(asked.length, 1);
  state.isAway = false;
  put('acme', 'v1');
  state.now += 1000;
  assert.ok((await store.load('acme')).document);
});

test('a source that does not answer fails after the timeout', async () => {
  const { store, events, state } = set({ timeout: 20 });
  state.gate = new Promise(() => {});
  assert.is(await failure(() => store.load('acme')), UNAVAILABLE);
  assert.equal(events, [{ kind: 'failed', tenant: 'acme', reason: 'memory: no answer in 20 ms', isStale: false }]);
});

test('only so many tenants are loaded at once', async () => {
  const { store, state } = set();
  let open = (): void => {};
  state.gate = new Promise((resolve) => (open = resolve));
  const loading = Array.from({ length: 512 }, (_, index) => store.load(`t${index}`));
  assert.is(await failure(() => store.load('acme')), UNAVAILABLE);
  open();
  await Promise.all(loading);
  assert.ok(await store.load('acme'));
});

test('the least recently used tenants make room, by number and by size', async () => {
  const few = set({ maxTenants: 3 });
  for (const tenant of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await few.store.load(tenant);
  assert.equal(few.asked, ['a', 'b', 'c', 'd', 'b']);
  assert.is(few.store.counts().tenants, 3);

  const { store, put } = set({ maxBytes: 100_000 });
  for (let index = 0; index < 50; index++) {
    put(`t${index}`, 'v', JSON.stringify({ tenant: `t${index}`, roles: {}, fill: 'x'.repeat(1000) }));
    await store.load(`t${index}`);
    assert.ok(store.counts().bytes <= 100_000);
  }
  assert.ok(store.counts().tenants > 5 && store.counts().tenants < 10);
  put('large', 'v', JSON.stringify({ tenant: 'large', roles: {}, fill: 'x'.repeat(20_000) }));
  assert.ok((await store.load('large')).document, 'it is used, and not kept');
  assert.equal([store.counts().tenants, store.counts().bytes], [0, 0]);
});

test('a text that is neither JSON nor YAML gives no roles, and is told once', async () => {
  const { store, events, state, put } = set();
  for (const [index, text] of [
    '{"tenant": "acme"',
    'roles: [',
    '42',
    '',
    '"a',
    '&a [*a, *a]',
    'a: 1\na: 2',
    '['.repeat(60_000),
  ].entries()) {
    put('acme', `v${index}`, text);
    state.now += 5000;
    assert.is((await store.load('acme')).document, undefined, text.slice(0, 20));
    state.now += 5000;
    await store.load('acme');
    assert.is(events.length, index + 1, text.slice(0, 20));
  }
  assert.is(store.counts().refused, events.length);
  put('acme', 'yaml', 'tenant: acme\nroles: {a: {roles: [b]}}');
  state.now += 5000;
  assert.equal((await store.load('acme')).document, { tenant: 'acme', roles: { a: { roles: ['b'] } } });
});

test.run();
