import { createServer } from 'node:http';
import { once } from 'node:events';
import { initTRPC } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { AuthzError, inProcessClient, type PrincipalOf, restClient } from '../../packages/client/index.js';
import { policies } from '../../generated/index.js';
import { trpcGuard } from '../../packages/middleware/trpc.js';
import { type Application, type Policies, reportOf, testContract } from './contract.js';
import { listening } from './listening.js';

interface Context {
  readonly principal: PrincipalOf<Policies> | undefined;
}

const t = initTRPC.context<Context>().create();
const album = { kind: 'album', id: '1', attr: { owner: 'anna', visibility: 'public', status: 'OPEN' } } as const;

/** tRPC 10 has no code for 503. */
const UNAVAILABLE = Object.hasOwn(TRPC_ERROR_CODES_BY_KEY, 'SERVICE_UNAVAILABLE') ? 503 : 500;

testContract(
  'tRPC',
  async ({ decider, principalOf, albumOf, onNoAnswer, handled }) => {
    const guard = trpcGuard<Policies, Context>({ ...decider, principal: ({ ctx }) => ctx.principal, onNoAnswer });
    const withId = t.procedure.input(z.object({ id: z.string() }));
    const router = t.router({
      read: withId
        .use(guard({ action: 'view', also: ['edit', 'delete'], resource: ({ input }) => albumOf(input.id) }))
        .query(({ ctx }) => {
          handled();
          return reportOf(ctx.authz);
        }),
      remove: withId
        .use(guard({ action: 'delete', hiddenWithout: 'view', resource: ({ input }) => albumOf(input.id) }))
        .mutation(({ ctx }) => {
          handled();
          return ctx.authz.allowed.delete;
        }),
    });
    const server = createServer(
      createHTTPHandler({
        router,
        createContext: ({ req }) => ({ principal: principalOf(req.headers['x-user']?.toString()) }),
      }),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    return { ...listening(server), ask: (...call) => askTrpc(`http://127.0.0.1:${port}`, ...call) };
  },
  { unavailable: UNAVAILABLE },
);

const test = suite('guards for tRPC: what only they have');

test('errors have that of the client as their cause, and the code of the refusal', async () => {
  const client = restClient<Policies>({ url: 'http://127.0.0.1:9' });
  const guard = trpcGuard<Policies, Context>({ client, principal: ({ ctx }) => ctx.principal });
  const router = t.router({ read: t.procedure.use(guard({ action: 'view', resource: album })).query(() => 'handled') });
  const caller = router.createCaller({ principal: { id: 'bob', roles: ['user'] } });
  try {
    await caller.read();
    assert.unreachable();
  } catch (error) {
    const { code, cause } = error as { readonly code: string; readonly cause: unknown };
    assert.is(code, 'SERVICE_UNAVAILABLE');
    assert.instance(cause, AuthzError);
  }
  await client.close();
});

test('guards of a procedure add to its context', async () => {
  const guard = trpcGuard<Policies, Context>({
    client: inProcessClient<Policies>(policies),
    principal: ({ ctx }) => ctx.principal,
  });
  const router = t.router({
    read: t.procedure
      .use(guard({ action: 'view', resource: album }))
      .query(({ ctx }) => [ctx.principal?.id, ctx.authz.principal.id, ctx.authz.allowed.view]),
  });
  const caller = router.createCaller({ principal: { id: 'bob', roles: ['user'] } });
  assert.equal(await caller.read(), ['bob', 'bob', true]);
});

test.run();

/** Calls the procedure that a route of the contract stands for, and returns its result as the body. */
async function askTrpc(url: string, ...[method, path, headers]: Parameters<Application['ask']>): Promise<Response> {
  const input = JSON.stringify({ id: path.split('/')[2] });
  const response =
    method === 'GET'
      ? await fetch(`${url}/read?input=${encodeURIComponent(input)}`, { headers })
      : await fetch(`${url}/remove`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: input,
        });
  const answer = (await response.json()) as { readonly result?: { readonly data: unknown }; readonly error?: object };
  return new Response(JSON.stringify(answer.result?.data ?? answer.error), {
    status: response.status,
    headers: response.headers,
  });
}
