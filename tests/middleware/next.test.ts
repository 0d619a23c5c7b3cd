import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AuthzError, inProcessClient } from '../../packages/client/index.js';
import { policies } from '../../generated/index.js';
import { nextGuard } from '../../packages/middleware/next.js';
import { type Policies, reportOf, testContract } from './contract.js';

/** Route handlers are functions of standard requests, so these tests call them as Next.js would. */
testContract('Next.js', async ({ decider, principalOf, albumOf, onNoAnswer, handled }) => {
  const guard = nextGuard<Policies>({
    ...decider,
    principal: ({ request }) => principalOf(request.headers.get('x-user')),
    onNoAnswer,
  });
  const GET = guard(
    { action: 'view', also: ['edit', 'delete'], resource: ({ params }) => albumOf(params['id'] ?? '') },
    ({ decision }) => {
      handled();
      return Response.json(reportOf(decision));
    },
  );
  const DELETE = guard(
    { action: 'delete', hiddenWithout: 'view', resource: ({ params }) => albumOf(params['id'] ?? '') },
    ({ decision }) => {
      handled();
      return Response.json(decision.allowed.delete);
    },
  );
  return {
    ask: async (method, path, headers) => {
      const request = new Request(`http://localhost${path}`, { method, headers });
      const params = Promise.resolve({ id: path.split('/')[2] ?? '' });
      try {
        return await (method === 'GET' ? GET : DELETE)(request, { params });
      } catch {
        // The answer of Next.js to a handler that throws.
        return new Response(null, { status: 500 });
      }
    },
    close: async () => undefined,
  };
});

const test = suite('guards for Next.js: what only they have');

const album = { kind: 'album', id: '1', attr: { owner: 'anna', visibility: 'public', status: 'OPEN' } } as const;
const principal = () => ({ id: 'bob', roles: ['user'] });
const context = { params: Promise.resolve({}) };

test('an application writes refusals itself', async () => {
  const guard = nextGuard<Policies>({
    client: inProcessClient<Policies>(policies),
    principal,
    refuse: ({ reason }, request) => Response.redirect(new URL(`/refused?${reason}`, request.url), 307),
  });
  const GET = guard({ action: 'edit', resource: album }, () => Response.json('handled'));
  const response = await GET(new Request('http://localhost/a'), context);
  assert.is(response.headers.get('location'), 'http://localhost/refused?denied');
});

test('a request that is aborted ends its call', async () => {
  const errors: unknown[] = [];
  const guard = nextGuard<Policies>({
    client: inProcessClient<Policies>(policies),
    principal,
    onNoAnswer: (error) => errors.push(error),
  });
  const GET = guard({ action: 'view', resource: album }, () => Response.json('handled'));
  const request = new Request('http://localhost/a', { signal: AbortSignal.abort() });
  assert.is((await GET(request, context)).status, 503);
  assert.equal(
    errors.map((error) => error instanceof AuthzError && error.code),
    ['canceled'],
  );
});

test.run();
