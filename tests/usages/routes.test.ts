import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { applicationOf, policyOf, usagesIn } from './support.js';

const test = suite('routes and their guards');

const ACCESS = `import { createEngine } from 'authz/runtime';
declare const bundle: Parameters<typeof createEngine>[0];
const engine = createEngine(bundle);
export const ask = (): boolean => engine.isAllowed({ principal: { id: 'ann', roles: ['user'] }, resource: { kind: 'a', id: '1' }, action: 'x' });
export interface Access { ask(): boolean }
export class EngineAccess implements Access { ask() { return ask(); } }
`;

const FASTIFY = `import fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import { ask } from './access.js';

const app = fastify({ logger: true });
app.get('/before', async () => 1);
app.get('/hook-of-route', { preHandler: async () => void ask() }, async () => 1);
app.route({ method: 'PUT', url: '/whole', onRequest: async () => void ask(), handler: async () => 1 });
app.route({ method: 'DELETE', url: '/whole', handler: async () => 1 });
app.register(guarded, { prefix: '/guarded' });
app.register(async (open) => {
  open.get('/open', async () => 1);
  open.register(async (inner) => {
    inner.addHook('preHandler', async () => void ask());
    inner.get('/inner', async () => 1);
  });
});

// A hook holds for routes before it, too.
async function guarded(routes: FastifyInstance) {
  routes.get('/one', async () => 1);
  routes.addHook('onRequest', async () => void ask());
  routes.register(nested, { prefix: '/nested' });
}
const nested: FastifyPluginAsync = async (routes) => {
  routes.post('/two', async () => 1);
};
`;

const HONO = `import { Hono } from 'hono';
import { ask, type Access } from './access.js';

declare const access: Access;
const books = new Hono().get('/', (c) => c.json([])).post('/', (c) => c.json(ask()));
const authors = new Hono();
authors.use('*', async (_, next) => { if (ask()) await next(); });
authors.get('/:id', (c) => c.json({}));
const app = new Hono();
app.get('/early', (c) => c.json(1));
app.use('/admin/*', async (_, next) => { if (ask()) await next(); });
app.get('/admin/users', (c) => c.json(1));
app.get('/other', (c) => c.json(1));
app.on('PURGE', '/cache', (c) => c.json(1));
app.get('/by-interface', (c) => c.json(access.ask()));
app.route('/books', books);
app.route('/authors', authors);
export default app;
`;

const EXPRESS = `import express, { type RequestHandler } from 'express';
import { ask } from './access.js';

class Server {
  private readonly app = express();
  private readonly wrap = (handler: RequestHandler): RequestHandler => (request, response, next) => handler(request, response, next);

  listen() {
    this.app.get('/method', this.wrap((_, response) => void this.answer(response)));
    this.app.get('/named', this.wrap(named));
    this.app.get('/setting');
    this.app.set('title', 'x');
    this.app.get(['/one', '/other'], (_, response) => void response.json(1));
    this.app.all('/late/*rest', (_, __, next) => { if (ask()) next(); });
    this.app.get('/late/x', (_, response) => void response.json(1));
    const twice = express.Router();
    twice.get('/twice', (_, response) => void response.json(1));
    this.app.use('/a', (_, __, next) => { if (ask()) next(); }, twice);
    this.app.use('/b', twice);
  }

  private answer(response: { json(body: unknown): void }) {
    response.json(ask());
  }
}
const named: RequestHandler = (_, response) => void response.json(ask());
new Server().listen();
`;

test('routes have the guards of their scopes, in the order in which the framework runs them', async () => {
  const application = applicationOf({
    'src/access.ts': ACCESS,
    'src/fastify.ts': FASTIFY,
    'src/hono.ts': HONO,
    'src/express.ts': EXPRESS,
    'src/express.test.ts': EXPRESS,
    'policies/a.yaml': policyOf('a', ['x']),
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        module: 'NodeNext',
        target: 'ES2022',
        strict: true,
        esModuleInterop: true,
        skipLibCheck: true,
        types: ['node'],
      },
      include: ['src'],
    }),
  });
  try {
    const { routes } = await usagesIn(application.folder);
    assert.equal(
      routes,
      [
        'GET /before none',
        'GET /hook-of-route guarded',
        'PUT /whole guarded',
        'DELETE /whole none',
        'GET /guarded/one guarded',
        'POST /guarded/nested/two guarded',
        'GET /open none',
        'GET /inner guarded',
        'GET /books none',
        'POST /books guarded',
        'GET /authors/:id guarded',
        'GET /early none',
        'GET /admin/users guarded',
        'GET /other none',
        'PURGE /cache none',
        'GET /by-interface guarded',
        'GET /method guarded',
        'GET /named guarded',
        'GET /one|/other none',
        'ALL /late/*rest guarded',
        'GET /late/x guarded',
        'GET /a/twice none',
      ].sort(),
    );
  } finally {
    application.remove();
  }
});

test.run();
