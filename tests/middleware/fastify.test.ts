import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inProcessClient, restClient } from '../../packages/client/index.js';
import { policies } from '../../generated/index.js';
import { fastifyGuard } from '../../packages/middleware/fastify.js';
import { type Application, type Policies, reportOf, testContract } from './contract.js';

testContract('Fastify', async ({ decider, principalOf, albumOf, onNoAnswer, handled }) => {
  const guard = fastifyGuard<Policies>({
    ...decider,
    principal: ({ headers }) => principalOf(headers['x-user']?.toString()),
    onNoAnswer,
  });
  const albumIn = ({ params }: FastifyRequest) => albumOf((params as { readonly id: string }).id);
  const app = fastify();
  const mayView = guard({ action: 'view', also: ['edit', 'delete'], resource: albumIn });
  app.get('/albums/:id', { preHandler: mayView }, async (request) => {
    handled();
    return reportOf(mayView.decision(request));
  });
  const mayDelete = guard({ action: 'delete', hiddenWithout: 'view', resource: albumIn });
  app.delete('/albums/:id', { preHandler: mayDelete }, async (request) => {
    handled();
    return mayDelete.decision(request).allowed.delete;
  });
  return open(app);
});

const test = suite('guards for Fastify: what only they have');

const album = { kind: 'album', id: '1', attr: { owner: 'anna', visibility: 'public', status: 'OPEN' } } as const;
const principal = () => ({ id: 'bob', roles: ['user'] });

test('templates find the decision', async () => {
  const guard = fastifyGuard<Policies>({ client: inProcessClient<Policies>(policies), principal });
  const app = fastify();
  app.addHook('onRequest', async (_, reply) => {
    (reply as { locals?: object }).locals = { title: 'Albums' };
  });
  app.get('/', { preHandler: guard({ action: 'view', also: ['edit'], resource: album }) }, async (_, reply) => {
    const { authz, ...others } = (reply as { readonly locals?: { readonly authz: { readonly allowed: object } } })
      .locals ?? { authz: undefined };
    return { allowed: authz?.allowed, others };
  });
  assert.equal((await app.inject('/')).json(), {
    allowed: { view: true, edit: false },
    others: { title: 'Albums' },
  });
});

test('a guard has a decision only on requests that it let pass', async () => {
  const guard = fastifyGuard<Policies>({ client: inProcessClient<Policies>(policies), principal });
  const mayView = guard({ action: 'view', resource: album });
  const other = guard({ action: 'view', resource: album });
  const app = fastify();
  app.get('/', { preHandler: mayView }, async (request) => other.decision(request));
  const response = await app.inject('/');
  assert.is(response.statusCode, 500);
  assert.match(response.body, 'this guard has not decided about the request');
});

test('the log of the request has the error of the client', async () => {
  const lines: string[] = [];
  const client = restClient<Policies>({ url: 'http://127.0.0.1:9' });
  const guard = fastifyGuard<Policies>({ client, principal });
  const app = fastify({ logger: { level: 'error', stream: { write: (line: string) => lines.push(line) } } });
  app.get('/', { preHandler: guard({ action: 'view', resource: album }) }, async () => 'handled');
  assert.is((await app.inject('/')).statusCode, 503);
  const [line = '{}'] = lines;
  const { msg, err } = JSON.parse(line) as { readonly msg: string; readonly err: { readonly code: string } };
  assert.equal([msg, err.code, lines.length], ['no authorization decision', 'unavailable', 1]);
  await client.close();
});

test('an application sends refusals itself', async () => {
  const guard = fastifyGuard<Policies>({
    client: inProcessClient<Policies>(policies),
    principal,
    refuse: ({ status, reason }, _, reply) => reply.code(status).type('text/html').send(`<h1>${reason}</h1>`),
  });
  const app = fastify();
  app.get('/', { preHandler: guard({ action: 'edit', resource: album }) }, async () => 'handled');
  const { statusCode, body } = await app.inject('/');
  assert.equal([statusCode, body], [403, '<h1>denied</h1>']);
});

test.run();

async function open(app: FastifyInstance): Promise<Application> {
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { ask: (method, path, headers) => fetch(url + path, { method, headers }), close: () => app.close() };
}
