import { Hono } from 'hono';
import { html } from 'hono/html';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AuthzError, inProcessClient } from '../../packages/client/index.js';
import { policies } from '../../generated/index.js';
import { honoGuard } from '../../packages/middleware/hono.js';
import { type Policies, reportOf, testContract } from './contract.js';

testContract('Hono', async ({ decider, principalOf, albumOf, onNoAnswer, handled }) => {
  const guard = honoGuard<Policies>({ ...decider, principal: (c) => principalOf(c.req.header('x-user')), onNoAnswer });
  const app = new Hono();
  app.get(
    '/albums/:id',
    guard({ action: 'view', also: ['edit', 'delete'], resource: (c) => albumOf(c.req.param('id') ?? '') }),
    (c) => {
      handled();
      return c.json(reportOf(c.var.authz));
    },
  );
  app.delete(
    '/albums/:id',
    guard({ action: 'delete', hiddenWithout: 'view', resource: (c) => albumOf(c.req.param('id') ?? '') }),
    (c) => {
      handled();
      return c.json(c.var.authz.allowed.delete);
    },
  );
  app.onError((_, c) => c.text('error', 500));
  return {
    ask: async (method, path, headers) => app.request(`http://localhost${path}`, { method, headers }),
    close: async () => undefined,
  };
});

const test = suite('guards for Hono: what only they have');

const album = { kind: 'album', id: '1', attr: { owner: 'anna', visibility: 'public', status: 'OPEN' } } as const;
const principal = () => ({ id: 'bob', roles: ['user'] });

test('templates find the decision', async () => {
  const guard = honoGuard<Policies>({ client: inProcessClient<Policies>(policies), principal });
  const app = new Hono();
  app.get('/', guard({ action: 'view', also: ['edit'], resource: album }), (c) =>
    c.html(html`<p>${c.var.authz.allowed.edit ? 'edit' : 'read only'}</p>`),
  );
  assert.is(await (await app.request('/')).text(), '<p>read only</p>');
});

test('an application writes refusals itself', async () => {
  const guard = honoGuard<Policies>({
    client: inProcessClient<Policies>(policies),
    principal,
    refuse: ({ status, reason }, c) => c.html(`<h1>${reason}</h1>`, status),
  });
  const app = new Hono();
  app.get('/', guard({ action: 'edit', resource: album }), (c) => c.text('handled'));
  const response = await app.request('/');
  assert.equal([response.status, await response.text()], [403, '<h1>denied</h1>']);
});

test('a request that is aborted ends its call', async () => {
  const controller = new AbortController();
  const errors: unknown[] = [];
  const guard = honoGuard<Policies>({
    client: inProcessClient<Policies>(policies),
    principal,
    onNoAnswer: (error) => errors.push(error),
  });
  const app = new Hono();
  app.get('/', guard({ action: 'view', resource: album }), (c) => c.text('handled'));
  controller.abort();
  assert.is((await app.request('/', { signal: controller.signal })).status, 503);
  assert.equal(
    errors.map((error) => error instanceof AuthzError && error.code),
    ['canceled'],
  );
});

test.run();
